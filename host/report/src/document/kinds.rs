//! The histograms of a recording by the names that the document has for them: clocks first, then spans.

use benchhost_core::Recording;
use benchhost_stats::Histogram;

/// Names of clocks.
pub(crate) const CLOCKS: [&str; 5] = ["service", "response", "lag", "failed", "timed_out"];
/// Names of spans.
pub(crate) const SPANS: [&str; 3] = ["encode", "wait", "plugin"];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    CLOCKS.into_iter().chain(SPANS)
}

/// The histogram of that name; none when there is no such name.
pub(crate) fn histogram<'a>(recording: &'a Recording, kind: &str) -> Option<&'a Histogram> {
    Some(match kind {
        "service" => &recording.service,
        "response" => &recording.response,
        "lag" => &recording.lag,
        "failed" => &recording.failed,
        "timed_out" => &recording.timed_out,
        "encode" => &recording.encode,
        "wait" => &recording.wait,
        "plugin" => &recording.plugin,
        _ => return None,
    })
}

/// The same, to be filled.
pub(crate) fn histogram_mut<'a>(recording: &'a mut Recording, kind: &str) -> Option<&'a mut Histogram> {
    Some(match kind {
        "service" => &mut recording.service,
        "response" => &mut recording.response,
        "lag" => &mut recording.lag,
        "failed" => &mut recording.failed,
        "timed_out" => &mut recording.timed_out,
        "encode" => &mut recording.encode,
        "wait" => &mut recording.wait,
        "plugin" => &mut recording.plugin,
        _ => return None,
    })
}
