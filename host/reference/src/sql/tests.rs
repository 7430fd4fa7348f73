//! Statements and queries over a store, without a server.

use std::sync::Arc;

use super::Outcome;
use super::engine::texts;
use crate::store::{Store, StoreError, StoreOptions};

async fn run(store: &Arc<Store>, sql: &str) -> Result<Vec<Outcome>, StoreError> {
    store.sql("public", sql).await
}

/// The rows of the last statement, each as its values with commas.
async fn rows(store: &Arc<Store>, sql: &str) -> Vec<String> {
    match run(store, sql).await.unwrap().pop() {
        Some(Outcome::Records(batches, schema)) => {
            let columns: Vec<Vec<String>> = (0..schema.fields().len()).map(|at| texts(&batches, at)).collect();
            let count = columns.first().map_or(0, Vec::len);
            (0..count).map(|row| columns.iter().map(|c| c[row].clone()).collect::<Vec<_>>().join(",")).collect()
        }
        other => panic!("no rows: {other:?}"),
    }
}

async fn code(store: &Arc<Store>, sql: &str) -> (u32, String) {
    let error = run(store, sql).await.unwrap_err();
    (error.greptime_code(), error.message)
}

const CPU: &str = "CREATE TABLE cpu (host STRING, \"region\" STRING, usage DOUBLE, n BIGINT, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY(host, \"region\"))";

#[tokio::test]
async fn a_table_is_made_filled_asked_and_dropped() {
    let store = Store::new(StoreOptions::default());
    run(&store, CPU).await.unwrap();
    let inserted =
        run(&store, "INSERT INTO cpu (host, usage, ts) VALUES ('a', 1.5, 1000), ('b', 2, 2000); SELECT 1").await;
    assert!(matches!(inserted.unwrap()[..], [Outcome::Affected(2), Outcome::Records(..)]));
    assert_eq!(
        rows(&store, "SELECT host, usage, n, ts FROM cpu ORDER BY host").await,
        ["a,1.5,NULL,1970-01-01T00:00:01", "b,2.0,NULL,1970-01-01T00:00:02"]
    );
    assert_eq!(
        rows(&store, "SELECT count(*), SUM(usage) FROM public.cpu WHERE ts >= '1970-01-01T00:00:02Z'").await,
        ["1,2.0"]
    );
    assert_eq!(rows(&store, "SHOW TABLES").await, ["cpu"]);
    assert_eq!(rows(&store, "SHOW DATABASES").await, ["public", "information_schema"]);
    run(&store, "TRUNCATE TABLE cpu").await.unwrap();
    assert_eq!(rows(&store, "SELECT count(*) FROM cpu").await, ["0"]);
    run(&store, "DROP TABLE cpu").await.unwrap();
    assert_eq!(code(&store, "SELECT * FROM cpu").await.0, 4001);
    run(&store, "DROP TABLE IF EXISTS cpu").await.unwrap();
}

#[tokio::test]
async fn rows_of_one_key_are_one_row_unless_the_table_appends() {
    let store = Store::new(StoreOptions::default());
    for (name, with) in [("a", "'append_mode'='true'"), ("r", "ttl='7d'"), ("m", "merge_mode=last_non_null")] {
        let table = format!(
            "CREATE TABLE {name} (h STRING PRIMARY KEY, x INT, y INT, ts TIMESTAMP TIME INDEX) engine=mito WITH({with})"
        );
        run(&store, &table).await.unwrap();
        for values in ["('h', 1, 2, 5), (NULL, 9, 9, 5)", "('h', NULL, 3, 5)", "('h', NULL, NULL, 5), ('h', 7, 7, 6)"] {
            run(&store, &format!("INSERT INTO {name} VALUES {values}")).await.unwrap();
        }
    }
    assert_eq!(rows(&store, "SELECT count(*) FROM a").await, ["5"]);
    assert_eq!(rows(&store, "SELECT h, x, y FROM r ORDER BY ts, h").await, ["h,NULL,NULL", "NULL,9,9", "h,7,7"]);
    assert_eq!(rows(&store, "SELECT h, x, y FROM m ORDER BY ts, h").await, ["h,1,3", "NULL,9,9", "h,7,7"]);
    assert_eq!(store.counts("public", "m").unwrap(), (5, 3));
}

