//! Generators are believed nothing.

use crate::common::{Sandbox, crash, error, owned, wait};
use benchhost_core::{CallError, ErrorKind, Generator, Generators};
use benchhost_data::Batch;
use benchhost_wasm::{WasmError, WasmGenerators};

fn generators(sandbox: &Sandbox, does: &str, seed: u64) -> WasmGenerators {
    let plugin = sandbox.load("liar");
    let settings = plugin.schema().resolve(&owned(&[("does", does)])).unwrap();
    sandbox.host.generators(&plugin, &settings, seed).unwrap()
}

fn fill(does: &str, first_row: u64, rows: u32) -> Result<Batch, CallError> {
    let sandbox = Sandbox::new();
    wait(async { generators(&sandbox, does, 7).open().await?.fill(0, first_row, rows).await })
}

#[test]
fn honest_rows_become_a_batch() {
    let batch = fill("", 10, 4).unwrap();
    assert_eq!((batch.rows(), batch.first_row(), batch.table().name()), (4, 10, "t"));
    assert_eq!(batch.timestamps(), [10_000, 11_000, 12_000, 13_000]);
    assert_eq!(batch.strings(0).unwrap(), ["a", "b", "a", "b"]);
    assert_eq!(batch.float64s(1).unwrap().as_ref(), [13.0, 12.0, 11.0, 10.0]);
    assert_eq!(fill("null", 0, 2).unwrap().nulls(1).unwrap(), [0]);
}

#[test]
fn instances_share_their_tables_and_their_equal_dictionaries() {
    let sandbox = Sandbox::new();
    let generators = generators(&sandbox, "", 7);
    wait(async {
        let (mut first, mut second) = (generators.open().await.unwrap(), generators.open().await.unwrap());
        let (a, b) = (first.fill(0, 0, 2).await.unwrap(), second.fill(0, 2, 2).await.unwrap());
        assert!(std::sync::Arc::ptr_eq(a.table(), b.table()));
        assert_eq!(a.dictionary(0).unwrap().id(), b.dictionary(0).unwrap().id());
        assert_eq!(first.facts().series, 2);
    });
}

#[test]
fn every_lie_is_a_crash_of_fill_that_names_the_column() {
    for (does, expected) in [
        ("short", "value"),
        ("long", "value"),
        ("type", "value"),
        ("column", "7"),
        ("key", "host"),
        ("null-tag", "host"),
        ("panic", "no rows today"),
    ] {
        let died = crash(fill(does, 0, 1000));
        assert_eq!(died.call, "dataset.fill", "{does}");
        assert!(died.reason.contains(expected), "{does}: {died}");
        assert!(died.plugin.starts_with("liar 0."), "{died}");
    }
}

#[test]
fn a_column_that_is_too_short_says_how_short() {
    let died = crash(fill("short", 0, 1000));
    assert!(died.reason.contains("999") && died.reason.contains("1000"), "{died}");
}

#[test]
fn a_dataset_without_or_with_a_wrong_table_is_a_crash_of_open() {
    let sandbox = Sandbox::new();
    for (does, expected) in [("no-table", "no table"), ("bad-table", "no timestamp column")] {
        let died = crash(wait(generators(&sandbox, does, 0).open()));
        assert_eq!(died.call, "dataset.open");
        assert!(died.reason.contains(expected), "{died}");
    }
}

#[test]
fn instances_that_disagree_about_the_dataset_are_a_crash() {
    let sandbox = Sandbox::new();
    let generators = generators(&sandbox, "two-faced", 0);
    wait(async {
        generators.open().await.unwrap();
        assert!(crash(generators.open().await).reason.contains("different things"));
    });
}

#[test]
fn a_table_that_the_dataset_lacks_is_an_error_of_the_caller() {
    let sandbox = Sandbox::new();
    let asked = wait(async { error(generators(&sandbox, "", 0).open().await.unwrap().fill(1, 0, 1).await) });
    assert_eq!(asked.kind, ErrorKind::Invalid);
}

#[test]
fn a_target_is_no_generator_and_the_other_way_round() {
    let sandbox = Sandbox::new();
    let target = sandbox.load("null");
    let settings = target.schema().resolve(&[]).unwrap();
    let Err(wrong) = sandbox.host.generators(&target, &settings, 0) else { unreachable!("it was accepted") };
    assert!(matches!(wrong, WasmError::WrongRole { .. }) && wrong.is_usage());
    assert!(wrong.to_string().contains("is a target: a generator is needed here"), "{wrong}");
}

#[test]
fn the_cpu_dataset_is_the_same_from_every_instance_in_every_order() {
    let sandbox = Sandbox::new();
    let plugin = sandbox.load("cpu");
    let settings = plugin.schema().resolve(&owned(&[("hosts", "10")])).unwrap();
    let generators = sandbox.host.generators(&plugin, &settings, 42).unwrap();
    wait(async {
        let (mut first, mut second) = (generators.open().await.unwrap(), generators.open().await.unwrap());
        let whole = first.fill(0, 0, 200).await.unwrap();
        let late = second.fill(0, 100, 100).await.unwrap();
        assert_eq!(whole.record_batch().slice(100, 100), late.record_batch().clone());
    });
}
