//! The highest rate that a server sustains: probes of an open loop, each at a rate of its own. [`Search`] decides which rate is next and
//! knows nothing of servers; [`window`] decides whether a probe passed; [`Finder`] puts the two together.

mod finder;
mod found;
mod judge;
mod machine;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use finder::Finder;
pub use found::{Bound, Found, Limit, Purpose, RateProbe};
pub(crate) use judge::judge;

use machine::{Answer, Ask, Next, Search};
