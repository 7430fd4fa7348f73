//! Where hostile guests are let loose: their files, small limits, a bound for the time of every experiment, and what is checked of all.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use benchhost_core::{CallError, Crash, Target, Targets};
use benchhost_data::Payload;
use benchhost_net::{Grants, HttpOptions, Transport};
use benchhost_wasm::{Plugin, TargetWiring, WasmError, WasmTarget, WasmTargets};

use crate::common::{Sandbox, batch, crash, owned, table, wait, wasm};

/// The secret of every session.
pub(crate) const TOKEN: &str = "s3cret/t0ken+xyz";

/// Far more than any limit here: whoever reaches it hangs.
const HANGS: Duration = Duration::from_secs(120);

const MARKER: &[u8] = b"hostile behaviour:";
const MARKER_SIZE: usize = 64;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Runs an experiment on a thread of its own: it ends in time, and nothing of the host panics in it.
pub(crate) fn bounded<T: Send + 'static>(experiment: impl FnOnce() -> T + Send + 'static) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let shown = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // An assertion of a test is no panic of the host.
            if !panic.location().is_some_and(|place| place.file().contains("tests")) {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            shown(panic);
        }));
    });
    let (done, outcome) = mpsc::channel();
    let thread = std::thread::spawn(move || done.send(experiment()).unwrap());
    let outcome = match outcome.recv_timeout(HANGS) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => std::panic::resume_unwind(thread.join().unwrap_err()),
    };
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the host panicked");
    outcome
}

/// Limits that are reached in a moment.
pub(crate) fn lab() -> Sandbox {
    Sandbox::with(|options| {
        options.guest_time = Duration::from_secs(1);
        options.memory_bytes = 24 << 20;
        options.handles = 600;
        options.hostcall_bytes = 1 << 20;
    })
}

/// The guest of this name with this behaviour, as a file of its own.
pub(crate) fn guest(name: &str, behaviour: &str) -> PathBuf {
    let mut bytes = std::fs::read(wasm(name)).unwrap();
    let places: Vec<usize> = (0..bytes.len() - MARKER_SIZE).filter(|at| bytes[*at..].starts_with(MARKER)).collect();
    // The text is in the guest's data once, at the marker, and perhaps as a constant of its own without a behaviour.
    let at = *places.iter().find(|at| bytes[**at..].starts_with(b"hostile behaviour:none\0")).unwrap();
    let marker = &mut bytes[at..at + MARKER_SIZE];
    marker[MARKER.len()..].fill(0);
    marker[MARKER.len()..MARKER.len() + behaviour.len()].copy_from_slice(behaviour.as_bytes());
    write(&format!("{name}-{behaviour}"), &bytes)
}

/// A file of these bytes.
pub(crate) fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&dir).unwrap();
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let path = dir.join(format!("{name}.wasm"));
    // Whole at once, because two tests may want the same one.
    let own = dir.join(format!("{name}-{:?}", std::thread::current().id()));
    std::fs::write(&own, bytes).unwrap();
    std::fs::rename(&own, &path).unwrap();
    path
}

pub(crate) fn load(sandbox: &Sandbox, behaviour: &str) -> Plugin {
    sandbox.host.load(&guest("hostile", behaviour)).unwrap()
}

/// Why the target with this behaviour cannot be loaded.
pub(crate) fn refused(behaviour: &'static str) -> String {
    bounded(move || {
        let error: WasmError = lab().host.load(&guest("hostile", behaviour)).unwrap_err();
        let text = error.to_string();
        assert!(error.is_contract(), "{text}");
        assert!(text.len() < 4_096, "{} bytes", text.len());
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        text
    })
}

pub(crate) fn targets(sandbox: &Sandbox, behaviour: &str, endpoint: &str, granted: &[&str]) -> WasmTargets {
    let plugin = load(sandbox, behaviour);
    let settings = plugin.schema().resolve(&owned(&[("token", TOKEN), ("endpoint", endpoint)])).unwrap();
    let grants = Grants::new(granted.iter().map(|endpoint| endpoint.parse().unwrap()));
    let transport = Transport::new(HttpOptions::default(), grants).unwrap();
    let wiring = TargetWiring { transport: transport.into(), stop: sandbox.stop.clone() };
    sandbox.host.targets(&plugin, &settings, wiring).unwrap()
}

pub(crate) fn payload() -> Payload {
    Payload::new(b"hello".to_vec(), 1)
}

/// Calls the export of this name.
pub(crate) async fn call(session: &mut WasmTarget, export: &str) -> Result<(), CallError> {
    match export {
        "session.server" => session.server().await.map(drop),
        "session.create-table" => session.create_table(&table()).await,
        "session.drop-table" => session.drop_table(&table()).await,
        "session.count-rows" => session.count_rows(&table(), 0, 1).await.map(drop),
        "ingest.encode" => session.encode(&batch(3)).await.map(drop),
        "ingest.send" => session.send(&payload()).await.map(drop),
        "streaming.finish" => session.finish().await.map(drop),
        other => panic!("no call {other}"),
    }
}

/// How a session with this behaviour dies in `export`, after `encode` where the batch matters.
pub(crate) fn dies(behaviour: &'static str, export: &'static str) -> Crash {
    bounded(move || {
        let sandbox = lab();
        let targets = targets(&sandbox, behaviour, "", &[]);
        let died = wait(async {
            let mut session = match targets.open(0).await {
                Ok(session) => session,
                Err(error) => return crash::<()>(Err(error)),
            };
            if behaviour == "batch kept" {
                session.encode(&batch(3)).await.unwrap();
            }
            let died = crash(call(&mut session, export).await);
            // It stays dead, and closing it is harmless.
            assert_eq!(crash(session.send(&payload()).await), died);
            session.close().await;
            died
        });
        assert_eq!(died.call, export, "{died}");
        assert_eq!(died.plugin, "hostile 0.1.0");
        secret_is_kept(&sandbox, &format!("{died} {died:?}"));
        died
    })
}

/// No secret is in `said`, nor in the log.
pub(crate) fn secret_is_kept(sandbox: &Sandbox, said: &str) {
    let log = sandbox.texts().join("\n");
    assert!(!said.contains(TOKEN), "{said}");
    assert!(!log.contains(TOKEN), "{log}");
}
