//! Whatever a guest does wrong ends in plain words, in its own session and in no other.

use std::time::Duration;

use crate::common::{Sandbox, batch, crash, error, wait};
use benchhost_core::{ErrorKind, StopLevel, Target, Targets};
use benchhost_data::Payload;

fn payload() -> Payload {
    Payload::new(b"hello".to_vec(), 1)
}

/// How a session dies that does this in `send`.
fn dies(sandbox: &Sandbox, does: &str) -> benchhost_core::Crash {
    let mut session = sandbox.session(&[("does", does)]);
    crash(wait(session.send(&payload())))
}

#[test]
fn a_guest_that_never_returns_is_interrupted_with_its_time_named() {
    let sandbox = Sandbox::with(|options| options.guest_time = Duration::from_millis(60));
    let crash = dies(&sandbox, "loop");
    assert!(crash.reason.starts_with("it computed for 60ms without returning"), "{crash}");
    assert_eq!(crash.call, "ingest.send");
    assert!(crash.plugin.starts_with("misbehave 0."), "{crash}");
}

#[test]
fn time_asleep_is_not_time_computed() {
    let sandbox = Sandbox::with(|options| options.guest_time = Duration::from_millis(60));
    let mut session = sandbox.session(&[("does", "sleep")]);
    wait(session.send(&payload())).unwrap();
}

#[test]
fn a_guest_that_sleeps_is_ended_by_a_cancelled_run() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "sleep-forever")]);
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        sandbox.stop.raise(StopLevel::Cancelled);
    };
    let payload = payload();
    let (outcome, ()) = wait(async { tokio::join!(session.send(&payload), cancel) });
    assert!(crash(outcome).reason.contains("it slept when the run was stopped"));
}

#[test]
fn the_memory_limit_is_named_where_it_was_reached() {
    let sandbox = Sandbox::with(|options| options.memory_bytes = 16 << 20);
    let crash = dies(&sandbox, "grow");
    assert!(crash.reason.contains("its memory limit of 16 MiB was reached"), "{crash}");
}

#[test]
fn a_list_that_is_too_large_to_hand_over_is_refused() {
    let sandbox = Sandbox::with(|options| options.hostcall_bytes = 1 << 20);
    let crash = dies(&sandbox, "huge");
    assert!(crash.reason.contains("it handed the host more than 1 MiB in one call"), "{crash}");
}

#[test]
fn payloads_that_are_kept_count_against_the_memory_limit() {
    let sandbox = Sandbox::with(|options| options.memory_bytes = 8 << 20);
    let crash = dies(&sandbox, "hoard");
    assert!(crash.reason.contains("it holds more than 8 MiB of payloads"), "{crash}");
}

#[test]
fn handles_have_a_limit() {
    let sandbox = Sandbox::with(|options| options.handles = 50);
    let mut session = sandbox.session(&[("does", "leak")]);
    let crash = wait(async {
        loop {
            if let Err(benchhost_core::CallError::Crash(crash)) = session.send(&payload()).await {
                return crash;
            }
        }
    });
    assert!(crash.reason.contains("it holds 50 handles, which is the limit"), "{crash}");
}

#[test]
fn a_leak_of_handles_is_said_once_before_it_kills() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "leak")]);
    wait(async {
        for _ in 0..2_000 {
            session.send(&payload()).await.unwrap();
        }
    });
    let warnings: Vec<String> = sandbox.texts().into_iter().filter(|text| text.contains("leaks")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("handles in each call of `ingest.send`"), "{warnings:?}");
}

#[test]
fn a_recursion_without_end_is_an_ordinary_death() {
    let crash = dies(&Sandbox::new(), "recurse");
    assert!(crash.reason.contains("its call stack is exhausted"), "{crash}");
    assert!(crash.reason.ends_with("(in `misbehave::recurse`)"), "{crash}");
}

#[test]
fn a_panic_is_told_in_its_own_words() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "panic"), ("token", "s3cret-t0ken")]);
    let crash = crash(wait(session.send(&payload())));
    assert!(crash.reason.starts_with("it panicked: out of cheese, token *** (at "), "{crash}");
    assert!(crash.stderr.contains("out of cheese"), "{crash}");
    assert!(!format!("{crash:?}").contains("s3cret"), "{crash:?}");
    assert!(!sandbox.texts().iter().any(|text| text.contains("s3cret")));
}

