//! The bundle and the page of a search for the highest rate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::bundles::{names_in, writer};
use benchhost_core::{Bound, Interval, Limit, Observer, PhaseName, RunResult};
use benchhost_report::{Document, Style, histograms, merge, show, text};

/// A bundle of the search, told a second of each of its probes.
fn bundle(folder: &Path, result: &RunResult) -> Document {
    let mut writer = writer(folder, result);
    for (step, measured) in result.steps.iter().enumerate() {
        let interval = Interval {
            phase: PhaseName::Measure,
            step,
            offered_per_s: Some(measured.schedule.unwrap().offered_per_s),
            start: measured.start,
            length: Duration::from_secs(1),
            recording: &measured.recording,
        };
        writer.interval(interval);
        if step == 0 {
            let so_far = show(folder).unwrap();
            assert_eq!(so_far.steps[0].name.as_deref(), Some("r200"), "a search that is killed can be read too");
            assert!(histograms(folder, &so_far).unwrap().contains_key("r200.write.response"));
        }
    }
    let document = crate::common::document(result);
    writer.finish(&document).unwrap();
    document
}

#[test]
fn every_probe_has_tags_of_its_rate() {
    let top = tempfile::tempdir().unwrap();
    let result = crate::common::searched();
    let document = bundle(&top.path().join("run"), &result);
    assert_eq!(show(&top.path().join("run")).unwrap(), document);
    let names: Vec<&str> = document.steps.iter().map(|step| step.name.as_deref().unwrap()).collect();
    let confirming = ["r466", "r466-2", "r466-3", "r466-4", "r466-5"];
    assert_eq!(names, [&["r200", "r400", "r800", "r566", "r476", "r476-2"][..], &confirming].concat());

    let read = histograms(&top.path().join("run"), &document).unwrap();
    for (name, step) in names.iter().zip(&document.steps) {
        let response = &read[&format!("{name}.write.response")];
        assert_eq!(response.summary().p99_ns, step.latency["response"]["write"].p99_ns, "{name}");
    }
    // Distributions are those of the windows that confirmed the rate.
    let files = names_in(&top.path().join("run"));
    let of = |file: &PathBuf| file.to_str().unwrap().strip_suffix(".write.response.hgrm").map(str::to_owned);
    assert_eq!(files.iter().filter_map(of).collect::<BTreeSet<_>>(), confirming.map(str::to_owned).into());
}

#[test]
fn the_figures_are_of_the_slowest_window_that_confirmed_the_rate() {
    let document = crate::common::document(&crate::common::searched());
    // Each window of the fixture lags more than the one before.
    assert_eq!(document.headline_step, Some(10));
    let slowest = document.steps[6..].iter().map(|step| step.latency["response"]["write"].p99_ns).max().unwrap();
    assert_eq!(document.latency["response"]["write"].p99_ns, slowest);
    let nothing = crate::common::document(&crate::common::nothing_held());
    assert_eq!((nothing.headline_step, nothing.throughput), (None, None));
}

#[test]
fn the_page_leads_with_the_rate_and_says_when_it_is_only_the_least() {
    let first_line = |result: &RunResult| {
        let page = text(&crate::common::document(result), Style::default());
        page.lines().next().unwrap().to_owned()
    };
    let line = first_line(&crate::common::searched());
    assert!(line.starts_with("VALID  sustains 466k rows/s · 466 operations/s · p99 response time "), "{line}");
    let line = first_line(&crate::common::searched_until(Bound::Client(Limit::Workers(8))));
    assert!(line.starts_with("SUSPECT  sustains at least 466k rows/s"), "{line}");
    assert!(first_line(&crate::common::nothing_held()).starts_with("INVALID  "));
}

#[test]
fn searches_of_several_clients_do_not_add_up() {
    let top = tempfile::tempdir().unwrap();
    let folders = ["a", "b"].map(|name| top.path().join(name));
    for folder in &folders {
        bundle(folder, &crate::common::searched());
    }
    let error = merge(&folders).unwrap_err().to_string();
    assert!(error.starts_with("`a` is of a search (--find-max)"), "{error}");
    let alone = merge(&folders[..1]).unwrap().document;
    assert_eq!(
        (alone.search, alone.headline_step),
        (crate::common::document(&crate::common::searched()).search, Some(10))
    );
}
