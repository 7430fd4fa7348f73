//! What a made-up run was asked for.

use std::collections::BTreeMap;
use std::time::Duration;

use benchhost_core::{PlanSpec, PluginChoice};

pub(crate) fn spec() -> PlanSpec {
    PlanSpec {
        target: influx(),
        dataset: PluginChoice {
            name: "cpu".into(),
            version: "0.1.0".into(),
            sha256: "b4".repeat(32),
            settings: BTreeMap::from([("hosts".into(), "100".into())]),
        },
        endpoint: Some("http://127.0.0.1:8086".into()),
        rows: Some(1_000_000),
        batch_rows: 1000,
        workers: vec![8],
        threads: 2,
        generator_threads: 2,
        retries: 3,
        max_errors: 100,
        max_queue: 100_000,
        headroom: Duration::from_millis(500),
        max_crashes: 10,
        memory_budget_bytes: 2_000_000_000,
        verify_timeout: Duration::from_secs(60),
        ..PlanSpec::default()
    }
}

pub(crate) fn influx() -> PluginChoice {
    let settings = [
        ("api", "v1"),
        ("create", "true"),
        ("database", "bench"),
        ("gzip", "off"),
        ("password", "***"),
        ("precision", "ms"),
        ("user", "bench"),
    ];
    PluginChoice {
        name: "influx".into(),
        version: "0.1.0".into(),
        sha256: "1f".repeat(32),
        settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    }
}