#[test]
fn a_panic_while_opening_is_a_crash_of_open() {
    let sandbox = Sandbox::new();
    let crash = crash(wait(sandbox.misbehave(&[("does", "panic-in-open")]).open(3)));
    assert_eq!(crash.call, "session.open");
    assert!(crash.reason.contains("no session for you"), "{crash}");
}

#[test]
fn a_refusal_to_open_is_an_error_and_no_crash() {
    let refused = error(wait(Sandbox::new().misbehave(&[("does", "refuse")]).open(0)));
    assert_eq!(refused.kind, ErrorKind::Invalid);
    assert_eq!(refused.message, "the settings contradict each other");
}

#[test]
fn exit_is_not_for_plugins() {
    let crash = dies(&Sandbox::new(), "exit");
    assert!(crash.reason.starts_with("it called exit: a plugin must return"), "{crash}");
}

#[test]
fn a_column_that_is_not_there_names_the_call_and_the_table() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "column")]);
    let died = crash(wait(session.encode(&batch(3))));
    assert!(died.reason.starts_with("batch.float64s: table `t` has no column 99: it has 3"), "{died}");
    assert_eq!(died.call, "ingest.encode");
}

#[test]
fn a_getter_of_another_type_names_the_column() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "type")]);
    let batch = {
        // Column 0 of this one is no text.
        let hosts = benchhost_data::Table::new("u", crate::common::table().columns()[1..].to_vec()).unwrap();
        let mut builder = benchhost_data::BatchBuilder::new(hosts.into(), 0, 1);
        builder.append_float64s(0, vec![1.0]).unwrap();
        builder.append_timestamps(vec![1]).unwrap();
        std::sync::Arc::new(builder.finish().unwrap())
    };
    let died = crash(wait(session.encode(&batch)));
    assert!(died.reason.starts_with("batch.keys: column `value` of table `u` is float64"), "{died}");
}

#[test]
fn a_payload_of_other_rows_than_its_batch_is_a_crash_of_encode() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "miscount")]);
    let died = crash(wait(session.encode(&batch(3))));
    assert_eq!(died.call, "ingest.encode");
    assert_eq!(died.reason, "its payload says that it holds 4 rows, but the batch has 3");
}

#[test]
fn a_dead_session_answers_every_call_with_its_death() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "panic")]);
    let first = crash(wait(session.send(&payload())));
    assert_eq!(crash(wait(session.send(&payload()))), first);
    assert_eq!(crash(wait(session.encode(&batch(1)))), first);
    assert_eq!(crash(wait(session.server())), first);
    wait(session.close());
}

#[test]
fn a_call_that_was_given_up_halfway_ends_the_session() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "sleep-forever")]);
    wait(async {
        let given_up = tokio::time::timeout(Duration::from_millis(20), session.send(&payload())).await;
        assert!(given_up.is_err());
        let died = crash(session.send(&payload()).await);
        assert_eq!(died.call, "ingest.send");
        assert!(died.reason.contains("given up halfway"), "{died}");
    });
}

#[test]
fn one_worker_dies_and_the_other_goes_on_and_a_new_one_can_be_opened() {
    let sandbox = Sandbox::new();
    let bad = sandbox.misbehave(&[("does", "panic")]);
    let good = sandbox.targets("null", &[], &[]);
    let payload = payload();
    wait(async {
        let mut healthy = good.open(0).await.unwrap();
        // More deaths than the pool has places: each gives its place back.
        for worker in 1..40 {
            let mut dying = bad.open(worker).await.unwrap();
            let (death, life) = tokio::join!(dying.send(&payload), healthy.send(&payload));
            crash(death);
            life.unwrap();
        }
    });
}

#[test]
fn reading_past_the_end_of_a_payload_gives_nothing() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "read-past")]);
    assert_eq!(wait(session.send(&payload())).unwrap().rows, Some(5));
}
