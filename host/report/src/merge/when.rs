//! When things were, on one axis for all parts: seconds since the earliest of them began.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::document::{Document, StepFigures};
use crate::histogram_log::{Tags, WARMUP};

/// When a run began. A time that cannot be read counts as 1970: documents are written by machines.
pub(super) fn started(document: &Document) -> SystemTime {
    humantime::parse_rfc3339(&document.started_at).unwrap_or(UNIX_EPOCH)
}

/// Seconds that a run began after another one, which began first.
pub(super) fn after(document: &Document, first: SystemTime) -> f64 {
    started(document).duration_since(first).map_or(0.0, |after| after.as_secs_f64())
}

/// A stretch of time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Span {
    /// That of a step whose run began so many seconds after the first.
    pub(super) fn of(step: &StepFigures, offset: f64) -> Self {
        let start = offset + step.start_seconds;
        Self { start, end: start + step.seconds }
    }

    /// From the earliest start to the latest end; none of none.
    pub(super) fn union(spans: &[Self]) -> Option<Self> {
        spans.iter().copied().reduce(|a, b| Self { start: a.start.min(b.start), end: a.end.max(b.end) })
    }

    pub(super) fn seconds(self) -> f64 {
        (self.end - self.start).max(0.0)
    }

    /// Share of the union in which all of them went on, 0 to 1; 1 of none, and where no time passed.
    pub(super) fn shared(spans: &[Self]) -> f64 {
        let whole = Self::union(spans).map_or(0.0, Self::seconds);
        let common = spans.iter().copied().reduce(|a, b| Self { start: a.start.max(b.start), end: a.end.min(b.end) });
        if whole > 0.0 { common.map_or(0.0, Self::seconds) / whole } else { 1.0 }
    }
}

/// Start and length of the stretch that a histogram with this tag is of.
pub(super) fn of_tag(document: &Document, tag: &str) -> (Duration, Duration) {
    let tags = Tags::of_document(document);
    let step = if tag.starts_with(WARMUP) {
        document.warmup.as_ref()
    } else {
        let steps = document.steps.iter().enumerate();
        let mut of_it = steps.filter(|(index, _)| tags.step(*index).is_some_and(|prefix| tag.starts_with(prefix)));
        of_it.next().map(|(_, step)| step)
    };
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
    step.map_or((Duration::ZERO, Duration::ZERO), |step| (time(step.start_seconds), time(step.seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_union_reaches_from_the_first_start_to_the_last_end() {
        let spans = [Span { start: 1.0, end: 5.0 }, Span { start: 2.0, end: 6.0 }];
        assert_eq!(Span::union(&spans), Some(Span { start: 1.0, end: 6.0 }));
        assert!((Span::shared(&spans) - 3.0 / 5.0).abs() < 1e-9);
        assert_eq!(Span::union(&[]), None);
    }

    #[test]
    fn spans_that_do_not_touch_share_nothing() {
        let spans = [Span { start: 0.0, end: 1.0 }, Span { start: 2.0, end: 3.0 }];
        assert!(Span::shared(&spans).abs() < 1e-9);
        assert!((Span::shared(&spans[..1]) - 1.0).abs() < 1e-9);
    }
}
