//! A reader of Flight messages that shares nothing with the encoder: protobuf by hand, record batches by arrow-ipc.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;

/// Fields of a protobuf message that are bytes, and those that are numbers, in the order in which they stand.
#[derive(Debug, Default, PartialEq)]
pub struct Fields {
    pub bytes: Vec<(u64, Vec<u8>)>,
    pub numbers: Vec<(u64, u64)>,
}

pub fn fields(mut message: &[u8]) -> Fields {
    let mut fields = Fields::default();
    while !message.is_empty() {
        let key = number(&mut message);
        if key & 7 == 0 {
            fields.numbers.push((key >> 3, number(&mut message)));
        } else {
            assert_eq!(key & 7, 2);
            let (bytes, rest) = {
                let len = number(&mut message) as usize;
                message.split_at(len)
            };
            fields.bytes.push((key >> 3, bytes.to_vec()));
            message = rest;
        }
    }
    fields
}

fn number(rest: &mut &[u8]) -> u64 {
    let len = rest.iter().position(|byte| *byte < 0x80).unwrap() + 1;
    let value = rest[..len].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    assert!(len == 1 || rest[len - 1] != 0, "a number that is longer than need be");
    *rest = &rest[len..];
    value
}

/// Header and body of a message that holds these two fields and nothing else.
pub fn parts(message: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let Fields { bytes, numbers } = fields(message);
    assert!(numbers.is_empty());
    let [(2, header), (1000, body)] = <[_; 2]>::try_from(bytes).unwrap() else {
        panic!("other fields than header and body");
    };
    (header, body)
}

/// The stream that arrow-ipc reads: each header in its frame, with its body behind it.
pub fn stream(schema: &[u8], messages: &[&[u8]]) -> Vec<u8> {
    let mut stream = Vec::new();
    let mut push = |header: &[u8], body: &[u8]| {
        let padded = header.len().next_multiple_of(8);
        stream.extend([0xff; 4]);
        stream.extend((padded as u32).to_le_bytes());
        stream.extend(header);
        stream.resize(stream.len() + padded - header.len(), 0);
        stream.extend(body);
    };
    push(schema, &[]);
    for message in messages {
        let (header, body) = parts(message);
        push(&header, &body);
    }
    stream.extend([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    stream
}

pub fn read(schema: &[u8], messages: &[&[u8]]) -> Vec<RecordBatch> {
    let stream = stream(schema, messages);
    StreamReader::try_new(&stream[..], None).unwrap().collect::<Result<_, _>>().unwrap()
}
