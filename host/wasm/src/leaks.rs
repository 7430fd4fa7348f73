//! Notices a plugin that takes handles and never drops them, long before the limit ends its session.

/// Handles are counted after this many calls, then after twice as many, and so on, and compared with the count before.
const FIRST_LOOK: u64 = 128;

/// Counts the handles of one store over its calls.
pub(crate) struct Leaks {
    live: u64,
    calls: u64,
    look_at: u64,
    before: Option<u64>,
    said: bool,
}

impl Leaks {
    pub(crate) fn new() -> Self {
        Self { live: 0, calls: 0, look_at: FIRST_LOOK, before: None, said: false }
    }

    /// The guest was given a handle.
    pub(crate) fn given(&mut self) {
        self.live += 1;
    }

    /// The guest gave a handle back.
    pub(crate) fn returned(&mut self) {
        self.live = self.live.saturating_sub(1);
    }

    /// A call has ended. Says once, per session, how many handles a call leaves behind: when it was at least one in every two calls since
    /// the last look. What a plugin keeps from the start is there at the first look already.
    pub(crate) fn after_call(&mut self) -> Option<f64> {
        self.calls += 1;
        if self.calls < self.look_at || self.said {
            return None;
        }
        let before = self.before.replace(self.live);
        let since = self.look_at / 2;
        self.look_at *= 2;
        let grown = self.live.saturating_sub(before?);
        self.said = grown > since / 2;
        self.said.then_some(grown as f64 / since as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_left_behind_by_every_call_is_noticed_once() {
        let mut leaks = Leaks::new();
        let said: Vec<f64> = (0..10_000)
            .filter_map(|_| {
                leaks.given();
                leaks.given();
                leaks.returned();
                leaks.after_call()
            })
            .collect();
        assert_eq!(said.len(), 1);
        assert!((0.9..=2.1).contains(&said[0]), "{said:?}");
    }

    #[test]
    fn handles_that_are_kept_from_the_start_or_come_back_are_no_leak() {
        let mut leaks = Leaks::new();
        (0..100).for_each(|_| leaks.given());
        for _ in 0..10_000 {
            leaks.given();
            leaks.returned();
            assert_eq!(leaks.after_call(), None);
        }
    }
}
