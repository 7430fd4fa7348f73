//! A bundle while its run goes on: what is there at every moment, and what a process that is killed leaves behind.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use benchhost_core::{Crash, Interval, Observer, Phase, PhaseName, Recording, Status};
use benchhost_report::document::Ended;
use benchhost_report::{Bundle, BundleWriter, INTERVALS_FILE, LOG_FILE, RUN_FILE, Style, histograms, show, text};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use crate::common::bundles::{Cut, intervals, measured, merged, names_in, tell, whole, writer};

/// Tags with start, length, longest value and count, read by the histogram crate alone.
fn log_lines(folder: &Path) -> Vec<(String, Duration, Duration, f64, Histogram<u64>)> {
    let log = fs::read(folder.join(LOG_FILE)).unwrap();
    IntervalLogIterator::new(&log)
        .filter_map(|entry| match entry.unwrap() {
            LogEntry::Interval(interval) => {
                let bytes = base64::engine::general_purpose::STANDARD.decode(interval.encoded_histogram()).unwrap();
                let histogram = Deserializer::new().deserialize(&mut Cursor::new(bytes)).unwrap();
                let tag = interval.tag().unwrap().as_str().to_owned();
                Some((tag, interval.start_timestamp(), interval.duration(), interval.max(), histogram))
            }
            _ => None,
        })
        .collect()
}

fn counts_of(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
}

fn append(file: &Path, torn: &str) {
    fs::OpenOptions::new().append(true).open(file).unwrap().write_all(torn.as_bytes()).unwrap();
}

#[test]
fn the_official_reader_finds_every_recorded_count() {
    let top = tempfile::tempdir().unwrap();
    let recordings = intervals(&[700, 0, 300], Some(5_000));
    let mut writer = writer(top.path(), &crate::common::scheduled());
    tell(&mut writer, &measured(recordings.clone()));

    let lines = log_lines(top.path());
    // Two of three intervals hold anything, in six histograms each.
    assert_eq!(lines.len(), 12);
    let of = |tag: &str| lines.iter().filter(|line| line.0 == tag).collect::<Vec<_>>();
    for (tag, recorded) in [
        ("write.service", [&recordings[0].service, &recordings[2].service]),
        ("write.response", [&recordings[0].response, &recordings[2].response]),
        ("write.lag", [&recordings[0].lag, &recordings[2].lag]),
        ("write.wait", [&recordings[0].wait, &recordings[2].wait]),
    ] {
        let found = of(tag);
        assert_eq!(found.len(), 2, "{tag}");
        for ((_, start, length, longest, histogram), recorded) in found.iter().zip(recorded) {
            assert_eq!(counts_of(histogram), counts_of(&recorded.hdr()), "{tag}");
            assert_eq!(*length, Duration::from_secs(1));
            assert!([0, 2].contains(&start.as_secs()), "{start:?}");
            // In milliseconds, as the log's header says.
            assert!((longest - recorded.hdr().max() as f64 / 1e6).abs() < 0.001, "{tag}: {longest}");
        }
    }
}

#[test]
fn the_log_begins_as_readers_want_it() {
    let top = tempfile::tempdir().unwrap();
    let mut writer = writer(top.path(), &crate::common::complete());
    tell(&mut writer, &measured(intervals(&[10, 10], None)));
    let log = fs::read_to_string(top.path().join(LOG_FILE)).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "#[Histogram log format version 1.3]");
    assert_eq!(lines[2], "#[StartTime: 1772366400.123 (seconds since epoch)]");
    assert_eq!(lines[3], "#[MaxValueDivisor: 1000000.000]");
    assert!(lines[4].starts_with("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\""), "{}", lines[4]);
    assert!(lines[5].starts_with("Tag=write.service,0.000,1.000,"), "{}", lines[5]);
    assert_eq!(lines.iter().filter(|line| line.starts_with('#')).count(), 4, "the header is repeated");
}

#[test]
fn warm_up_and_steps_have_tags_of_their_own_and_other_phases_have_none() {
    let top = tempfile::tempdir().unwrap();
    let mut writer = writer(top.path(), &crate::common::ladder());
    let cut = |phase, step| Cut { phase, step, recordings: intervals(&[20], None) };
    let measure = PhaseName::Measure;
    tell(&mut writer, &[cut(PhaseName::Warmup, 0), cut(measure, 0), cut(measure, 1), cut(PhaseName::Headroom, 0)]);
    let tags: Vec<String> =
        log_lines(top.path()).into_iter().map(|line| line.0).filter(|tag| tag.ends_with("service")).collect();
    assert_eq!(tags, ["warm-up.write.service", "w1.write.service", "w4.write.service"]);
    assert_eq!(fs::read_to_string(top.path().join(INTERVALS_FILE)).unwrap().lines().count(), 4);
}

