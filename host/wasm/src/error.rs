//! Why a file cannot be used as a plugin.

use std::path::PathBuf;

use benchhost_core::Crash;

use crate::plugin::Role;
use crate::settings::SchemaError;
use crate::world::CONTRACT;

/// A plugin that cannot be loaded, or an engine that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WasmError {
    /// There is nothing at the path.
    #[error("there is no plugin at `{}`: check the path", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The path is a directory, a device or the like.
    #[error("`{}` is {what}, not a file: name the plugin's .wasm file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The file cannot be read.
    #[error("the plugin `{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The operating system's reason.
        reason: String,
    },
    /// The file is empty.
    #[error("the plugin `{}` is empty: build it again", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any plugin should be.
    #[error("`{}` has {size} bytes: a plugin has at most {limit}", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file is something else.
    #[error("`{}` is not WebAssembly: it begins with {start}, not with `\\0asm`", path.display())]
    NotWasm {
        /// The path.
        path: PathBuf,
        /// Its first bytes.
        start: String,
    },
    /// The file is a core module.
    #[error("`{}` is a core module, not a component: build it for wasm32-wasip2, or make a component of it with `wasm-tools component new`", path.display())]
    CoreModule {
        /// The path.
        path: PathBuf,
    },
    /// The file is compiled code.
    #[error("`{}` is precompiled native code, which is never loaded from a file that others could have written: name the .wasm file", path.display())]
    Precompiled {
        /// The path.
        path: PathBuf,
    },
    /// The bytes are no valid component.
    #[error("`{}` is not a valid component: {reason}: build it again", path.display())]
    Invalid {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A component that is no plugin.
    #[error("`{}` is a component, but not a plugin: {lacks}; it exports {exports}", path.display())]
    OtherWorld {
        /// The path.
        path: PathBuf,
        /// What it lacks.
        lacks: String,
        /// What it exports instead.
        exports: String,
    },
    /// A plugin of another contract.
    #[error("`{}` was built for {found}; this host speaks {CONTRACT} and what is compatible with it: build the plugin against that version", path.display())]
    WrongVersion {
        /// The path.
        path: PathBuf,
        /// The interface with its version.
        found: String,
    },
    /// A plugin that needs what the host does not have, or does not give to its role.
    #[error("`{}` imports `{import}`, {why}", path.display())]
    Import {
        /// The path.
        path: PathBuf,
        /// The import.
        import: String,
        /// Why it is not there.
        why: &'static str,
    },
    /// A plugin whose imports or exports differ from the contract in a type.
    #[error("`{}` does not fit the contract {CONTRACT}: {reason}: build it against the contract's own `wit/`", path.display())]
    Unlinkable {
        /// The path.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A plugin of one role where the other one is needed.
    #[error("`{}` is a {role}: {wanted} is needed here", path.display())]
    WrongRole {
        /// The path.
        path: PathBuf,
        /// What it is.
        role: Role,
        /// What is needed, with its article.
        wanted: &'static str,
    },
    /// The plugin died while it described itself.
    #[error("`{}` cannot describe itself: {crash}", path.display())]
    Describe {
        /// The path.
        path: PathBuf,
        /// How it died.
        crash: Crash,
    },
    /// The plugin describes itself in a way that the contract does not allow.
    #[error("`{}` describes itself wrongly: {problem}", path.display())]
    Description {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The plugin's settings are not said in the contract's JSON Schema.
    #[error("the settings schema of `{}` breaks the contract: {source}", path.display())]
    Schema {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        source: SchemaError,
    },
    /// The engine cannot be made on this machine.
    #[error("the WebAssembly engine cannot start: {reason}")]
    Engine {
        /// Why not.
        reason: String,
    },
}

impl WasmError {
    /// Whether the user named a file that is not a plugin, or one for another place.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        !self.is_contract() && !matches!(self, Self::Engine { .. })
    }

    /// Whether a plugin broke its contract.
    #[must_use]
    pub fn is_contract(&self) -> bool {
        matches!(self, Self::Describe { .. } | Self::Description { .. } | Self::Schema { .. })
    }
}
