//! Between the exported functions and the traits. One instance is one session, so the session lives in the instance.

use std::any::Any;
use std::cell::RefCell;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::Once;

use crate::bindings::about::exports::benchhost::plugin::about;
use crate::bindings::generator::exports::benchhost::plugin::dataset;
use crate::bindings::streaming::exports::benchhost::plugin::streaming;
use crate::bindings::target::exports::benchhost::plugin::{ingest, session};
use crate::{
    Ack, Batch, BatchBuilder, Error, Facts, Generator, Payload, Result, Setting, Table, Target, log, parse_settings,
    settings_schema,
};

pub use about::Description;

/// The version of the plugin's crate, which only a macro that expands there can know.
pub trait Version {
    /// Semver.
    const VERSION: &'static str;
}

/// A panic is a trap, of which the host sees only that it happened: the words go ahead of it.
fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let words = panic.to_string();
            log::error(&words);
            // There is nothing left to tell a failed write to.
            let _ = writeln!(std::io::stderr(), "{words}");
        }));
    });
}

thread_local! {
    /// The one session of this instance: a value of the plugin's own type.
    static SESSION: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// Keeps the session that was opened.
fn keep<T: 'static>(session: T) {
    SESSION.with_borrow_mut(|slot| *slot = Some(Box::new(session)));
}

/// Calls into the session.
fn with<T: 'static, R>(call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
    SESSION.with_borrow_mut(|slot| match slot.as_mut().and_then(|session| session.downcast_mut::<T>()) {
        Some(session) => call(session),
        None => Err(Error::internal("called before `open` has succeeded, or after `close`")),
    })
}

/// The exports of a target plugin.
pub struct TargetComponent<T, V>(PhantomData<(T, V)>);

impl<T: Target, V: Version> about::Guest for TargetComponent<T, V> {
    fn describe() -> Description {
        report_panics();
        Description {
            name: T::NAME.into(),
            version: V::VERSION.into(),
            summary: T::SUMMARY.into(),
            settings_schema: settings_schema::<T::Settings>(),
        }
    }
}

impl<T: Target, V: Version> session::Guest for TargetComponent<T, V> {
    fn open(settings: Vec<Setting>, worker: Option<u32>) -> Result<()> {
        report_panics();
        keep(T::open(parse_settings(&settings)?, worker)?);
        Ok(())
    }

    fn server() -> Result<Vec<(String, String)>> {
        with(T::server)
    }

    fn create_table(table: Table) -> Result<()> {
        with(|session: &mut T| session.create_table(&table))
    }

    fn drop_table(table: Table) -> Result<()> {
        with(|session: &mut T| session.drop_table(&table))
    }

    fn count_rows(table: Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        with(|session: &mut T| session.count_rows(&table, start_ns, end_ns))
    }

    fn close() {
        // An unopened session has nothing to close, and `close` has no error to say so with.
        let _ = with(|session: &mut T| {
            session.close();
            Ok(())
        });
        SESSION.take();
    }
}

impl<T: Target, V: Version> ingest::Guest for TargetComponent<T, V> {
    fn encode(batch: &Batch) -> Result<Payload> {
        with(|session: &mut T| session.encode(batch))
    }

    fn send(payload: &Payload) -> Result<Ack> {
        with(|session: &mut T| session.send(payload))
    }
}

impl<T: Target, V: Version> streaming::Guest for TargetComponent<T, V> {
    fn finish() -> Result<Option<u64>> {
        with(T::finish)
    }
}

/// The exports of a generator plugin.
pub struct GeneratorComponent<G, V>(PhantomData<(G, V)>);

impl<G: Generator, V: Version> about::Guest for GeneratorComponent<G, V> {
    fn describe() -> Description {
        report_panics();
        Description {
            name: G::NAME.into(),
            version: V::VERSION.into(),
            summary: G::SUMMARY.into(),
            settings_schema: settings_schema::<G::Settings>(),
        }
    }
}

impl<G: Generator, V: Version> dataset::Guest for GeneratorComponent<G, V> {
    fn open(settings: Vec<Setting>, seed: u64) -> Result<Facts> {
        report_panics();
        let (generator, facts) = G::open(parse_settings(&settings)?, seed)?;
        keep(generator);
        Ok(facts)
    }

    fn fill(table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()> {
        with(|generator: &mut G| generator.fill(table, first_row, rows, into))
    }
}
