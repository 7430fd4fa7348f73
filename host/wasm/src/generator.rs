//! A generator plugin as the core drives it.

use std::sync::{Arc, OnceLock};

use benchhost_core::{CallError, Facts, Generator, Generators};
use benchhost_data::{Batch, BatchBuilder, Interner};
use wasmtime::Store;
use wasmtime::component::Resource;

use crate::bindings::dataset;
use crate::bindings::types::Setting;
use crate::convert;
use crate::log::Log;
use crate::plugin::Plugin;
use crate::redact::Redactor;
use crate::session::Session;
use crate::settings::Settings;
use crate::state::{State, Wiring};

/// The most tables of a dataset: each is created, counted and shown.
const MAX_TABLES: usize = 1_000;

/// Opens instances of a generator plugin. All give the same rows; their equal dictionaries are stored once.
pub struct WasmGenerators {
    plugin: Plugin,
    dataset: dataset::GuestIndices,
    settings: Vec<Setting>,
    seed: u64,
    redactor: Arc<Redactor>,
    interner: Arc<Interner>,
    /// What the first instance said of the dataset. The others must say the same, and share its tables.
    facts: OnceLock<Facts>,
}

impl WasmGenerators {
    pub(crate) fn new(plugin: Plugin, dataset: dataset::GuestIndices, settings: &Settings, seed: u64) -> Self {
        Self {
            plugin,
            dataset,
            settings: settings.to_guest(),
            seed,
            redactor: Arc::new(Redactor::new(settings.secrets())),
            interner: Arc::new(Interner::new()),
            facts: OnceLock::new(),
        }
    }

    /// The facts that all instances share.
    fn agreed(&self, facts: &Facts) -> Result<Facts, String> {
        let first = self.facts.get_or_init(|| facts.clone());
        let same = first.tables == facts.tables
            && (first.rows, first.series, first.seekable) == (facts.rows, facts.series, facts.seekable);
        if same {
            Ok(first.clone())
        } else {
            Err("its instances say different things of the dataset, with the same settings and seed".to_owned())
        }
    }
}

impl Generators for WasmGenerators {
    type Session = WasmGenerator;

    async fn open(&self) -> Result<WasmGenerator, CallError> {
        let options = self.plugin.options();
        let wiring = Wiring {
            log: Log::new(Arc::clone(&options.log), self.plugin.short_name(), None, Arc::clone(&self.redactor)),
            stream: 0,
            seed: self.seed,
            net: None,
            stop: None,
            interner: Arc::clone(&self.interner),
        };
        let mut session = Session::start(&self.plugin, wiring).await?;
        let exports = session.load("dataset", |store, instance| self.dataset.load(store, instance))?;
        let said = session
            .try_call("dataset.open", async |store: &mut Store<State>| {
                exports.call_open(store, &self.settings, self.seed).await
            })
            .await?;
        let facts = facts(said).and_then(|facts| self.agreed(&facts));
        match facts {
            Ok(facts) => Ok(WasmGenerator { session, exports, facts }),
            Err(reason) => Err(session.broke("dataset.open", reason).into()),
        }
    }
}

fn facts(said: dataset::Facts) -> Result<Facts, String> {
    if said.tables.is_empty() {
        return Err("its dataset has no table".to_owned());
    }
    if said.tables.len() > MAX_TABLES {
        return Err(format!("its dataset has {} tables: at most {MAX_TABLES} can be run", said.tables.len()));
    }
    let mut tables = Vec::with_capacity(said.tables.len());
    for table in said.tables {
        tables.push(Arc::new(convert::table_from_guest(table).map_err(|error| error.to_string())?));
    }
    Ok(Facts { tables, rows: said.rows, series: said.series, seekable: said.seekable })
}

/// An instance of a generator plugin.
pub struct WasmGenerator {
    session: Session,
    exports: dataset::Guest,
    facts: Facts,
}

impl Generator for WasmGenerator {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn fill(&mut self, table: usize, first_row: u64, rows: u32) -> Result<Batch, CallError> {
        const CALL: &str = "dataset.fill";
        let Self { session, exports, facts } = self;
        let (Some(columns), Ok(number)) = (facts.tables.get(table), u32::try_from(table)) else {
            let message = format!("the dataset has no table {table}: it has {}, counted from 0", facts.tables.len());
            return Err(benchhost_core::OpError::new(benchhost_core::ErrorKind::Invalid, message).into());
        };
        let builder = BatchBuilder::new(Arc::clone(columns), first_row, rows);
        let builder = session
            .try_call(CALL, async |store| {
                let own = store.data_mut().table.push(builder)?;
                let lent = Resource::new_borrow(own.rep());
                let answer = exports.call_fill(&mut *store, number, first_row, rows, lent).await?;
                let builder = store.data_mut().table.delete(own)?;
                Ok(answer.map(|()| builder))
            })
            .await?;
        builder.finish().map_err(|error| session.broke(CALL, error.to_string()).into())
    }
}
