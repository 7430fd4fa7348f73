//! The sandbox: it runs plugins, which are WebAssembly components, and is the only room that knows wasmtime.
//!
//! A [`Host`] loads a component from a file, finds out what it is, lets it describe itself without any right, and hands it out as
//! a [`Plugin`]. [`WasmTargets`] and [`WasmGenerators`] make it one of the seams that the core drives: one store, one instance and
//! one session per worker, so that a plugin that dies takes one worker with it and nothing else.
//!
//! A plugin has no files, no environment, no arguments, no sockets and no clock but the real one. Its random numbers come from the
//! run's seed. It reaches a server only through [`benchhost_net::Transport`], which knows the user's grants. Its memory, tables,
//! handles, stack, the bytes it hands over and the time it computes without returning are limited. Whatever it does wrong ends in a
//! [`benchhost_core::CallError`] in plain words; nothing that a guest says is trusted, and host functions never panic.
//!
//! Where the time goes: a call into a guest costs 0.2 µs, a call out of it 0.05 µs; rows and request bodies never enter guest
//! memory unless the guest asks for them, it holds handles.
//!
//! This crate prints nothing: what plugins say goes to the [`LogSink`] of [`HostOptions`].

mod aot;
mod bindings;
mod cancel;
mod coded;
mod convert;
mod crash;
mod describe;
mod engine;
mod error;
mod generator;
mod host;
mod leaks;
mod limits;
mod loader;
mod log;
mod options;
mod output;
mod outside;
mod plugin;
mod quota;
mod random;
mod redact;
mod session;
mod settings;
mod state;
mod target;
mod trace;
mod wasm_file;
mod watchdog;
mod world;

pub use error::WasmError;
pub use generator::{WasmGenerator, WasmGenerators};
pub use loader::Host;
pub use log::{LogLevel, LogLine, LogSink};
pub use options::HostOptions;
pub use plugin::{Plugin, Role};
pub use settings::{Kind, Property, SchemaError, Settings, SettingsError, SettingsSchema};
pub use target::{TargetWiring, WasmTarget, WasmTargets};
pub use trace::{Direction, TracedCall, trace};
