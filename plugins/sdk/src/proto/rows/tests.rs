//! Rows must be what a reader of fields finds again, whatever the types and sizes.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::proto::read::{Value, fields};

fn frame() -> Frame {
    Frame { layers: vec![vec![0x0a]], leaf: vec![0x6a] }
}

fn deep(key: usize) -> Frame {
    let mut inner = vec![0x0a, key as u8];
    inner.extend(vec![b'k'; key]);
    inner.push(0x12);
    Frame { layers: vec![vec![0x32], inner], leaf: vec![0x0a] }
}

fn rows(cells: &[Cells], count: usize) -> Vec<Vec<u8>> {
    let rows = Rows::new(&[0x12], cells, count);
    let all = rows.behind(b"").unwrap();
    assert_eq!(all.len() as u64, rows.size());
    fields(&all).unwrap().into_iter().map(|(_, row)| row.as_bytes().unwrap().to_vec()).collect()
}

/// The texts of the values of a row.
fn texts(row: &[u8]) -> Vec<String> {
    let values = fields(row).unwrap().into_iter().map(|(_, value)| value.as_bytes().unwrap());
    values
        .map(|value| match fields(value).unwrap().as_slice() {
            [(13, Value::Bytes(text))] => String::from_utf8(text.to_vec()).unwrap(),
            [(number, value)] => format!("{number}={value:?}"),
            _ => "NULL".into(),
        })
        .collect()
}

#[test]
fn every_kind_of_cell_is_read_back() {
    let dictionary = ["".to_owned(), "a".repeat(15), "b".repeat(200)];
    let varint = Frame { layers: vec![vec![0x0a]], leaf: vec![0x88, 0x01] };
    let double = Frame { layers: vec![vec![0x0a]], leaf: vec![0x51] };
    let float = Frame { layers: vec![vec![0x0a]], leaf: vec![0x4d] };
    let boolean = Frame { layers: vec![vec![0x0a]], leaf: vec![0x58] };
    let cells = [
        Cells::keyed_texts(&frame(), &dictionary, vec![2, 0, 1]),
        Cells::varints(varint, vec![u64::MAX, 0, 300]).with_nulls(&[1], 3, &[0x0a, 0]),
        Cells::fixed64(&double, vec![1, 2, u64::MAX]),
        Cells::fixed32(&float, vec![7, 8, 9]),
        Cells::booleans(&boolean, &[true, false, true]),
        Cells::texts(frame(), vec!["x".into(), "y".repeat(130), "".into()]),
        Cells::keyed_texts(&frame(), &dictionary, vec![1, 1, 1]),
    ];
    let rows = rows(&cells, 3);
    let (a, b) = ("a".repeat(15), "b".repeat(200));
    let max = format!("10=Fixed64({})", u64::MAX);
    let ts = |value: &str| format!("17=Varint({value})");
    assert_eq!(
        texts(&rows[0]),
        [&b, &ts(&u64::MAX.to_string()), "10=Fixed64(1)", "9=Fixed32(7)", "11=Varint(1)", "x", &a]
    );
    assert_eq!(texts(&rows[1]), ["", "NULL", "10=Fixed64(2)", "9=Fixed32(8)", "11=Varint(0)", &"y".repeat(130), &a]);
    assert_eq!(texts(&rows[2]), [&a, &ts("300"), &max, "9=Fixed32(9)", "11=Varint(1)", "", &a]);
}

#[test]
fn layers_know_the_length_of_all_that_is_inside() {
    for key in [1, 100, 127] {
        for text in [0, 1, 100, 127, 128, 20_000] {
            let text = "t".repeat(text);
            let cells = [Cells::texts(deep(key), vec![text.clone()])];
            let rows = rows(&cells, 1);
            let (number, attribute) = fields(&rows[0]).unwrap()[0];
            let attribute = fields(attribute.as_bytes().unwrap()).unwrap();
            assert_eq!((number, attribute[0].1.as_bytes().unwrap().len()), (6, key));
            let value = fields(attribute[1].1.as_bytes().unwrap()).unwrap();
            assert_eq!(value, [(1, Value::Bytes(text.as_bytes()))]);
        }
    }
}

#[test]
fn a_key_that_is_out_of_the_dictionary_writes_nothing() {
    let cells = [Cells::keyed_texts(&frame(), &["a".to_owned()], vec![0, 1])];
    assert_eq!(rows(&cells, 2)[1], b"");
}

#[test]
fn ready_fields_are_copied() {
    let cells = [Cells::ready(&[vec![0x10, 9], vec![]], vec![0, 1, 0])];
    assert_eq!(rows(&cells, 3), [vec![0x10, 9], vec![], vec![0x10, 9]]);
}

#[test]
fn no_rows_are_no_bytes() {
    assert_eq!(Rows::new(&[0x12], &[], 0).behind(b"head").unwrap(), b"head");
    assert_eq!(rows(&[Cells::texts(frame(), vec![])], 5).len(), 0);
}