#[test]
fn every_interval_is_a_line_of_the_series() {
    let top = tempfile::tempdir().unwrap();
    let mut writer = writer(top.path(), &crate::common::scheduled());
    let warmup = Cut { phase: PhaseName::Warmup, step: 0, recordings: intervals(&[30], Some(1_000)) };
    let measured = Cut { phase: PhaseName::Measure, step: 0, recordings: intervals(&[1000, 0], Some(1_000)) };
    tell(&mut writer, &[warmup, measured]);

    let series = fs::read_to_string(top.path().join(INTERVALS_FILE)).unwrap();
    let lines: Vec<Vec<&str>> = series.lines().map(|line| line.split(',').collect()).collect();
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{series}");
    let cell = |line: usize, name: &str| lines[line][lines[0].iter().position(|column| *column == name).unwrap()];
    assert_eq!((cell(1, "phase"), cell(1, "step"), cell(1, "rows")), ("warm-up", "", "30000"));
    assert_eq!((cell(2, "phase"), cell(2, "step"), cell(2, "ok")), ("measure", "0", "1000"));
    assert_eq!((cell(2, "start_s"), cell(2, "length_s")), ("100.000000", "1.000000"));
    assert_eq!(cell(2, "sent_bytes"), (1000_u64 * 222_137).to_string());
    assert_ne!(cell(2, "response_p99_ns"), "");
    assert_eq!(cell(2, "lag_max_ns"), "999000");
    // Of 30 operations, none lies far enough beyond the 99th percentile; of none, there is no time at all.
    assert_eq!((cell(1, "service_p99_ns"), cell(3, "service_max_ns"), cell(3, "ok")), ("", "", "0"));
}

#[test]
fn a_run_that_goes_on_has_a_document_that_says_so_and_has_its_figures_so_far() {
    let top = tempfile::tempdir().unwrap();
    let result = crate::common::complete();
    let mut writer = writer(top.path(), &result);
    let before = show(top.path()).unwrap();
    assert_eq!((before.ended, before.partial, before.headline_step), (Ended::Running, true, None));
    assert_eq!(before.verdict.status, Status::Invalid);
    assert_eq!(before.verdict.reasons[0].code, "unfinished");

    writer.ended(Phase { name: PhaseName::Generate, time: Duration::from_millis(3), rows: 1_000_000 });
    writer.crashed(&Crash { plugin: "p".into(), call: "c".into(), reason: "r".into(), stderr: String::new() });
    let recordings = intervals(&[700, 300], None);
    tell(&mut writer, &measured(recordings.clone()));
    let so_far = show(top.path()).unwrap();
    let all = merged(&recordings);
    assert_eq!(so_far.ended, Ended::Running);
    assert_eq!(so_far.counts.rows.acknowledged, all.rows.acknowledged);
    assert_eq!(so_far.latency["service"]["write"].count, 1000);
    assert_eq!(so_far.latency["service"]["write"].max_ns, all.service.max());
    assert_eq!(so_far.throughput.unwrap().rows_per_s, 500_000.0);
    assert_eq!(so_far.phases[0].rows, Some(1_000_000));
    assert_eq!(so_far.dataset.rows, Some(1_000_000));
    assert_eq!(so_far.crash.clone().unwrap().plugin, "p");
    // The page of it can be read, and does not give a rate where it would be quoted.
    let page = text(&so_far, Style::default());
    assert!(page.starts_with("INVALID  1,000,000 rows acknowledged\n"), "{page}");
    assert!(page.contains("the run did not end, or has not ended yet"), "{page}");
    // Nothing temporary is left, as at any moment.
    assert_eq!(names_in(top.path()), [INTERVALS_FILE, LOG_FILE, RUN_FILE].map(PathBuf::from));
}

#[test]
fn the_result_replaces_what_was_written_while_the_run_went_on() {
    let top = tempfile::tempdir().unwrap();
    let recordings = intervals(&[700, 300], None);
    let document = whole(top.path(), &mut crate::common::complete(), &measured(recordings.clone()));
    assert_eq!(show(top.path()).unwrap(), document);
    assert_eq!(document.ended, Ended::Complete);

    let names = names_in(top.path());
    for name in ["write.service.hgrm", "write.encode.hgrm", "write.wait.hgrm", "write.plugin.hgrm"] {
        assert!(names.contains(&PathBuf::from(name)), "{names:?}");
    }
    assert!(!names.contains(&PathBuf::from("write.lag.hgrm")), "nothing of it was measured");
    let distribution = fs::read_to_string(top.path().join("write.service.hgrm")).unwrap();
    assert_eq!(distribution, benchhost_report::percentile_distribution(&merged(&recordings).service));
    let read = histograms(top.path(), &document).unwrap();
    assert_eq!(read["write.service"].summary(), merged(&recordings).service.summary());
}

