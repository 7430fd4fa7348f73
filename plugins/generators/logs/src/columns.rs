//! The columns of some rows, in buffers that are kept: no text is allocated twice.

use benchhost_plugin::{BatchBuilder, Dictionary};

use crate::values::{
    AGENTS, CLASSES, ENVS, HOSTS, LEVELS, LINES, METHODS, PATHS, PODS, REGIONS, Row, SERVICES, push_decimal, push_hex,
};

/// Columns whose texts repeat: their positions in the table are [`KEYED`].
const KEYED_COLUMNS: usize = 11;
const KEYED: [u32; KEYED_COLUMNS] = [0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 14];
/// Positions of the columns of texts that do not repeat.
const TEXTS: [u32; 4] = [6, 7, 8, 13];
const LATENCY: u32 = 15;
const BYTES: [u32; 2] = [16, 17];
const FLAGS: [u32; 2] = [18, 19];
const INGEST: u32 = 21;

/// Room for the columns of some rows.
pub(crate) struct Columns {
    dictionaries: [Dictionary; KEYED_COLUMNS],
    keys: [Vec<u32>; KEYED_COLUMNS],
    texts: [Vec<String>; TEXTS.len()],
    latency: Vec<f64>,
    bytes: [Vec<i64>; BYTES.len()],
    flags: [Vec<bool>; FLAGS.len()],
    times: Vec<i64>,
}

impl Columns {
    pub(crate) fn new() -> Self {
        let list =
            |values: &[&str]| Dictionary::new(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        let numbered = |name: &str, count: u32| {
            Dictionary::new(&(0..count).map(|number| format!("{name}-{number}")).collect::<Vec<_>>())
        };
        let callers: Vec<String> = SERVICES
            .iter()
            .flat_map(|service| (0..LINES).map(move |line| format!("src/handler/{service}.ts:{line}")))
            .collect();
        let dictionaries = [
            list(&SERVICES),
            numbered("host", HOSTS),
            list(&REGIONS),
            list(&ENVS),
            numbered("pod", PODS),
            list(&LEVELS),
            list(&METHODS),
            list(&PATHS),
            list(&CLASSES),
            list(&AGENTS),
            Dictionary::new(&callers),
        ];
        Self {
            dictionaries,
            keys: Default::default(),
            texts: Default::default(),
            latency: Vec::new(),
            bytes: Default::default(),
            flags: Default::default(),
            times: Vec::new(),
        }
    }

    /// Forgets the rows of before.
    pub(crate) fn clear(&mut self) {
        self.keys.iter_mut().for_each(Vec::clear);
        self.latency.clear();
        self.bytes.iter_mut().for_each(Vec::clear);
        self.flags.iter_mut().for_each(Vec::clear);
        self.times.clear();
    }

    /// Adds a row, which is number `number` of the dataset; `time` is in milliseconds.
    pub(crate) fn push(&mut self, number: u64, row: &Row, time: i64) {
        let keys = [
            row.service,
            row.host,
            row.region,
            row.env,
            row.pod,
            row.level,
            row.method,
            row.path,
            row.class,
            row.agent,
            row.service * LINES + row.line,
        ];
        self.keys.iter_mut().zip(keys).for_each(|(column, key)| column.push(key));
        let at = self.times.len();
        let [message, trace, span, ip] = self.texts.each_mut().map(|column| text(column, at));
        message.push_str("request ");
        push_decimal(message, number);
        message.push_str(" handled via ");
        message.push_str(PATHS[row.path as usize]);
        row.trace.iter().for_each(|half| push_hex(trace, *half));
        push_hex(span, row.span);
        ip.push_str("10");
        for shift in [16, 8, 0] {
            ip.push('.');
            push_decimal(ip, (row.ip >> shift & 255).into());
        }
        self.latency.push(row.latency_ms);
        self.bytes[0].push(row.bytes_in);
        self.bytes[1].push(row.bytes_out);
        self.flags[0].push(row.is_error());
        self.flags[1].push(row.retry);
        self.times.push(time);
    }

    /// Appends all rows to a batch.
    pub(crate) fn append(&self, into: &BatchBuilder) {
        for ((column, dictionary), keys) in KEYED.into_iter().zip(&self.dictionaries).zip(&self.keys) {
            into.append_keys(column, dictionary, keys);
        }
        for (column, texts) in TEXTS.into_iter().zip(&self.texts) {
            into.append_strings(column, &texts[..self.times.len()]);
        }
        into.append_float64s(LATENCY, &self.latency);
        for (column, bytes) in BYTES.into_iter().zip(&self.bytes) {
            into.append_int64s(column, bytes);
        }
        for (column, flags) in FLAGS.into_iter().zip(&self.flags) {
            into.append_booleans(column, flags);
        }
        into.append_timestamps(&self.times);
        into.append_int64s(INGEST, &self.times);
    }
}

/// The text at `at`, empty; the room that it had is kept.
fn text(column: &mut Vec<String>, at: usize) -> &mut String {
    if at >= column.len() {
        column.resize_with(at + 1, String::new);
    }
    let text = &mut column[at];
    text.clear();
    text
}
