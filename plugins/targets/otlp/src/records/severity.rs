//! The severity of a record: a number that OTLP gives to the usual words, and the word itself.

use std::collections::HashMap;

use benchhost_plugin::Batch;
use benchhost_plugin::proto::Message;
use benchhost_plugin::proto::rows::Cells;

/// The word of records without a severity column.
pub(crate) const INFO: &str = "INFO";

/// `LogRecord.severity_number` and `LogRecord.severity_text`, as fields. A word that OTLP does not know has no number.
pub(crate) fn field(word: &str) -> Vec<u8> {
    let mut record = Message::new();
    if let Some(number) = number(word) {
        record = record.varint(2, number);
    }
    if !word.is_empty() {
        record = record.text(3, word);
    }
    record.into_bytes()
}

/// The severities of a text column. There are few words, however many rows.
pub(crate) fn cells(batch: &Batch, at: u32) -> Cells {
    let mut words: HashMap<String, u32> = HashMap::new();
    let mut fields = Vec::new();
    let keys = batch.strings(at).into_iter().map(|word| match words.get(&word) {
        Some(key) => *key,
        None => {
            let key = fields.len() as u32;
            fields.push(field(&word));
            words.insert(word, key);
            key
        }
    });
    let keys = keys.collect();
    // NULL is an empty text, and so has no field.
    Cells::ready(&fields, keys)
}

/// `SeverityNumber`: the lowest of the four of a word.
fn number(word: &str) -> Option<u64> {
    match word.to_ascii_uppercase().as_str() {
        "TRACE" => Some(1),
        "DEBUG" => Some(5),
        "INFO" => Some(9),
        "WARN" | "WARNING" => Some(13),
        "ERROR" => Some(17),
        "FATAL" => Some(21),
        _ => None,
    }
}
