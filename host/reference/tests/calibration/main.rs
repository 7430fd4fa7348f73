//! The server that holds its answers for known times. It needs no query engine, so neither does this program.

mod holds;
mod influx;
mod support;
