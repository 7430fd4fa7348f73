//! The functions that a guest can call, one file an interface of the contract.
//!
//! A mistake of the guest (a column that is not there, a handle that is no longer valid) is a trap with a message that names the
//! call and the rule. What a guest can act on is an error value. Nothing here panics, and nothing here trusts a number.

mod data;
mod encode;
mod flight;
mod grpc;
mod http;
mod log;
mod tcp;
mod wasi;
mod wire;

use std::sync::Arc;

use benchhost_data::{Batch, Payload};
use benchhost_net::HttpResponse;
use wasmtime::Result;
use wasmtime::component::{HasSelf, Linker};

#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub use self::flight::HeldPutStream;
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub use self::grpc::{HeldChannel, HeldReply, HeldStream};
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub use self::http::{HeldClient, HeldRequest};
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub use self::tcp::HeldTcp;
use crate::bindings;
use crate::state::State;

/// The batch of the present call; `None` between calls, when the guest has no handle to it.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct LentBatch(pub(crate) Option<Arc<Batch>>);

/// A payload that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldPayload(pub(crate) Payload);

/// An answer that a guest has a handle to.
#[allow(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct HeldResponse(pub(crate) HttpResponse);

/// A rule of the contract that the guest broke, in words for its author. As the cause of a trap it ends the session.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(pub(crate) String);

/// Everything that the host offers, under one linker: what a plugin may use is decided by its role and its grants.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    fn own(state: &mut State) -> &mut State {
        state
    }
    bindings::types::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::data::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::encode::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::http::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::grpc::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::flight::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::tcp::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    bindings::log::add_to_linker::<_, HasSelf<State>>(linker, own)?;
    wasi::add_to_linker(linker)
}

impl bindings::types::Host for State {}
