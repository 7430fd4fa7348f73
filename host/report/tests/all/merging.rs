//! Parts of one load become one result: nothing is lost, nothing counts twice, and what is no part is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchhost_core::{Ending, OpError, PhaseName, Plan, PlanSpec, Recording, RunResult, Spans, Stamps, Status};
use benchhost_core::{ErrorKind, Interval, Observer, OperationEnding};
use benchhost_report::document::{Counts, Ended, KeptWord};
use benchhost_report::{
    Bundle, Document, LOG_FILE, MergeError, Merged, RUN_FILE, Style, histograms, merge, show, text,
};
use proptest::prelude::*;

use crate::common::bundles::{Cut, intervals, measured, merged, whole, writer};

/// A run from another machine: its own seed, endpoint and start.
fn part(number: u64, change: impl FnOnce(&mut PlanSpec)) -> RunResult {
    let mut spec = PlanSpec {
        seed: number,
        endpoint: Some(format!("http://10.0.0.{number}:8086")),
        ..crate::common::asked::spec()
    };
    change(&mut spec);
    let mut result = crate::common::complete();
    result.plan = Plan::new(spec).unwrap();
    result.started_at += Duration::from_millis(100 * number);
    result
}

/// Bundles in folders `a`, `b`, …, of closed loops whose intervals are these.
fn bundles(top: &Path, parts: &[Vec<Recording>]) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = ["a", "b", "c", "d", "e"].iter().take(parts.len()).map(|name| top.join(name)).collect();
    for (number, (folder, recordings)) in folders.iter().zip(parts).enumerate() {
        whole(folder, &mut part(number as u64, |_| ()), &measured(recordings.clone()));
    }
    folders
}

fn refused(folders: &[PathBuf]) -> String {
    merge(folders).unwrap_err().to_string()
}

/// Every counter of a document.
fn counters(counts: &Counts) -> [u64; 13] {
    let Counts { rows, operations, values, raw_bytes, sent_bytes, received_bytes } = *counts;
    [
        rows.sent,
        rows.acknowledged,
        rows.unknown,
        rows.stored.unwrap(),
        operations.ok,
        operations.failed,
        operations.timed_out,
        operations.retried,
        operations.crashed,
        values,
        raw_bytes,
        sent_bytes,
        received_bytes,
    ]
}

