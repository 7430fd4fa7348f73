//! A stream of batches that is acknowledged at its end.

use benchhost_plugin::ErrorKind;
use benchhost_plugin::testing::GrpcAnswer;

use super::*;

const PATH: &str = "/greptime.v1.GreptimeDatabase/HandleRequests";

fn session(doors: &Doors) -> (Greptime, Payload) {
    let mut greptime = doors.session(&[("protocol", "stream")]);
    let payload = greptime.encode(&batch()).unwrap();
    (greptime, payload)
}

#[test]
fn batches_are_pending_until_the_stream_ends() {
    let doors = Doors::open();
    doors.grpc.on(PATH, |call| stored(2 * call.messages.len() as u8));
    let (mut greptime, payload) = session(&doors);
    for _ in 0..3 {
        assert_eq!(greptime.send(&payload).unwrap(), Ack::handed_over());
    }
    assert!(doors.grpc.calls().is_empty());
    assert_eq!(greptime.finish().unwrap(), Some(6));
    // The next batch opens a stream of its own.
    greptime.send(&payload).unwrap();
    assert_eq!(greptime.finish().unwrap(), Some(2));
    assert_eq!(doors.grpc.calls().iter().map(|call| call.messages.len()).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(greptime.finish().unwrap(), Some(0));
}

#[test]
fn a_stream_that_broke_says_why_and_is_opened_again() {
    let doors = Doors::open();
    doors.grpc.on(PATH, |call| stored(2 * call.messages.len() as u8));
    let refusal = GrpcAnswer::status(3, "column v expect type Float64").metadata("x-greptime-err-code", "1004");
    doors.grpc.end_streams_after(2, refusal);
    let (mut greptime, payload) = session(&doors);
    greptime.send(&payload).unwrap();
    greptime.send(&payload).unwrap();
    let error = greptime.send(&payload).unwrap_err();
    assert_eq!(error.message, "write: gRPC INVALID_ARGUMENT: column v expect type Float64");
    assert_eq!(error.code.as_deref(), Some("INVALID_ARGUMENT 1004"));
    doors.grpc.end_streams_normally();
    greptime.send(&payload).unwrap();
    let error = greptime.finish().unwrap_err();
    assert_eq!((error.kind, error.rows_accepted), (ErrorKind::Partial, Some(2)));
    assert!(error.message.starts_with("a stream broke with 4 rows handed over"), "{}", error.message);
    assert!(error.message.ends_with("column v expect type Float64"), "{}", error.message);
    // It is said once.
    greptime.send(&payload).unwrap();
    assert_eq!(greptime.finish().unwrap(), Some(2));
}

#[test]
fn a_refusal_at_the_end_is_the_error_of_the_end() {
    let doors = Doors::open();
    doors.grpc.answer(PATH, GrpcAnswer::status(13, "Internal error: 1003"));
    let (mut greptime, payload) = session(&doors);
    greptime.send(&payload).unwrap();
    let error = greptime.finish().unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (ErrorKind::Rejected, Some("INTERNAL")));
}

#[test]
fn other_protocols_have_nothing_to_finish() {
    for protocol in ["unary", "bulk"] {
        let error = Doors::open().session(&[("protocol", protocol)]).finish().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
    }
}
