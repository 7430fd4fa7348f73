//! What tells rows apart: the tags and the time of each, as one number.
//!
//! Keys are 128 bits of a hash, so that millions of rows need no copy of their tags. That two different keys of a hundred million rows
//! meet has a chance of one in 10^22.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Int64Type};
use arrow::row::{RowConverter, SortField};

use super::conform::Chunk;
use super::error::StoreError;
use super::schema::{Semantic, TableSchema};

/// Odd numbers without a pattern, two to a lane: digits of the square roots of 2, 3, 5 and 7.
const LANES: [[u64; 2]; 2] =
    [[0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b], [0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1]];

/// The key of each row. A tag that is NULL counts as one that is not there, so a tag that is added later changes no key.
///
/// # Errors
///
/// A type that has no order, and so cannot be a tag.
pub(super) fn keys(chunk: &Chunk, schema: &TableSchema) -> Result<Vec<u128>, StoreError> {
    let mut lanes = vec![[LANES[0][0], LANES[1][0]]; chunk.rows];
    for (position, (array, column)) in chunk.columns.iter().zip(&schema.columns).enumerate() {
        match column.semantic {
            Semantic::Field => {}
            Semantic::Timestamp => {
                let times = arrow::compute::cast(array, &DataType::Int64)?;
                for (lanes, time) in lanes.iter_mut().zip(times.as_primitive::<Int64Type>().values()) {
                    mix(lanes, *time as u64, u64::MAX);
                }
            }
            Semantic::Tag if array.null_count() == array.len() => {}
            Semantic::Tag => tag(array, position as u64, &mut lanes)?,
        }
    }
    Ok(lanes.into_iter().map(|[high, low]| (u128::from(high) << 64) | u128::from(low)).collect())
}

/// Mixes a tag into the keys.
fn tag(array: &dyn Array, position: u64, lanes: &mut [[u64; 2]]) -> Result<(), StoreError> {
    if let Some(strings) = array.as_string_opt::<i32>() {
        for (lanes, text) in lanes.iter_mut().zip(strings) {
            if let Some(text) = text {
                bytes(lanes, position, text.as_bytes());
            }
        }
        return Ok(());
    }
    let invalid = |e: arrow::error::ArrowError| StoreError::invalid(format!("this type cannot be a tag: {e}"));
    let converter = RowConverter::new(vec![SortField::new(array.data_type().clone())]).map_err(invalid)?;
    let rows = converter.convert_columns(&[arrow::array::make_array(array.to_data())]).map_err(invalid)?;
    for (row, lanes) in lanes.iter_mut().enumerate() {
        if array.is_valid(row) {
            bytes(lanes, position, rows.row(row).data());
        }
    }
    Ok(())
}

/// Mixes the tag at `position` into a key, with its length, so that no two neighbours can be taken for two others.
fn bytes(lanes: &mut [u64; 2], position: u64, text: &[u8]) {
    mix(lanes, position, text.len() as u64);
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        mix(lanes, u64::from_le_bytes(*word), 0);
    }
    if !rest.is_empty() {
        let last = rest.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        mix(lanes, last, 1);
    }
}

/// Mixes two words into both lanes: the halves of a product, one over the other.
fn mix(lanes: &mut [u64; 2], a: u64, b: u64) {
    for (lane, [first, second]) in lanes.iter_mut().zip(LANES) {
        let product = u128::from(*lane ^ a ^ first) * u128::from(b.rotate_left(32) ^ second);
        *lane = (product as u64) ^ ((product >> 64) as u64) ^ lane.rotate_left(23).wrapping_mul(second);
    }
}