/// Operations of every ending with any duration, and every counter set.
fn recordings() -> impl Strategy<Value = Recording> {
    let operation = (0..3_u8, any::<u32>().prop_map(|ns| u64::from(ns) * 900));
    (prop::collection::vec(operation, 0..40), prop::array::uniform9(0..1_000_u64)).prop_map(|(operations, counts)| {
        let mut recording = Recording::default();
        for (ending, ns) in operations {
            let ending = [OperationEnding::Ok, OperationEnding::Failed, OperationEnding::TimedOut][usize::from(ending)];
            let time = Duration::from_nanos(ns);
            let spans = Spans { encode: time / 8, wait: time / 2, plugin: time / 16 };
            let sent = Duration::from_nanos(ns / 3);
            recording.operation(ending, Stamps { intended: Some(sent / 2), sent, done: sent + time }, spans);
        }
        let [sent, acknowledged, unknown, retried, crashed, values, raw_bytes, sent_bytes, received_bytes] = counts;
        recording.rows.sent += sent + 1;
        recording.rows.acknowledged += acknowledged + 1;
        recording.rows.unknown += unknown;
        recording.operations.retried += retried;
        recording.operations.crashed += crashed;
        recording.volume.values += values;
        recording.volume.raw_bytes += raw_bytes;
        recording.volume.sent_bytes += sent_bytes;
        recording.volume.received_bytes += received_bytes;
        recording
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn merged_parts_are_as_if_one_had_recorded_them(
        parts in prop::collection::vec(prop::collection::vec(recordings(), 1..3), 1..4)
    ) {
        let top = tempfile::tempdir().unwrap();
        let folders = bundles(top.path(), &parts);
        let Merged { document, histograms } = merge(&folders).unwrap();

        let everything: Vec<Recording> = parts.concat();
        let one = merged(&everything);
        let kinds = [
            ("service", &one.service), ("response", &one.response), ("lag", &one.lag), ("failed", &one.failed),
            ("timed_out", &one.timed_out), ("encode", &one.encode), ("wait", &one.wait), ("plugin", &one.plugin),
        ];
        for (kind, expected) in kinds {
            let figures = document.latency.get(kind).or_else(|| document.spans.get(kind)).map(|by| by["write"]);
            let found = histograms.get(&format!("write.{kind}"));
            prop_assert_eq!(found.is_some(), !expected.is_empty());
            prop_assert_eq!(figures.is_some(), !expected.is_empty());
            let (Some(found), Some(figures)) = (found, figures) else { continue };
            prop_assert!(found.hdr() == expected.hdr(), "{} differs", kind);
            let summary = expected.summary();
            prop_assert_eq!((figures.count, figures.min_ns, figures.max_ns), (summary.count, summary.min_ns, summary.max_ns));
            prop_assert_eq!((figures.p50_ns, figures.p90_ns), (summary.p50_ns, summary.p90_ns));
            let (mean, exact) = (figures.mean_ns.unwrap(), summary.mean_ns.unwrap());
            prop_assert!((mean - exact).abs() <= exact * 1e-9, "{} is {}, not {}", kind, mean, exact);
        }

        let documents: Vec<Document> = folders.iter().map(|folder| show(folder).unwrap()).collect();
        let sums = documents.iter().map(|part| counters(&part.counts)).reduce(|mut sums, part| {
            sums.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
            sums
        });
        prop_assert_eq!(counters(&document.counts), sums.unwrap());
        let rates: f64 = documents.iter().map(|part| part.throughput.unwrap().rows_per_s).sum();
        prop_assert!((document.throughput.unwrap().rows_per_s - rates).abs() <= rates * 1e-9);

        // What is written is read again as it was, and can be merged again.
        let bundle = Bundle::create(&top.path().join("merged")).unwrap();
        Merged { document: document.clone(), histograms }.write(&bundle).unwrap();
        prop_assert_eq!(&show(bundle.folder()).unwrap(), &document);
        let again = merge(&[bundle.folder().to_owned()]).unwrap().document;
        prop_assert_eq!(again.counts, document.counts);
        prop_assert_eq!(&again.latency, &document.latency);
        prop_assert_eq!(&again.spans, &document.spans);
    }
}

#[test]
fn rates_add_up_and_the_time_is_that_of_the_union() {
    let top = tempfile::tempdir().unwrap();
    // Three seconds each; the second began 100 ms after the first.
    let folders = bundles(top.path(), &[intervals(&[100, 100, 100], None), intervals(&[200, 200, 200], None)]);
    let document = merge(&folders).unwrap().document;
    let step = &document.steps[0];
    assert!((document.throughput.unwrap().rows_per_s - 300_000.0).abs() < 1e-6);
    assert!((step.seconds - 3.1).abs() < 1e-9, "{}", step.seconds);
    assert_eq!(step.workers, 16);
    assert_eq!(document.started_at, show(&folders[0]).unwrap().started_at);
    assert_eq!(document.counts.rows.stored, Some(900_000));
    // Facts that differ are nobody's facts.
    assert_eq!((document.plan.endpoint, document.dataset.fingerprint), (None, None));
    let names: Vec<(&str, u64)> = document.parts.iter().map(|part| (part.name.as_str(), part.seed)).collect();
    assert_eq!(names, [("a", 0), ("b", 1)]);
    assert_eq!(document.verdict.status, Status::Valid);
}

#[test]
fn a_page_of_merged_parts_names_them() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[1000, 1000], None), intervals(&[1000, 1000], None)]);
    let page = text(&merge(&folders).unwrap().document, Style::default());
    assert!(page.starts_with("VALID  2.00M rows/s · p99 service time 31.8 ms"), "{page}");
    assert!(page.contains("merged       a: valid at 1.00M rows/s · b: valid at 1.00M rows/s"), "{page}");
}

