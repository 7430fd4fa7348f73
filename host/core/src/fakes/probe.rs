//! A probe that sees what a test says.

use super::FakeClock;
use crate::clock::Clock;
use crate::probe::{Probe, ProbeError, Usage};

/// Tells of each sample, by its number, what a test says.
pub(crate) struct FakeProbe {
    answer: Box<dyn FnMut(u64) -> Result<Usage, String> + Send>,
    taken: u64,
}

impl FakeProbe {
    /// A server that keeps half a processor busy and holds 1 MB.
    pub(crate) fn new(clock: &FakeClock) -> Box<Self> {
        let clock = clock.clone();
        let usage = move || Usage { cpu: Some(clock.now() / 2), memory_bytes: Some(1_000_000), ..Usage::default() };
        Self::with(move |_| Ok(usage()))
    }

    pub(crate) fn with(answer: impl FnMut(u64) -> Result<Usage, String> + Send + 'static) -> Box<Self> {
        Box::new(Self { answer: Box::new(answer), taken: 0 })
    }
}

impl Probe for FakeProbe {
    fn name(&self) -> String {
        "fake".into()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.taken += 1;
        (self.answer)(self.taken - 1).map_err(ProbeError::new)
    }
}
