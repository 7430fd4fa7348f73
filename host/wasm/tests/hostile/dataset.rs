//! Generators that attack their host: facts that cannot be, and batches that are none.

use benchhost_core::{Crash, Generator, Generators};

use crate::common::{crash, wait};
use crate::lab::{bounded, guest, lab};

/// How the generator with this behaviour dies, in `open` or when it fills three rows.
fn dies(behaviour: &'static str) -> Crash {
    bounded(move || {
        let sandbox = lab();
        let plugin = sandbox.host.load(&guest("hostile_dataset", behaviour)).unwrap();
        let generators = sandbox.host.generators(&plugin, &plugin.schema().resolve(&[]).unwrap(), 1).unwrap();
        let died = crash(wait(async {
            let mut session = generators.open().await?;
            session.fill(0, 0, 3).await
        }));
        assert_eq!(died.plugin, "hostile-dataset 0.1.0");
        assert!(died.reason.len() < 4_096 && !died.reason.contains('\u{1b}'), "{died:?}");
        died
    })
}

macro_rules! ends {
    ($($name:ident: $behaviour:literal in $export:literal, $words:literal;)*) => {
        $(#[test]
        fn $name() {
            let died = dies($behaviour);
            assert_eq!(died.call, $export, "{died}");
            assert!(died.reason.contains($words), "{died}");
        })*
    };
}

ends! {
    hostile_loop_in_dataset_open: "loop@dataset.open" in "dataset.open", "it computed for 1s";
    hostile_panic_in_dataset_open: "panic@dataset.open" in "dataset.open", "it panicked: out of cheese";
    hostile_loop_in_fill: "loop@dataset.fill" in "dataset.fill", "it computed for 1s";
    hostile_panic_in_fill: "panic@dataset.fill" in "dataset.fill", "it panicked: out of cheese";
    hostile_no_tables: "no tables" in "dataset.open", "its dataset has no table";
    hostile_a_million_tables: "a million tables" in "dataset.open", "its memory limit of 24 MiB was reached";
    hostile_columns_of_one_name: "columns of one name" in "dataset.open", "host";
    hostile_no_time_column: "no time" in "dataset.open", "table `t` has no timestamp column: exactly one column must be one";
    hostile_two_time_columns: "two times" in "dataset.open", "table `t`: `ts` and `again` are both timestamp columns: exactly one may be, make the other a field";
    hostile_no_table_name: "no table name" in "dataset.open", "a table has an empty name: give it one";
    hostile_rows_past_the_batch: "rows too many" in "dataset.fill", "batch-builder.";
    hostile_rows_missing: "rows too few" in "dataset.fill", "finish: column `value` of table `t`: 2 of 3 rows were appended: append exactly as many values as the batch has rows";
    hostile_key_out_of_dictionary: "key out of dictionary" in "dataset.fill", "names no value of a dictionary of 2";
    hostile_column_twice: "column twice" in "dataset.fill", "batch-builder.";
    hostile_column_missing: "column missing" in "dataset.fill", "finish: column `host` of table `t`: 0 of 3 rows were appended: append exactly as many values as the batch has rows";
    hostile_column_of_none: "column of none" in "dataset.fill", "batch-builder.";
    hostile_column_of_another_type: "column of another type" in "dataset.fill", "batch-builder.";
    hostile_nulls_out_of_rows: "nulls out of rows" in "dataset.fill", "batch-builder.";
    hostile_nulls_where_none_may_be: "nulls where none may be" in "dataset.fill", "batch-builder.";
    hostile_dictionary_huge: "dictionary huge" in "dataset.fill", "its memory limit of 24 MiB was reached";
    hostile_dictionaries_kept: "dictionaries kept" in "dataset.fill", "";
}

#[test]
fn hostile_values_at_the_ends() {
    for behaviour in ["times at the ends", "values not finite"] {
        bounded(move || {
            let sandbox = lab();
            let plugin = sandbox.host.load(&guest("hostile_dataset", behaviour)).unwrap();
            let generators = sandbox.host.generators(&plugin, &plugin.schema().resolve(&[]).unwrap(), 1).unwrap();
            let batch = wait(async { generators.open().await.unwrap().fill(0, 0, 3).await });
            // Rows that a server may refuse, but no harm to the host.
            assert_eq!(batch.unwrap().rows(), 3);
        });
    }
}
