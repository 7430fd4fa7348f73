//! Whatever a guest does in whichever export ends that session, with the call named.

use benchhost_core::{Target, Targets};

use crate::common::{batch, crash, wait};
use crate::lab::{bounded, call, dies, guest, lab, payload, refused, targets};

macro_rules! everywhere {
    ($($deed:ident, $words:literal: $($name:ident $export:literal),+;)*) => {
        $($(#[test]
        fn $name() {
            let died = dies(concat!(stringify!($deed), "@", $export), $export);
            assert!(died.reason.contains($words), "{died}");
        })+)*
    };
}

everywhere! {
    loop, "it computed for 1s without returning":
        hostile_loop_in_open "session.open", hostile_loop_in_server "session.server",
        hostile_loop_in_create_table "session.create-table", hostile_loop_in_drop_table "session.drop-table",
        hostile_loop_in_count_rows "session.count-rows", hostile_loop_in_encode "ingest.encode",
        hostile_loop_in_send "ingest.send", hostile_loop_in_finish "streaming.finish";
    panic, "it panicked: out of cheese":
        hostile_panic_in_open "session.open", hostile_panic_in_server "session.server",
        hostile_panic_in_create_table "session.create-table", hostile_panic_in_drop_table "session.drop-table",
        hostile_panic_in_count_rows "session.count-rows", hostile_panic_in_encode "ingest.encode",
        hostile_panic_in_send "ingest.send", hostile_panic_in_finish "streaming.finish";
    exit, "it called exit: a plugin must return":
        hostile_exit_in_open "session.open", hostile_exit_in_send "ingest.send";
    recurse, "its call stack is exhausted":
        hostile_recursion_in_open "session.open", hostile_recursion_in_encode "ingest.encode";
}

#[test]
fn hostile_loop_in_describe() {
    assert!(refused("loop@about.describe").contains("about.describe"), "{}", refused("loop@about.describe"));
}

#[test]
fn hostile_panic_in_describe() {
    assert!(refused("panic@about.describe").contains("it panicked: out of cheese"));
}

#[test]
fn hostile_exit_in_describe() {
    assert!(refused("exit@about.describe").contains("it called exit"));
}

fn closes(behaviour: &'static str) {
    bounded(move || {
        let sandbox = lab();
        let targets = targets(&sandbox, behaviour, "", &[]);
        wait(async {
            let mut session = targets.open(0).await.unwrap();
            session.close().await;
            assert_eq!(crash(call(&mut session, "ingest.send").await).call, "session.close");
        });
    });
}

#[test]
fn hostile_loop_in_close() {
    closes("loop@session.close");
}

#[test]
fn hostile_panic_in_close() {
    closes("panic@session.close");
}

#[test]
fn hostile_neighbours_results_stay_right() {
    bounded(|| {
        let sandbox = lab();
        let honest = targets(&sandbox, "none", "", &[]);
        let attackers: Vec<_> = ["panic@ingest.send", "memory by and by", "handle stale", "list of 4 GiB"]
            .map(|behaviour| targets(&sandbox, behaviour, "", &[]))
            .into();
        wait(async {
            let mut neighbour = honest.open(0).await.unwrap();
            for round in 0..5 {
                for attacker in &attackers {
                    let mut dying = attacker.open(1 + round).await.unwrap();
                    let (payload, batch) = (payload(), batch(4));
                    let (death, life) = tokio::join!(dying.send(&payload), neighbour.encode(&batch));
                    crash(death);
                    let encoded = life.unwrap();
                    assert_eq!((encoded.bytes().as_ref(), encoded.rows()), (b"6".as_slice(), 4));
                    assert_eq!(neighbour.send(&encoded).await.unwrap().rows, Some(4));
                }
            }
        });
    });
    assert!(guest("hostile", "none").is_file());
}