#[test]
fn the_worst_verdict_counts_and_reasons_name_their_bundle() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[100], None)]);
    let mut other = part(7, |_| ());
    other.ending = Ending::Interrupted;
    let mut failed = intervals(&[50], None);
    failed[0].errors.add(&OpError::new(ErrorKind::Rejected, "no"));
    whole(&top.path().join("other"), &mut other, &measured(failed));
    let document = merge(&[folders[0].clone(), top.path().join("other")]).unwrap().document;
    assert_eq!(document.verdict.status, Status::Invalid);
    assert_eq!((document.ended, document.partial), (Ended::Interrupted, true));
    let reason = &document.verdict.reasons[0];
    assert_eq!(reason.code, "interrupted");
    assert!(reason.text.starts_with("other: the run was stopped early"), "{}", reason.text);
    assert_eq!((document.errors[0].kind.as_str(), document.errors[0].count), ("rejected", 1));
}

#[test]
fn parts_that_did_not_run_at_the_same_time_are_doubtful() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[100, 100], None)]);
    let mut late = part(1, |_| ());
    late.started_at += Duration::from_secs(3600);
    whole(&top.path().join("late"), &mut late, &measured(intervals(&[100, 100], None)));
    let verdict = merge(&[folders[0].clone(), top.path().join("late")]).unwrap().document.verdict;
    assert_eq!((verdict.status, verdict.reasons[0].code.as_str()), (Status::Suspect, "parts-apart"));
    assert!(verdict.reasons[0].text.contains("for 0 % of the measured time"), "{}", verdict.reasons[0].text);
}

#[test]
fn steps_and_warm_up_are_merged_one_by_one() {
    let top = tempfile::tempdir().unwrap();
    let cut = |phase, step, count| Cut { phase, step, recordings: intervals(&[count], None) };
    let folders: Vec<PathBuf> = ["a", "b"].map(|name| top.path().join(name)).into();
    for (number, folder) in folders.iter().enumerate() {
        let mut result = part(number as u64, |spec| spec.workers = vec![4, 16]);
        let more = 100 * number as u64;
        whole(
            folder,
            &mut result,
            &[
                cut(PhaseName::Warmup, 0, 10 + more),
                cut(PhaseName::Measure, 0, 300 + more),
                cut(PhaseName::Measure, 1, 200 + more),
            ],
        );
    }
    let Merged { document, histograms } = merge(&folders).unwrap();
    let counts = |tag: &str| histograms[tag].count();
    assert_eq!(counts("warm-up.write.service"), 120);
    assert_eq!((counts("w4.write.service"), counts("w16.write.service")), (700, 500));
    assert_eq!(document.steps.iter().map(|step| step.workers).collect::<Vec<_>>(), [8, 32]);
    assert_eq!(document.headline_step, Some(0));
    assert_eq!(document.latency["service"]["write"].count, 700);
    let warmup = document.warmup.unwrap();
    assert_eq!((warmup.measured, warmup.counts.operations.ok), (false, 120));
    assert_eq!(document.counts.operations.ok, 120 + 700 + 500);
}

#[test]
fn objectives_are_checked_against_the_whole() {
    let top = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = ["a", "b"].map(|name| top.path().join(name)).into();
    for (number, folder) in folders.iter().enumerate() {
        // Neither part reaches the rate, both together do; and only together have they enough operations for the percentile.
        let objectives = ["rate>=1500krows", "p99<1ms"].map(|text| text.parse().unwrap());
        let mut result = part(number as u64, |spec| spec.objectives = objectives.into());
        whole(folder, &mut result, &measured(intervals(&[800], None)));
    }
    let kept: Vec<KeptWord> = merge(&folders).unwrap().document.objectives.iter().map(|entry| entry.kept).collect();
    assert_eq!(kept, [KeptWord::Yes, KeptWord::No]);
}

