//! Values as pure functions of seed, column and row: in every second row one of those that go wrong most easily, in turn; in the rows
//! between, random ones.

use benchhost_plugin::random;

/// Tag values that need care. None is empty and none ends in a backslash: line protocol cannot say either.
const LABELS: [&str; 11] = [
    "plain",
    "two words",
    " spaces around ",
    "comma,separated",
    "equals=sign",
    "all, of = them",
    "\"quoted\"",
    "it's",
    "42i",
    "Grüße, 東京",
    "🦀 crab",
];
/// More of them. Where a server reads a backslash as the sign of an escape, it is lost.
const BACKSLASHES: [&str; 3] = ["back\\slash", "two\\\\slashes", "before\\,a comma"];

/// Values of the column `utf8`.
const TEXTS: [&str; 12] = [
    "",
    "plain",
    " spaces around ",
    "comma, equals = sign",
    "\"quoted\"",
    "back\\slash",
    "ends in a backslash\\",
    "\\\"",
    "tab\there",
    "Grüße, 東京",
    "🦀 crab",
    "true",
];
const NEWLINES: [&str; 2] = ["two\nlines", "\n"];

const FLOAT64S: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1.0 / 3.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    9_007_199_254_740_993.0,
    1e21,
    123_456_789.123_456_78,
];
const FLOAT32S: [f32; 12] =
    [0.0, -0.0, 1.0, -1.5, 0.1, 1.0 / 3.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, 16_777_216.0, 1e10];

/// The values of the tag `label`.
pub(crate) fn labels(backslashes: bool) -> Vec<&'static str> {
    let more = BACKSLASHES.iter().filter(|_| backslashes);
    LABELS.iter().chain(more).copied().collect()
}

/// The values of one column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    start: u64,
}

impl Source {
    pub(crate) fn new(seed: u64, column: u32) -> Self {
        // Mixed twice, so that neighbouring seeds and columns have nothing in common.
        Self { start: mix(mix(seed).wrapping_add(column.into())) }
    }

    /// 64 random bits of a row.
    fn bits(self, row: u64) -> u64 {
        mix(self.start.wrapping_add(row))
    }

    /// The value of every second row.
    fn edge<T>(row: u64, edges: &[T]) -> Option<&T> {
        edges.get((row / 2 % edges.len() as u64) as usize).filter(|_| row.is_multiple_of(2))
    }

    /// An integer with a sign, of so many bits.
    pub(crate) fn signed(self, row: u64, bits: u32) -> i64 {
        let shift = 64 - bits;
        let (min, max) = (i64::MIN >> shift, i64::MAX >> shift);
        let edge = Self::edge(row, &[min, max, 0, 1, -1, min + 1, max - 1]).copied();
        edge.unwrap_or_else(|| self.bits(row) as i64 >> shift)
    }

    /// An integer without a sign, of so many bits.
    pub(crate) fn unsigned(self, row: u64, bits: u32) -> u64 {
        let shift = 64 - bits;
        let max = u64::MAX >> shift;
        let edge = Self::edge(row, &[max, 0, 1, max / 2, max / 2 + 1]).copied();
        edge.unwrap_or_else(|| self.bits(row) >> shift)
    }

    /// A finite float of 64 bits, of any size.
    pub(crate) fn float64(self, row: u64) -> f64 {
        let bits = self.bits(row);
        let any = Some(f64::from_bits(bits)).filter(|any| any.is_finite());
        Self::edge(row, &FLOAT64S).copied().or(any).unwrap_or((bits >> 11) as f64)
    }

    /// A finite float of 32 bits, of any size.
    pub(crate) fn float32(self, row: u64) -> f32 {
        let bits = (self.bits(row) >> 32) as u32;
        let any = Some(f32::from_bits(bits)).filter(|any| any.is_finite());
        Self::edge(row, &FLOAT32S).copied().or(any).unwrap_or((bits >> 8) as f32)
    }

    /// True or false.
    pub(crate) fn boolean(self, row: u64) -> bool {
        self.bits(row) & 1 == 1
    }

    /// A text; without newlines unless they are wanted.
    pub(crate) fn text(self, row: u64, newlines: bool) -> String {
        let more = NEWLINES.iter().filter(|_| newlines);
        let edges: Vec<&str> = TEXTS.iter().chain(more).copied().collect();
        // Random texts differ in length.
        let bits = self.bits(row);
        let random = || format!("{bits:x}-").repeat(bits as usize % 4 + 1);
        Self::edge(row, &edges).map_or_else(random, |edge| (*edge).to_owned())
    }
}

/// SplitMix64.
fn mix(bits: u64) -> u64 {
    random::mix(bits.wrapping_add(random::GAMMA))
}
