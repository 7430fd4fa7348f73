//! Where the host's handles come from: the generated ones, or the stand-ins for tests. Both have the same methods,
//! those of `wit/`.

#[cfg(not(all(feature = "testing", not(target_arch = "wasm32"))))]
pub use crate::bindings::target::benchhost::plugin::{
    data::{Batch, BatchBuilder, Dictionary, Payload},
    encode::{LineProtocol, gzip},
    flight::{Encoder as FlightEncoder, PutStream},
    grpc::{Channel, ClientStream, Reply},
    http::{Client, Request, Response},
    tcp::Connection,
};

#[cfg(not(all(feature = "testing", not(target_arch = "wasm32"))))]
pub(crate) use crate::bindings::target::benchhost::plugin::log::log;

#[cfg(all(feature = "testing", not(target_arch = "wasm32")))]
pub use crate::testing::handles::{
    Batch, BatchBuilder, Channel, Client, ClientStream, Connection, Dictionary, FlightEncoder, LineProtocol, Payload,
    PutStream, Reply, Request, Response, gzip,
};

#[cfg(all(feature = "testing", not(target_arch = "wasm32")))]
pub(crate) use crate::testing::handles::log;

pub use crate::bindings::target::benchhost::plugin::{
    encode::TimeUnit,
    flight::{BodyCompression, PutAck},
    grpc::MessageCompression,
    http::Header,
};
