//! For authors of plugins: the contract as text, so that nobody needs a registry to build against it; a project to start from; and its
//! build by the language's own tools.
//!
//! Nothing here runs a plugin, and nothing here installs anything: a tool that is missing is named with the command that gets it.

mod build;
mod kind;
mod language;
mod manifest;
mod name;
mod project;
mod reference;
mod template;
mod wit;

pub use build::{BuildError, build};
pub use kind::Kind;
pub use language::Language;
pub use manifest::{MANIFEST, Manifest, ManifestError, WORLDS};
pub use name::NameError;
pub use project::{Project, ProjectError, create};
pub use reference::reference;
pub use template::offered;
pub use wit::{CONTRACT, WitFile, write_wit};
