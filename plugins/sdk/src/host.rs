//! Where the host's handles come from: the generated ones, or the stand-ins for tests. Both have the same methods,
//! those of `wit/`.

#[cfg(not(all(feature = "testing", not(target_arch = "wasm32"))))]
pub use crate::bindings::target::benchhost::plugin::{
    data::{Batch, BatchBuilder, Dictionary, Payload},
    encode::{LineProtocol, gzip, zstd},
    http::{Client, Request, Response},
};

#[cfg(not(all(feature = "testing", not(target_arch = "wasm32"))))]
pub(crate) use crate::bindings::target::benchhost::plugin::log::log;

#[cfg(all(feature = "testing", not(target_arch = "wasm32")))]
pub use crate::testing::handles::{
    Batch, BatchBuilder, Client, Dictionary, LineProtocol, Payload, Request, Response, gzip, zstd,
};

#[cfg(all(feature = "testing", not(target_arch = "wasm32")))]
pub(crate) use crate::testing::handles::log;

pub use crate::bindings::target::benchhost::plugin::{encode::TimeUnit, http::Header};
