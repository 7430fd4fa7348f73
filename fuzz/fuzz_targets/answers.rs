//! What a server answers: gRPC messages in any pieces, protobuf, and the replies that plugins read.

#![no_main]
#![allow(dead_code, unreachable_pub, reason = "modules of other packages, of which this needs the decoders")]

#[path = "../../host/net/src/grpc"]
mod grpc {
    pub(crate) mod compression;
    pub(crate) mod deframe;
}
/// What the decoders say when they refuse; the transport's own has more cases.
mod failure {
    #[derive(Debug)]
    pub(crate) enum Failure {
        NotGrpc(String),
        TooLarge,
    }
}
#[path = "../../host/authoring/templates/rust/target/src/influx.rs"]
mod influx;
#[path = "../../examples/plugins/redis-rust/src/resp.rs"]
mod resp;

use benchhost_plugin::proto::read as proto;
use grpc::compression::MessageCompression;
use grpc::deframe::Deframer;
use libfuzzer_sys::fuzz_target;

/// The longest message that is taken: nothing that is unpacked may be longer.
const LIMIT: usize = 1 << 16;

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind % 6 {
        packed @ 0..=2 => {
            let encoding = [None, Some(MessageCompression::Gzip), Some(MessageCompression::Zstd)][usize::from(packed)];
            let (size, rest) = rest.split_first().unwrap_or((&1, &[]));
            messages(encoding, usize::from(*size).max(1), rest);
        }
        3 => {
            if let Ok(fields) = proto::fields(rest) {
                for (number, _) in fields {
                    assert!(number > 0 && proto::field(rest, number).is_ok_and(|found| found.is_some()));
                }
            }
        }
        4 => drop(resp::parse(rest)),
        _ => drop(influx::count(&String::from_utf8_lossy(rest))),
    }
});

/// The same messages whatever the pieces that they come in.
fn messages(encoding: Option<MessageCompression>, piece: usize, bytes: &[u8]) {
    let read = |size: usize| {
        let mut deframer = Deframer::new(LIMIT, encoding);
        let mut all = Vec::new();
        for piece in bytes.chunks(size) {
            deframer.push(piece);
            loop {
                match deframer.next() {
                    Ok(Some(message)) => all.push(message),
                    Ok(None) => break,
                    Err(_) => return (all, true),
                }
            }
        }
        (all, false)
    };
    let pieces = read(piece);
    assert!(pieces.0.iter().all(|message| message.len() <= LIMIT));
    assert_eq!(pieces, read(bytes.len().max(1)));
}