#[test]
fn what_is_no_part_of_the_load_is_refused_by_what_differs() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[10], None)]);
    type Change = fn(&mut PlanSpec);
    let changes: [(&str, Change, &str); 5] = [
        ("workers", |spec| spec.workers = vec![9], "plan.workers is [9], not [8]"),
        ("batch", |spec| spec.batch_rows = 7, "plan.batch_rows is 7, not 1000"),
        ("time", |spec| spec.duration = Some(Duration::from_secs(1)), "plan.duration_seconds is 1.0, not absent"),
        ("data", |spec| spec.dataset.name = "types".into(), "plan.dataset.name is `types`, not `cpu`"),
        (
            "gzip",
            |spec| drop(spec.target.settings.insert("gzip".into(), "on".into())),
            "plan.target.settings.gzip is `on`, not `off`",
        ),
    ];
    for (name, change, words) in changes {
        let folder = top.path().join(name);
        whole(&folder, &mut part(1, change), &measured(intervals(&[10], None)));
        let error = refused(&[folders[0].clone(), folder]);
        assert!(error.starts_with(&format!("`{name}` is no part of the same load as `a`")), "{error}");
        assert!(error.contains(words), "{error}");
    }
    // What each machine decides for itself does not matter.
    let folder = top.path().join("own");
    let mut own = part(1, |spec| {
        spec.max_errors = 7;
        spec.memory_budget_bytes = 1;
        spec.generator_threads = 64;
        spec.existing = benchhost_core::Existing::Append;
    });
    whole(&folder, &mut own, &measured(intervals(&[10], None)));
    assert!(merge(&[folders[0].clone(), folder]).is_ok());
}

#[test]
fn nothing_and_the_same_folder_twice_are_refused() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[10], None)]);
    assert!(matches!(merge(&[]), Err(MergeError::Nothing)));
    let error = refused(&[folders[0].clone(), top.path().join("a/../a")]);
    assert!(error.contains("is given twice"), "{error}");
    let error = refused(&[folders[0].clone(), top.path().join("nowhere")]);
    assert!(error.contains("is no result of a run"), "{error}");
}

#[test]
fn a_log_that_does_not_have_what_the_document_counts_is_refused() {
    let top = tempfile::tempdir().unwrap();
    let folders = bundles(top.path(), &[intervals(&[30, 20], None)]);
    let file = folders[0].join(LOG_FILE);
    let log = fs::read_to_string(&file).unwrap();
    let first = log.find("Tag=write.service,").unwrap();
    let end = first + log[first..].find('\n').unwrap() + 1;
    fs::write(&file, format!("{}{}", &log[..first], &log[end..])).unwrap();
    let error = refused(&folders);
    assert!(error.contains("has 20 samples of write.service, and its document 50"), "{error}");
}

#[test]
fn a_run_that_was_killed_can_be_merged_and_makes_the_whole_invalid() {
    let top = tempfile::tempdir().unwrap();
    let mut folders = bundles(top.path(), &[intervals(&[30], None)]);
    let killed = top.path().join("killed");
    let mut writer = writer(&killed, &part(1, |_| ()));
    let recordings = intervals(&[40, 5], None);
    let second = Duration::from_secs(1);
    let interval = |recording| Interval {
        phase: PhaseName::Measure,
        step: 0,
        offered_per_s: None,
        start: second,
        length: second,
        recording,
    };
    writer.interval(interval(&recordings[0]));
    let behind = fs::read(killed.join(RUN_FILE)).unwrap();
    writer.interval(interval(&recordings[1]));
    fs::write(killed.join(RUN_FILE), behind).unwrap();
    folders.push(killed.clone());

    let Merged { document, histograms: merged } = merge(&folders).unwrap();
    assert_eq!((document.ended, document.verdict.status), (Ended::Running, Status::Invalid));
    assert_eq!(document.verdict.reasons[0].code, "unfinished");
    assert_eq!(merged["write.service"].count(), 75);
    assert_eq!(histograms(&killed, &show(&killed).unwrap()).unwrap()["write.service"].count(), 45);
    // A killed run was not asked what is stored, so nobody knows of the whole.
    assert_eq!(document.counts.rows.stored, None);
}

#[test]
fn folders_of_the_same_name_are_told_apart_by_their_paths() {
    let top = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = ["x/run", "y/run"].map(|name| top.path().join(name)).into();
    for (number, folder) in folders.iter().enumerate() {
        whole(folder, &mut part(number as u64, |_| ()), &measured(intervals(&[10], None)));
    }
    let names: Vec<String> = merge(&folders).unwrap().document.parts.into_iter().map(|part| part.name).collect();
    assert_eq!(names, folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>());
}
