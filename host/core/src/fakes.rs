//! A clock, a database, a dataset and a probe that do as a test says.

mod clock;
mod probe;
mod rows;
mod server;

pub(crate) use clock::FakeClock;
pub(crate) use probe::FakeProbe;
pub(crate) use rows::FakeRows;
pub(crate) use server::{AtEnd, Behaviour, ENCODE, FakeServer, PLUGIN, WAIT};
