//! Makes plugins of files.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use wasmtime::component::{Component, InstancePre};

use crate::aot::AotCache;
use crate::bindings::{about, dataset, ingest, session, streaming};
use crate::describe::{self, Unnamed};
use crate::engine::{self, Runtime};
use crate::error::WasmError;
use crate::generator::WasmGenerators;
use crate::log::{LogLevel, LogLine, cut};
use crate::options::HostOptions;
use crate::plugin::{Description, Exports, Loaded, Plugin, Role, TargetExports};
use crate::redact::Redactor;
use crate::settings::{Settings, SettingsSchema};
use crate::state::State;
use crate::target::{TargetWiring, WasmTargets};
use crate::wasm_file::{self, WasmFile};
use crate::world;

/// The longest name, version and summary of a plugin, in bytes.
const MAX_NAME: usize = 64;
const MAX_SUMMARY: usize = 400;

/// The largest settings schema, in bytes: hundreds of settings with a paragraph each.
const MAX_SCHEMA: usize = 256 * 1024;

/// Loads plugins and opens them. Built once per process; its engine's threads end with it and with the last plugin.
pub struct Host {
    options: Arc<HostOptions>,
    cache: Option<AotCache>,
    /// Where the machine has the address space for it.
    pooled: Option<Arc<Runtime>>,
    /// Made for the first plugin that does not fit the pool, or at once where there is none.
    on_demand: Mutex<Option<Arc<Runtime>>>,
}

/// A component that was compiled or mapped, under the engine that it belongs to.
struct Compiled {
    component: Component,
    runtime: Arc<Runtime>,
    cached: bool,
}

impl Host {
    /// Makes the engine and opens the cache of compiled plugins. A cache that cannot be used is a warning in the log.
    ///
    /// # Errors
    ///
    /// `Engine` when this machine cannot run WebAssembly.
    pub fn new(options: HostOptions) -> Result<Self, WasmError> {
        let pooled = Runtime::pooled(&options).ok().map(Arc::new);
        let cache = match AotCache::open(options.cache_dir.clone()) {
            Ok(cache) => Some(cache),
            Err(problem) => {
                warn(&options, problem);
                None
            }
        };
        let host = Self { options: Arc::new(options), cache, pooled, on_demand: Mutex::new(None) };
        if host.pooled.is_none() {
            host.on_demand()?;
        }
        Ok(host)
    }

    /// Whether instances come from a pool that was made for the run. Plugins that do not fit it run all the same.
    #[must_use]
    pub fn has_pool(&self) -> bool {
        self.pooled.is_some()
    }

    /// Reads, compiles (or finds in the cache), links and describes the plugin at `path`.
    ///
    /// # Errors
    ///
    /// Whatever makes the file no plugin of this host; see [`WasmError::is_usage`] and [`WasmError::is_contract`].
    pub fn load(&self, path: &Path) -> Result<Plugin, WasmError> {
        let started = Instant::now();
        let file = wasm_file::read(path)?;
        let compiled = self.compile(path, &file)?;
        let engine = &compiled.runtime.engine;
        let component_type = compiled.component.component_type();
        let import_names: Vec<String> = component_type.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let export_names: Vec<String> = component_type.exports(engine).map(|(name, _)| name.to_owned()).collect();
        let role = world::role(path, &import_names, &export_names)?;
        let unlinkable =
            |error: wasmtime::Error| WasmError::Unlinkable { path: path.to_owned(), reason: format!("{error:#}") };
        let pre = compiled.runtime.linker.instantiate_pre(&compiled.component).map_err(unlinkable)?;
        let exports = exports(role, &pre, &export_names).map_err(unlinkable)?;
        let description = self.describe(path, &compiled.runtime, &pre)?;
        Ok(Plugin::new(Loaded {
            path: path.to_owned(),
            sha256: file.sha256,
            size: file.bytes.len() as u64,
            description,
            exports,
            import_names,
            export_names,
            load_time: started.elapsed(),
            cached: compiled.cached,
            pre,
            runtime: compiled.runtime,
            options: Arc::clone(&self.options),
        }))
    }

    /// Sessions of a target plugin with these settings.
    ///
    /// # Errors
    ///
    /// `WrongRole` for a generator.
    pub fn targets(
        &self,
        plugin: &Plugin,
        settings: &Settings,
        wiring: TargetWiring,
    ) -> Result<WasmTargets, WasmError> {
        match plugin.export_indices() {
            Exports::Target(exports) => Ok(WasmTargets::new(plugin.clone(), exports.clone(), settings, wiring)),
            Exports::Generator(_) => Err(wrong_role(plugin, "a target")),
        }
    }

    /// Instances of a generator plugin with these settings and the dataset's seed.
    ///
    /// # Errors
    ///
    /// `WrongRole` for a target.
    pub fn generators(&self, plugin: &Plugin, settings: &Settings, seed: u64) -> Result<WasmGenerators, WasmError> {
        match plugin.export_indices() {
            Exports::Generator(dataset) => Ok(WasmGenerators::new(plugin.clone(), dataset.clone(), settings, seed)),
            Exports::Target(..) => Err(wrong_role(plugin, "a generator")),
        }
    }

