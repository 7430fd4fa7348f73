//! What a row holds, as a pure function of seed and row.

use benchhost_plugin::random::{GAMMA, mix};

pub(crate) const SERVICES: [&str; 6] = ["api", "auth", "billing", "search", "stream", "worker"];
pub(crate) const HOSTS: u32 = 32;
pub(crate) const REGIONS: [&str; 4] = ["us-east", "us-west", "eu-west", "ap-south"];
pub(crate) const ENVS: [&str; 4] = ["prod", "staging", "canary", "dev"];
pub(crate) const PODS: u32 = 64;
pub(crate) const LEVELS: [&str; 4] = ["INFO", "WARN", "ERROR", "DEBUG"];
pub(crate) const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];
pub(crate) const PATHS: [&str; 5] = ["/api/v1/users", "/api/v1/orders", "/api/v1/search", "/health", "/metrics"];
pub(crate) const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
pub(crate) const AGENTS: [&str; 4] = ["Mozilla/5.0", "curl/8.0", "Go-http-client/1.1", "greptime-agent/0.3"];
/// Lines of source code that a service logs from.
pub(crate) const LINES: u32 = 500;
/// Random words of a row.
const WORDS: u64 = 9;
/// The level that sets `error_flag`.
const ERROR: u32 = 2;

/// The values of one row: keys into the lists above, and numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    pub(crate) service: u32,
    pub(crate) host: u32,
    pub(crate) region: u32,
    pub(crate) env: u32,
    pub(crate) pod: u32,
    pub(crate) level: u32,
    pub(crate) trace: [u64; 2],
    pub(crate) span: u64,
    pub(crate) method: u32,
    pub(crate) path: u32,
    pub(crate) class: u32,
    pub(crate) agent: u32,
    /// The last three bytes of the address.
    pub(crate) ip: u32,
    pub(crate) line: u32,
    pub(crate) latency_ms: f64,
    pub(crate) bytes_in: i64,
    pub(crate) bytes_out: i64,
    pub(crate) retry: bool,
}

impl Row {
    pub(crate) fn is_error(&self) -> bool {
        self.level == ERROR
    }
}

/// The rows of one seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    start: u64,
}

impl Source {
    pub(crate) fn new(seed: u64) -> Self {
        // Seeds are often neighbours, whose sequences would be the same one shifted: mixing parts them.
        Self { start: mix(mix(seed.wrapping_add(GAMMA)).wrapping_add(GAMMA)) }
    }

    pub(crate) fn row(self, row: u64) -> Row {
        let first = row.wrapping_mul(WORDS);
        let word = |n: u64| mix(self.start.wrapping_add(GAMMA.wrapping_mul(first.wrapping_add(n).wrapping_add(1))));
        // Lists of 2, 4, 8 … values share a word; each of the others has half of one, so that none is picked visibly more often.
        let mut bits = word(0);
        let mut few = |count: u32| {
            let picked = bits as u32 & (count - 1);
            bits >>= count.trailing_zeros();
            picked
        };
        let (one, two, three, four) = (word(1), word(2), word(3), word(4));
        Row {
            service: pick(one, SERVICES.len() as u32),
            host: few(HOSTS),
            region: few(REGIONS.len() as u32),
            env: few(ENVS.len() as u32),
            pod: few(PODS),
            level: few(LEVELS.len() as u32),
            trace: [word(6), word(7)],
            span: word(8),
            method: pick(one >> 32, METHODS.len() as u32),
            path: pick(two, PATHS.len() as u32),
            class: few(CLASSES.len() as u32),
            agent: few(AGENTS.len() as u32),
            ip: few(1 << 24),
            line: pick(two >> 32, LINES),
            // Through a signed integer: the conversion of an unsigned one is several instructions.
            latency_ms: (word(5) >> 11) as i64 as f64 * (200.0 / (1_u64 << 53) as f64),
            bytes_in: pick(three, 100_000).into(),
            bytes_out: pick(three >> 32, 200_000).into(),
            retry: pick(four, 20) == 0,
        }
    }
}

/// One of `count` numbers from 0 on, by the lower half of `word`.
fn pick(word: u64, count: u32) -> u32 {
    (((word & 0xffff_ffff) * u64::from(count)) >> 32) as u32
}

/// Writes `bits` as 16 hexadecimal digits.
pub(crate) fn push_hex(text: &mut String, bits: u64) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits: [u8; 16] = std::array::from_fn(|at| DIGITS[(bits >> (60 - 4 * at) & 15) as usize]);
    text.push_str(std::str::from_utf8(&digits).unwrap_or_default());
}

/// Writes `number` in decimal: several times faster than formatting it.
pub(crate) fn push_decimal(text: &mut String, mut number: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}
