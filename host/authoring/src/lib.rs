//! For authors of plugins: the contract as text, so that nobody needs a registry to build against it.

mod wit;

pub use wit::{CONTRACT, WitFile, write_wit};
