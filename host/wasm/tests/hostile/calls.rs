//! Memory, handles, lies across the ABI, and time.

use std::time::Duration;

use benchhost_core::{ErrorKind, StopLevel, Target, Targets};

use crate::common::{Sandbox, crash, error, wait};
use crate::lab::{bounded, dies, lab, payload, secret_is_kept, targets};

macro_rules! ends {
    ($($name:ident: $behaviour:literal in $export:literal, $words:literal;)*) => {
        $(#[test]
        fn $name() {
            let died = dies($behaviour, $export);
            assert!(died.reason.contains($words), "{died}");
        })*
    };
}

ends! {
    hostile_memory_by_and_by: "memory by and by" in "ingest.send", "its memory limit of 24 MiB was reached";
    hostile_memory_at_once: "memory at once" in "ingest.send", "its memory limit of 24 MiB was reached";
    hostile_payloads_kept: "payloads kept" in "ingest.send", "it holds more than 24 MiB of payloads";
    hostile_handles_kept: "handles kept" in "ingest.send", "it holds 600 handles, which is the limit";
    hostile_pollables_kept: "pollables kept" in "ingest.send", "handles";
    hostile_list_out_of_memory: "list out of memory" in "ingest.send", "list pointer/length out of bounds of memory";
    hostile_list_of_4_gib: "list of 4 GiB" in "ingest.send", "list pointer/length out of bounds of memory";
    hostile_list_too_large: "list too large" in "ingest.send", "it handed the host more than 1 MiB in one call";
    hostile_result_out_of_memory: "result out of memory" in "ingest.send", "pointer out of bounds";
    hostile_handle_stale: "handle stale" in "ingest.send", "handle";
    hostile_handle_dropped_twice: "handle dropped twice" in "ingest.send", "handle";
    hostile_handle_foreign: "handle foreign" in "ingest.send", "handle";
    hostile_handle_zero: "handle zero" in "ingest.send", "handle";
    hostile_handle_of_another_type: "handle of another type" in "ingest.send", "handle";
    hostile_loan_dropped_twice: "loan dropped twice" in "ingest.send", "handle";
    hostile_batch_kept: "batch kept" in "ingest.send", "handle";
    hostile_batch_dropped_twice: "batch dropped twice" in "ingest.encode", "handle";
    hostile_utf8_broken: "utf-8 broken" in "ingest.send", "utf-8";
    hostile_text_out_of_memory: "text out of memory" in "ingest.send", "string pointer/length out of bounds of memory";
    hostile_level_unknown: "level unknown" in "ingest.send", "unexpected discriminant: 99";
    hostile_precision_unknown: "precision unknown" in "ingest.send", "unexpected discriminant: 77";
    hostile_kind_unknown: "kind unknown" in "ingest.send", "unexpected discriminant: 99";
    hostile_poll_of_thousands: "poll of thousands" in "ingest.send", "handles";
    hostile_poll_of_nothing: "poll of nothing" in "ingest.send", "empty";
    hostile_random_at_once: "random at once" in "ingest.send", "requested len 18446744073709551615 exceeds limit 67108864";
    hostile_random_flood: "random flood" in "ingest.send", "its memory limit of 24 MiB was reached";
    hostile_clock_flood: "clock flood" in "ingest.send", "it computed for 1s without returning";
    hostile_float64s_of_no_column: "float64s of no column" in "ingest.encode", "batch.float64s: table `t` has no column";
    hostile_float64s_of_text: "float64s of text" in "ingest.encode", "batch.float64s: column `host`";
    hostile_int64s_of_float64: "int64s of float64" in "ingest.encode", "batch.int64s: column `value`";
    hostile_uint64s_of_float64: "uint64s of float64" in "ingest.encode", "batch.uint64s: column `value`";
    hostile_booleans_of_float64: "booleans of float64" in "ingest.encode", "batch.booleans: column `value`";
    hostile_dictionary_of_float64: "dictionary of float64" in "ingest.encode", "batch.dictionary: column `value`";
    hostile_keys_of_float64: "keys of float64" in "ingest.encode", "batch.keys: column `value`";
    hostile_strings_of_float64: "strings of float64" in "ingest.encode", "batch.strings: column `value`";
    hostile_nulls_of_no_column: "nulls of no column" in "ingest.encode", "batch.nulls: table `t` has no column 99";
    hostile_rows_too_many: "rows too many" in "ingest.encode", "but the batch has 3";
    hostile_rows_too_few: "rows too few" in "ingest.encode", "but the batch has 3";
    hostile_panic_with_the_secret: "panic with the secret" in "ingest.send", "it panicked: it was ***";
}

#[test]
fn hostile_sleep_for_ever() {
    bounded(|| {
        let sandbox = lab();
        let targets = targets(&sandbox, "sleep for ever", "", &[]);
        let died = wait(async {
            let mut session = targets.open(0).await.unwrap();
            let payload = payload();
            let cancel = async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                sandbox.stop.raise(StopLevel::Cancelled);
            };
            tokio::join!(session.send(&payload), cancel).0
        });
        assert!(crash(died).reason.contains("it slept when the run was stopped"));
    });
}

#[test]
fn hostile_error_huge() {
    bounded(|| {
        let sandbox = Sandbox::new();
        // With room to hand the error over; with less it is a crash, as of any list that is too large.
        let told = error(wait(async {
            targets(&sandbox, "error huge", "", &[]).open(0).await.unwrap().send(&payload()).await
        }));
        assert!(told.message.len() <= 8 * 1024 + 3 && told.code.unwrap().len() <= 128 + 3);
        assert!(!told.message.contains('\u{1b}'));
    });
}

#[test]
fn hostile_error_of_all_numbers() {
    bounded(|| {
        let sandbox = lab();
        let told = error(wait(async {
            targets(&sandbox, "error of all numbers", "", &[]).open(0).await.unwrap().send(&payload()).await
        }));
        assert_eq!((told.kind, told.rows_accepted), (ErrorKind::Internal, Some(u64::MAX)));
        assert_eq!(told.retry_after, Some(Duration::from_millis(u64::MAX)));
    });
}

#[test]
fn hostile_error_with_the_secret() {
    bounded(|| {
        let sandbox = lab();
        let told = error(wait(async {
            targets(&sandbox, "error with the secret", "", &[]).open(0).await.unwrap().send(&payload()).await
        }));
        assert_eq!((told.message.as_str(), told.code.as_deref()), ("refused ***", Some("***")));
        secret_is_kept(&sandbox, &format!("{told:?}"));
    });
}

#[test]
fn hostile_ack_of_all_numbers() {
    bounded(|| {
        let sandbox = lab();
        let ack = wait(async {
            targets(&sandbox, "ack of all numbers", "", &[]).open(0).await.unwrap().send(&payload()).await.unwrap()
        });
        // Whoever counts rows takes no more than were sent.
        assert_eq!((ack.rows, ack.server_time), (Some(u64::MAX), Some(Duration::from_nanos(u64::MAX))));
    });
}