#[test]
fn lines_that_were_not_written_to_their_end_hinder_nobody() {
    let top = tempfile::tempdir().unwrap();
    let mut writer = writer(top.path(), &crate::common::complete());
    tell(&mut writer, &measured(intervals(&[500], None)));
    drop(writer);
    let log = fs::read_to_string(top.path().join(LOG_FILE)).unwrap();
    let line = log.lines().find(|line| line.starts_with("Tag=write.service")).unwrap();
    for torn in [1, 4, 20, line.len() / 2, line.len()] {
        fs::write(top.path().join(LOG_FILE), format!("{log}{}", &line[..torn])).unwrap();
        let document = show(top.path()).unwrap();
        assert_eq!(histograms(top.path(), &document).unwrap()["write.service"].count(), 500, "{torn}");
    }
    append(&top.path().join(INTERVALS_FILE), "measure,0,1.0000");
    assert_eq!(show(top.path()).unwrap().counts.operations.ok, 500);
}

#[test]
fn a_document_that_is_an_interval_behind_its_log_is_read_with_it() {
    let top = tempfile::tempdir().unwrap();
    let mut writer = writer(top.path(), &crate::common::complete());
    let mut cuts = measured(intervals(&[500, 100], None));
    let last = cuts[0].recordings.pop().unwrap();
    tell(&mut writer, &cuts);
    let behind = fs::read(top.path().join(RUN_FILE)).unwrap();
    cuts[0].recordings = vec![last];
    tell(&mut writer, &cuts);
    fs::write(top.path().join(RUN_FILE), behind).unwrap();

    let document = show(top.path()).unwrap();
    let service = &histograms(top.path(), &document).unwrap()["write.service"];
    assert_eq!((document.latency["service"]["write"].count, service.count()), (500, 600));
    // Nothing exact is known of the whole, so the buckets have to do: three digits.
    let longest = cuts[0].recordings[0].service.max().max(document.latency["service"]["write"].max_ns).unwrap();
    assert!(service.max().unwrap().abs_diff(longest) <= longest / 1000, "{:?} {longest}", service.max());
}

#[test]
fn a_run_without_a_result_takes_its_files_away_and_no_others() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("notes.txt"), "mine").unwrap();
    writer(top.path(), &crate::common::complete()).discard();
    assert_eq!(names_in(top.path()), [PathBuf::from("notes.txt")]);
}

#[test]
fn what_is_there_already_is_not_touched() {
    let result = crate::common::complete();
    let start = |bundle| {
        let plugins = crate::common::plugins(&result);
        BundleWriter::start(bundle, &result.plan, result.started_at, &crate::common::host(), &plugins).err().unwrap()
    };
    for name in [RUN_FILE, LOG_FILE, INTERVALS_FILE] {
        let top = tempfile::tempdir().unwrap();
        let bundle = Bundle::create(top.path()).unwrap();
        fs::write(top.path().join(name), "of another").unwrap();
        let error = Bundle::create(top.path()).unwrap_err().to_string();
        assert!(error.contains("already holds the result of a run"), "{error}");
        // Also when it came after the folder was looked at.
        let error = start(bundle).to_string();
        assert!(error.contains(&top.path().display().to_string()), "{error}");
        assert_eq!(fs::read_to_string(top.path().join(name)).unwrap(), "of another");
        assert_eq!(names_in(top.path()), [PathBuf::from(name)], "what was begun is left behind");
    }
}

#[test]
fn what_cannot_be_written_is_told_at_the_end_and_does_not_stop_the_run() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("run");
    let mut writer = writer(&folder, &crate::common::complete());
    assert!(writer.failure().is_none());
    fs::remove_dir_all(&folder).unwrap();
    let recording = Recording::default();
    let length = Duration::from_secs(1);
    for step in 0..2 {
        let phase = PhaseName::Measure;
        writer.interval(Interval {
            phase,
            step: 0,
            offered_per_s: None,
            start: length * step,
            length,
            recording: &recording,
        });
    }
    assert!(writer.failure().unwrap().to_string().contains(RUN_FILE));
    // The folder is back: the document is written all the same, and the first error is given.
    fs::create_dir(&folder).unwrap();
    let document = crate::common::document(&crate::common::complete());
    assert!(writer.finish(&document).unwrap_err().to_string().contains("cannot write the result"));
    assert_eq!(show(&folder).unwrap(), document);
}