#[tokio::test]
async fn tables_are_described() {
    let store = Store::new(StoreOptions::default());
    run(&store, CPU).await.unwrap();
    assert_eq!(
        rows(&store, "DESC TABLE cpu").await,
        [
            "host,String,PRI,YES,,TAG",
            "region,String,PRI,YES,,TAG",
            "usage,Float64,,YES,,FIELD",
            "n,Int64,,YES,,FIELD",
            "ts,TimestampMillisecond,PRI,NO,,TIMESTAMP"
        ]
    );
    let shown = rows(&store, "SHOW CREATE TABLE cpu").await.join("");
    assert!(
        shown
            .contains("\"ts\" TIMESTAMP(3) NOT NULL,\n  TIME INDEX (\"ts\"),\n  PRIMARY KEY (\"host\", \"region\")\n)"),
        "{shown}"
    );
    let columns = "SELECT column_name, data_type, semantic_type FROM information_schema.columns WHERE table_name = 'cpu' AND ordinal_position > 3";
    assert_eq!(rows(&store, columns).await, ["n,bigint,FIELD", "ts,timestamp(3),TIMESTAMP"]);
    let exists = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public' AND table_name = 'cpu'";
    assert_eq!(rows(&store, exists).await, ["1"]);
    assert!(rows(&store, "SELECT version()").await[0].contains("greptimedb-1.0.2"));
    // What is shown makes the same table again.
    let statement = shown.trim_start_matches("cpu,").replace("NOT EXISTS \"cpu\"", "NOT EXISTS \"again\"");
    run(&store, &statement).await.unwrap();
    assert_eq!(store.schema("public", "again").unwrap(), store.schema("public", "cpu").unwrap());
}

#[tokio::test]
async fn refusals_have_the_codes_of_greptimedb() {
    let store = Store::new(StoreOptions::default());
    run(&store, CPU).await.unwrap();
    run(&store, "CREATE DATABASE d").await.unwrap();
    for (sql, expected, words) in [
        ("select * from nope", 4001, "Failed to plan SQL: Table not found: greptime.public.nope"),
        (CPU, 4000, "Table already exists: `greptime.public.cpu`"),
        ("SELECT nocolumn FROM cpu", 3000, "nocolumn"),
        ("selct 1", 1001, "selct"),
        ("SELECT 1 FROM cpu WHERE", 2000, "Invalid SQL"),
        ("INSERT INTO cpu (host, usage, ts) VALUES ('a', 'x', 1)", 1004, "usage"),
        ("CREATE DATABASE d", 1004, "Schema d already exists"),
        ("DROP DATABASE e", 4004, "Failed to find schema, schema info: e"),
        ("SELECT 1/0", 3001, "Divide by zero"),
        (
            "CREATE TABLE t (region STRING, ts TIMESTAMP TIME INDEX)",
            2000,
            "Cannot use keyword 'region' as column name. Hint: add quotes to the name.",
        ),
        ("CREATE TABLE t (a STRING)", 2000, "time index"),
        ("CREATE TABLE t (a WORD, ts TIMESTAMP TIME INDEX)", 2000, "no type WORD"),
        ("INSERT INTO cpu (host, ts) VALUES ('a', NULL)", 1004, "NULL"),
        ("", 2000, "empty"),
    ] {
        let (code, message) = code(&store, sql).await;
        assert_eq!(code, expected, "{sql}: {message}");
        assert!(message.contains(words), "{sql}: {message}");
    }
    assert_eq!(store.sql("nodb", "SELECT 1").await.unwrap_err().greptime_code(), 4004);
    // The statements before a refused one have done their work.
    assert!(run(&store, "INSERT INTO cpu (ts) VALUES (1); SELECT * FROM nope").await.is_err());
    assert_eq!(rows(&store, "SELECT count(*) FROM cpu").await, ["1"]);
}
