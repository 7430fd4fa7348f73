//! Which rows a run wrote, in 32 hex digits.
//!
//! Each row is hashed with its position, its table and all its values, and the hashes are added up: neither the size nor
//! the order of batches changes the sum, while any other value, NULL, name, type or position does. It is made to tell
//! datasets apart, not to withstand someone who forges one.

use std::fmt;

use arrow_buffer::ArrowNativeType;

use crate::batch::Batch;
use crate::column::{Stored, Values};
use crate::table::Table;

/// Rows that are hashed together: their sums stay in the first-level cache.
const BLOCK: usize = 256;

/// The fingerprint of the rows added so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fingerprint {
    sum: u128,
}

impl Fingerprint {
    /// The fingerprint of no rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the rows of a batch. A row added twice counts twice.
    pub fn add(&mut self, batch: &Batch) {
        let table = table_hash(batch.table());
        let rows = batch.rows() as usize;
        let mut sums = [0_u128; BLOCK];
        for start in (0..rows).step_by(BLOCK) {
            let block = &mut sums[..BLOCK.min(rows - start)];
            for (sum, row) in block.iter_mut().zip(batch.first_row() + start as u64..) {
                *sum = table.wrapping_add(product(row, ROW_KEY));
            }
            for (index, column) in batch.columns().iter().enumerate() {
                add_column(block, column, start, ColumnKeys::new(index));
            }
            for sum in block {
                self.sum = self.sum.wrapping_add(scattered(*sum));
            }
        }
    }

    /// Adds what another fingerprint has seen: of another worker, for instance.
    pub fn merge(&mut self, other: &Self) {
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// 32 hex digits.
    pub fn to_hex(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.sum)
    }
}

/// Odd numbers without a pattern (the fractions of the square roots of 2, 3, 5 and 7).
const ROW_KEY: u64 = 0x6a09_e667_f3bc_c909;
const COLUMN_KEY: u64 = 0xbb67_ae85_84ca_a73b;
const TEXT_KEY: u64 = 0x3c6e_f372_fe94_f82b;
const LENGTH_KEY: u64 = 0xa54f_f53a_5f1d_36f1;

/// What the values of one column are multiplied by, and what a NULL counts as.
#[derive(Clone, Copy)]
struct ColumnKeys {
    value: u64,
    offset: u64,
    null: u128,
}

impl ColumnKeys {
    fn new(index: usize) -> Self {
        let seed = COLUMN_KEY.wrapping_mul(index as u64 + 1);
        let value = mixed(seed) | 1;
        let (high, low) = (mixed(seed ^ TEXT_KEY), mixed(seed ^ LENGTH_KEY));
        Self { value, offset: mixed(seed ^ ROW_KEY), null: u128::from(high) << 64 | u128::from(low) }
    }
}

fn add_column(sums: &mut [u128], column: &Stored, start: usize, keys: ColumnKeys) {
    match &column.values {
        Values::Boolean(values) => add(sums, keys, |row| u64::from(values.value(start + row))),
        Values::Int8(values) => add_signed(sums, keys, &values[start..]),
        Values::Int16(values) => add_signed(sums, keys, &values[start..]),
        Values::Int32(values) | Values::Date32(values) => add_signed(sums, keys, &values[start..]),
        Values::Int64(values) | Values::Timestamp(values, _) => add_signed(sums, keys, &values[start..]),
        Values::UInt8(values) => add_all(sums, keys, &values[start..], |value| u64::from(*value)),
        Values::UInt16(values) => add_all(sums, keys, &values[start..], |value| u64::from(*value)),
        Values::UInt32(values) => add_all(sums, keys, &values[start..], |value| u64::from(*value)),
        Values::UInt64(values) => add_all(sums, keys, &values[start..], |value| *value),
        Values::Float32(values) => add_all(sums, keys, &values[start..], |value| u64::from(value.to_bits())),
        Values::Float64(values) => add_all(sums, keys, &values[start..], |value| value.to_bits()),
        Values::Keys(indices, dictionary) => {
            let hashes = dictionary.hashes(text_hash);
            if column.nulls.is_some() {
                // A NULL's key names any value or none.
                let word = |row: usize| if column.is_null(row) { 0 } else { hashes[indices[row] as usize] };
                add(sums, keys, |row| word(start + row));
            } else {
                add_all(sums, keys, &indices[start..], |key| hashes[*key as usize]);
            }
        }
        Values::Strings(values) => {
            let word = |row: usize| if column.is_null(row) { 0 } else { text_hash(values.value(row)) };
            add(sums, keys, |row| word(start + row));
        }
        Values::Missing => add(sums, keys, |_| 0),
    }
    for (row, sum) in sums.iter_mut().enumerate() {
        if column.nulls.is_none() {
            break;
        }
        if column.is_null(start + row) {
            *sum = sum.wrapping_add(keys.null);
        }
    }
}

#[inline(always)]
fn add_signed<T: ArrowNativeType + Into<i64>>(sums: &mut [u128], keys: ColumnKeys, values: &[T]) {
    add_all(sums, keys, values, |value| (*value).into() as u64);
}

#[inline(always)]
fn add_all<T>(sums: &mut [u128], keys: ColumnKeys, values: &[T], word: impl Fn(&T) -> u64) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.wrapping_add(product(word(value).wrapping_add(keys.offset), keys.value));
    }
}

fn add(sums: &mut [u128], keys: ColumnKeys, word: impl Fn(usize) -> u64) {
    for (row, sum) in sums.iter_mut().enumerate() {
        *sum = sum.wrapping_add(product(word(row).wrapping_add(keys.offset), keys.value));
    }
}

#[inline(always)]
fn product(left: u64, right: u64) -> u128 {
    u128::from(left) * u128::from(right)
}

/// Name, columns and types, cut so that no two tables read the same.
fn table_hash(table: &Table) -> u128 {
    let mut text = String::new();
    let mut push = |part: &str| {
        text.push_str(&part.len().to_string());
        text.push(':');
        text.push_str(part);
    };
    push(table.name());
    for column in table.columns() {
        push(&column.name);
        push(column.semantic.as_str());
        push(column.data_type.as_str());
        push(if column.nullable { "nullable" } else { "required" });
    }
    let hash = text_hash(&text);
    u128::from(hash) << 64 | u128::from(mixed(hash ^ COLUMN_KEY))
}

/// Sixteen bytes a step, each folded in by a full product.
fn text_hash(text: &str) -> u64 {
    let mut hash = product(text.len() as u64 ^ LENGTH_KEY, TEXT_KEY);
    for chunk in text.as_bytes().chunks(16) {
        let mut bytes = [0; 16];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let word = u128::from_le_bytes(bytes) ^ hash;
        hash = product(word as u64 ^ TEXT_KEY, (word >> 64) as u64 ^ ROW_KEY).wrapping_add(word.rotate_left(64));
    }
    let folded = scattered(hash);
    folded as u64 ^ (folded >> 64) as u64
}

/// Makes every bit of the result depend on every bit of the argument; no two arguments become the same.
#[inline(always)]
fn scattered(value: u128) -> u128 {
    let (low, high) = (value as u64, (value >> 64) as u64);
    let high = high ^ mixed(low);
    let low = low.wrapping_add(mixed(high));
    u128::from(high) << 64 | u128::from(low)
}

/// The same for 64 bits: shifts and odd factors, each of which can be undone.
#[inline(always)]
fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(COLUMN_KEY);
    let value = (value ^ value >> 29).wrapping_mul(LENGTH_KEY);
    value ^ value >> 32
}