    /// Compiles under the pool's engine if the component fits it, otherwise under the other one.
    fn compile(&self, path: &Path, file: &WasmFile) -> Result<Compiled, WasmError> {
        if let Some(runtime) = &self.pooled
            && let Ok(compiled) = self.compile_under(runtime, path, file)
            && engine::fits_pool(&compiled.component)
        {
            return Ok(compiled);
        }
        self.compile_under(&self.on_demand()?, path, file)
    }

    fn compile_under(&self, runtime: &Arc<Runtime>, path: &Path, file: &WasmFile) -> Result<Compiled, WasmError> {
        let runtime = Arc::clone(runtime);
        if let Some(cache) = &self.cache
            && let Some(component) = cache.load(&runtime.engine, &file.sha256)
        {
            return Ok(Compiled { component, runtime, cached: true });
        }
        let component = Component::from_binary(&runtime.engine, &file.bytes)
            .map_err(|error| WasmError::Invalid { path: path.to_owned(), reason: format!("{error:#}") })?;
        if let Some(cache) = &self.cache
            && let Err(problem) = cache.store(&runtime.engine, &file.sha256, &component)
        {
            warn(&self.options, problem);
        }
        Ok(Compiled { component, runtime, cached: false })
    }

    fn on_demand(&self) -> Result<Arc<Runtime>, WasmError> {
        // A panic while it was made left `None` there.
        let mut made = self.on_demand.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*made {
            return Ok(Arc::clone(runtime));
        }
        let runtime = Runtime::on_demand().map_err(|error| WasmError::Engine { reason: format!("{error:#}") })?;
        Ok(Arc::clone(made.insert(Arc::new(runtime))))
    }

    fn describe(&self, path: &Path, runtime: &Runtime, pre: &InstancePre<State>) -> Result<Description, WasmError> {
        let indices = about::GuestIndices::new(pre)
            .map_err(|error| WasmError::Unlinkable { path: path.to_owned(), reason: format!("{error:#}") })?;
        let label = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let unnamed = Unnamed { label: &label, runtime, options: &self.options };
        let said = describe::describe(&unnamed, pre, &indices)
            .map_err(|crash| WasmError::Describe { path: path.to_owned(), crash })?;
        let problem = |problem| WasmError::Description { path: path.to_owned(), problem };
        check_name(&said.name).map_err(problem)?;
        check_version(&said.version).map_err(problem)?;
        let size = said.settings_schema.len();
        if size > MAX_SCHEMA {
            return Err(problem(format!("its settings schema has {size} bytes: at most {MAX_SCHEMA} are read")));
        }
        let schema = SettingsSchema::parse(&said.settings_schema)
            .map_err(|source| WasmError::Schema { path: path.to_owned(), source })?;
        let summary = cut(Redactor::default().clean(said.summary.lines().next().unwrap_or_default()), MAX_SUMMARY);
        Ok(Description { name: said.name.into(), version: said.version, summary, schema })
    }
}

fn exports(role: Role, pre: &InstancePre<State>, names: &[String]) -> wasmtime::Result<Exports> {
    match role {
        Role::Generator => Ok(Exports::Generator(dataset::GuestIndices::new(pre)?)),
        Role::Target => {
            let has = |interface| names.iter().any(|name| world::interface_of(name) == Some(interface));
            Ok(Exports::Target(TargetExports {
                session: session::GuestIndices::new(pre)?,
                ingest: if has("ingest") { Some(ingest::GuestIndices::new(pre)?) } else { None },
                streaming: if has("streaming") { Some(streaming::GuestIndices::new(pre)?) } else { None },
            }))
        }
    }
}

fn wrong_role(plugin: &Plugin, wanted: &'static str) -> WasmError {
    WasmError::WrongRole { path: plugin.path().to_owned(), role: plugin.role(), wanted }
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(fits) || name.starts_with('-') {
        let shown: String = name.chars().take(MAX_NAME).flat_map(char::escape_debug).collect();
        return Err(format!("its name `{shown}` must be lower case letters, digits, `-` and `_`, at most {MAX_NAME}"));
    }
    Ok(())
}

fn check_version(version: &str) -> Result<(), String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
    let digit = version.starts_with(|c: char| c.is_ascii_digit());
    if !digit || version.len() > MAX_NAME || !version.bytes().all(fits) {
        let shown: String = version.chars().take(MAX_NAME).flat_map(char::escape_debug).collect();
        return Err(format!("its version `{shown}` must be one such as 1.2.3"));
    }
    Ok(())
}

fn warn(options: &HostOptions, text: String) {
    (options.log)(LogLine { level: LogLevel::Warn, plugin: "host".into(), worker: None, text });
}
