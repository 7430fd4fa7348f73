//! What the tests of the sandbox share: hosts with a cache of their own, the built plugins, rows to send, and what was logged.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use benchhost_core::{CallError, Crash, OpError, StopToken, Targets};
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Interner, Semantic, Table, TimeUnit};
use benchhost_net::{Grants, HttpOptions, Transport};
use benchhost_wasm::{Host, HostOptions, LogLine, Plugin, TargetWiring, WasmTarget, WasmTargets};

/// The compiled plugin or guest of this name.
pub fn wasm(name: &str) -> PathBuf {
    let dir = match (std::env::var_os("BENCHHOST_PLUGIN_DIR"), std::env::var_os("CARGO_TARGET_DIR")) {
        (Some(dir), _) => PathBuf::from(dir),
        (None, Some(target)) => PathBuf::from(target).join("wasm32-wasip2/plugin"),
        (None, None) => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/plugin"),
    };
    let path = dir.join(format!("{name}.wasm"));
    assert!(path.is_file(), "`{}` is missing: run cargo xtask build first", path.display());
    path
}

/// A host whose log and limits are the test's own. Compiled plugins are shared by all tests.
pub struct Sandbox {
    pub host: Host,
    pub log: Arc<Mutex<Vec<LogLine>>>,
    pub stop: StopToken,
}

impl Sandbox {
    pub fn new() -> Self {
        Self::with(|_| ())
    }

    pub fn with(change: impl FnOnce(&mut HostOptions)) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&log);
        let mut options = HostOptions {
            cache_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("aot")),
            instances: 4,
            log: Arc::new(move |line| sink.lock().unwrap().push(line)),
            ..HostOptions::default()
        };
        change(&mut options);
        Self { host: Host::new(options).unwrap(), log, stop: StopToken::new() }
    }

    pub fn load(&self, name: &str) -> Plugin {
        self.host.load(&wasm(name)).unwrap()
    }

    /// Sessions of the misbehaving guest.
    pub fn misbehave(&self, settings: &[(&str, &str)]) -> WasmTargets {
        self.targets("misbehave", settings, &[])
    }

    pub fn targets(&self, name: &str, settings: &[(&str, &str)], granted: &[&str]) -> WasmTargets {
        let plugin = self.load(name);
        let settings = plugin.schema().resolve(&owned(settings)).unwrap();
        let grants = Grants::new(granted.iter().map(|endpoint| endpoint.parse().unwrap()));
        let transport = Arc::new(Transport::new(HttpOptions::default(), grants).unwrap());
        let wiring = TargetWiring { transport, stop: self.stop.clone() };
        self.host.targets(&plugin, &settings, wiring).unwrap()
    }

    /// One session of the misbehaving guest.
    pub fn session(&self, settings: &[(&str, &str)]) -> WasmTarget {
        wait(self.misbehave(settings).open(0)).unwrap()
    }

    pub fn texts(&self) -> Vec<String> {
        self.log.lock().unwrap().iter().map(|line| line.text.clone()).collect()
    }
}

pub fn owned(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Runs to the end in a runtime like a worker thread's.
pub fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

pub fn crash<T>(outcome: Result<T, CallError>) -> Crash {
    match outcome {
        Err(CallError::Crash(crash)) => crash,
        Err(CallError::Error(error)) => panic!("answered with an error: {error}"),
        Ok(_) => panic!("succeeded"),
    }
}

pub fn error<T>(outcome: Result<T, CallError>) -> OpError {
    match outcome {
        Err(CallError::Error(error)) => error,
        Err(CallError::Crash(crash)) => panic!("{crash}"),
        Ok(_) => panic!("succeeded"),
    }
}

/// A table of a tag, a float field that may be NULL, and a time.
pub fn table() -> Table {
    let column =
        |name: &str, semantic, data_type, nullable| Column { name: name.into(), semantic, data_type, nullable };
    let columns = vec![
        column("host", Semantic::Tag, DataType::Utf8, false),
        column("value", Semantic::Field, DataType::Float64, true),
        column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond), false),
    ];
    Table::new("t", columns).unwrap()
}

pub fn batch(rows: u32) -> Arc<Batch> {
    let hosts = Interner::new().intern(["a", "b"]).unwrap();
    let mut builder = BatchBuilder::new(Arc::new(table()), 0, rows);
    builder.append_keys(0, &hosts, (0..rows).map(|row| row % 2).collect()).unwrap();
    builder.append_float64s(1, (0..rows).map(f64::from).collect()).unwrap();
    builder.append_timestamps((0..i64::from(rows)).map(|row| row * 1000).collect()).unwrap();
    Arc::new(builder.finish().unwrap())
}
