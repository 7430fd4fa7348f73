//! How much of what a guest says is passed on. A guest that logs in a loop must not fill a disk or hide what others say.

use std::time::{Duration, Instant};

/// Lines of one session that are passed on in a second.
pub(crate) const LINES: u32 = 200;

/// Bytes of one session that are passed on in a second.
pub(crate) const BYTES: usize = 256 * 1024;

const WINDOW: Duration = Duration::from_secs(1);

/// Counts what one session says, second by second.
pub(crate) struct Quota {
    since: Instant,
    lines: u32,
    bytes: usize,
    dropped: u64,
}

impl Quota {
    pub(crate) fn new(now: Instant) -> Self {
        Self { since: now, lines: 0, bytes: 0, dropped: 0 }
    }

    /// Whether a line of this many bytes is passed on, and how many were dropped that nobody was told of. They are told of once.
    pub(crate) fn ask(&mut self, now: Instant, bytes: usize) -> (bool, u64) {
        let mut told = 0;
        if now.saturating_duration_since(self.since) >= WINDOW {
            told = self.take_dropped();
            *self = Self::new(now);
        }
        let after = self.bytes.saturating_add(bytes);
        let kept = self.lines < LINES && after <= BYTES;
        if kept {
            self.lines += 1;
            self.bytes = after;
        } else {
            self.dropped += 1;
        }
        (kept, told)
    }

    /// How many were dropped that nobody was told of.
    pub(crate) fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_its_lines_and_the_next_one_tells_of_the_rest() {
        let start = Instant::now();
        let mut quota = Quota::new(start);
        let kept = (0..LINES + 7).filter(|_| quota.ask(start, 1).0).count();
        assert_eq!(kept, LINES as usize);
        assert_eq!(quota.ask(start + WINDOW, 1), (true, 7));
        assert_eq!(quota.ask(start + WINDOW, 1), (true, 0));
    }

    #[test]
    fn a_second_has_its_bytes() {
        let start = Instant::now();
        let mut quota = Quota::new(start);
        assert!(quota.ask(start, BYTES).0);
        assert!(!quota.ask(start, 1).0);
        assert_eq!((quota.take_dropped(), quota.take_dropped()), (1, 0));
    }
}
