//! Load by a schedule, by time and in steps, on a real server: what was offered, what was achieved, and what the report leads with.

use std::fs;

use anyhow::{Context as _, Result};
use benchhost_tests::influx::Influx;
use benchhost_tests::{Document, Invocation, Series, Shared};
use xtask::servers::Server;

static SERVER: Shared = Shared::open(Server::Influx1);

/// A run into a database of its own, with quiet terminals and batches of 100 rows.
fn run(database: &str, flags: &str) -> Result<Invocation> {
    let run = Invocation::timed("influx", SERVER.always()?.endpoint(), "cpu")?;
    Ok(run.args(&format!("--database {database} -P hosts=1 --batch-rows 100 --progress none")).args(flags))
}

fn number(document: &Document, path: &str) -> Result<f64> {
    document.at(path).as_f64().with_context(|| format!("no number at {path} of {:#}", document.0))
}

/// Passes when every acknowledged row is stored, as the document and the server say.
fn expect_stored(document: &Document, database: &str) -> Result<u64> {
    let rows = document.rows()?;
    assert_eq!((rows.unknown, rows.stored), (0, Some(rows.acknowledged)), "{rows:?}");
    assert_eq!(Influx::new(SERVER.always()?, database).count("cpu", "cpu")?, rows.acknowledged);
    Ok(rows.acknowledged)
}

#[test]
fn a_schedule_that_the_server_can_take_is_held_and_the_report_leads_with_response_time() -> Result<()> {
    let finished = run("low_rate", "-c 4 --rate 50op --duration 3s")?.finish()?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    assert_eq!(document.verdict()?, "valid", "{}", document.at("verdict"));
    // Not one operation more or less than the schedule has, whatever the server does.
    assert_eq!(document.count("counts.operations.ok")?, 150);
    assert_eq!(expect_stored(&document, "low_rate")?, 15_000);

    assert_eq!(document.text("plan.offered.loop")?, "open");
    let (offered, achieved) =
        (number(&document, "steps.0.schedule.offered_per_s")?, number(&document, "steps.0.schedule.achieved_per_s")?);
    assert!((offered - 50.0).abs() < 1e-6 && achieved >= 0.99 * offered, "{offered} {achieved}");
    assert_eq!(document.count("steps.0.schedule.unsent")?, 0);

    for clock in ["response", "service", "lag"] {
        assert_eq!(document.count(&format!("latency.{clock}.write.count"))?, 150, "{clock}");
    }
    // Response time is lag and service time, operation by operation: so are the means.
    let mean = |clock: &str| number(&document, &format!("latency.{clock}.write.mean_ns"));
    let (response, parts) = (mean("response")?, mean("lag")? + mean("service")?);
    assert!((response - parts).abs() < 1.0, "{response} {parts}");
    let report = &finished.outcome.stdout;
    assert!(report.contains("\nResponse time ") && !report.contains("\nService time "), "{report}");
    Ok(())
}

#[test]
fn a_rate_in_rows_is_a_rate_of_batches_and_poisson_arrivals_are_repeatable() -> Result<()> {
    let operations = |database: &str| -> Result<u64> {
        let document = run(database, "-c 4 --rate 10krows --arrival poisson --duration 2s --seed 7")?.succeed()?;
        assert_eq!(document.text("plan.offered.arrival")?, "poisson");
        // What was drawn, which is a whole number of operations in two seconds, and near what was asked for.
        let drawn = 2.0 * number(&document, "steps.0.schedule.offered_per_s")?;
        assert!((drawn - drawn.round()).abs() < 1e-6 && (drawn - 200.0).abs() < 70.0, "{drawn}");
        expect_stored(&document, database)?;
        document.count("counts.operations.ok")
    };
    let first = operations("poisson_one")?;
    // 200 expected, standard deviation 14.
    assert!((130..=270).contains(&first), "{first}");
    assert_eq!(operations("poisson_two")?, first);
    Ok(())
}

#[test]
fn stages_follow_each_other() -> Result<()> {
    let document = run("stages", "-c 4 --stage 1s:50op --stage 1s:100op")?.succeed()?;
    let stages = document.at("plan.offered.profile.stages").as_array().context("no stages")?;
    assert_eq!(stages.len(), 2);
    let due = stages.iter().filter_map(|stage| {
        let [seconds, from, to] = ["seconds", "from_per_s", "to_per_s"].map(|name| stage[name].as_f64());
        Some(seconds? * f64::midpoint(from?, to?))
    });
    let due: f64 = due.sum();
    let done = document.count("counts.operations.ok")? as f64;
    assert!(due > 0.0 && (done - due).abs() <= 1.0, "{done} of {due}");
    expect_stored(&document, "stages")?;
    Ok(())
}

/// One worker waits for each answer, which takes this server longer than a six-thousandth of a second.
#[test]
fn a_rate_that_the_server_cannot_take_is_told_with_both_rates() -> Result<()> {
    let finished = run("high_rate", "-c 1 --threads 1 --rate 6000op --duration 1s")?.finish()?;
    finished.outcome.expect_code(5)?;
    let document = finished.document()?;
    assert_eq!(document.verdict()?, "invalid");
    assert!(document.reasons().contains(&"schedule-not-held"), "{:?}", document.reasons());
    let reasons = document.at("verdict.reasons").as_array().context("no reasons")?;
    let reason = reasons.iter().find(|reason| reason["code"] == "schedule-not-held").context("no reason")?;
    let achieved = number(&document, "steps.0.schedule.achieved_per_s")?;
    assert!(achieved < 5_940.0, "{achieved}");
    let text = format!("6000 operations/s were offered and {achieved:.0} achieved");
    assert!(reason["text"].as_str().is_some_and(|found| found.contains(&text)), "{text}: {reason}");
    assert!(reason["advice"].as_str().is_some_and(|advice| advice.contains("--")), "{reason}");
    // Nothing that was due is left out, and the wait for its turn is in its response time.
    assert_eq!(document.count("counts.operations.ok")?, 6000);
    assert_eq!(expect_stored(&document, "high_rate")?, 600_000);
    assert!(document.count("steps.0.schedule.max_queue")? > 0);
    let p99 = |clock: &str| document.count(&format!("latency.{clock}.write.p99_ns"));
    assert!(p99("response")? > p99("service")?, "{}", document.at("latency"));
    assert!(finished.outcome.stdout.contains("INVALID"), "{}", finished.outcome.stdout);
    Ok(())
}

#[test]
fn a_ladder_has_a_step_for_each_number_of_workers() -> Result<()> {
    let document = run("ladder", "-c 1,2,4 --rows 20k")?.succeed()?;
    let steps = document.at("steps").as_array().context("no steps")?;
    let workers: Vec<_> = steps.iter().map(|step| step["workers"].as_u64()).collect();
    assert_eq!(workers, [Some(1), Some(2), Some(4)]);
    for number in 0..3 {
        assert_eq!(document.count(&format!("steps.{number}.counts.rows.acknowledged"))?, 20_000);
        assert_eq!(document.count(&format!("steps.{number}.latency.service.write.count"))?, 200);
    }
    assert_eq!(expect_stored(&document, "ladder")?, 60_000);
    let rate = |step: &serde_json::Value| step["throughput"]["rows_per_s"].as_f64().unwrap_or(0.0);
    let fastest = steps.iter().map(rate).fold(0.0, f64::max);
    let headline = usize::try_from(document.count("headline_step")?)?;
    assert!((rate(&steps[headline]) - fastest).abs() < 1e-9);
    assert_eq!(document.at("throughput"), &steps[headline]["throughput"]);
    Ok(())
}

#[test]
fn a_duration_is_measured_in_full_and_the_warm_up_before_it_is_kept_apart() -> Result<()> {
    let document = run("warm", "-c 2 --duration 2s --warmup 1s")?.succeed()?;
    // The last answer of each worker comes after the time is up.
    assert!(number(&document, "steps.0.seconds")? >= 2.0, "{}", document.at("steps.0.seconds"));
    assert!(number(&document, "warmup.seconds")? >= 1.0, "{}", document.at("warmup.seconds"));
    let ok = |path: &str| document.count(&format!("{path}counts.operations.ok"));
    let (all, warm, measured) = (ok("")?, ok("warmup.")?, ok("steps.0.")?);
    assert!(warm > 0 && measured > 0, "{warm} {measured}");
    assert_eq!(all, warm + measured);
    assert_eq!(document.count("latency.service.write.count")?, measured);
    assert_eq!(document.count("warmup.latency.service.write.count")?, warm);
    assert_eq!(expect_stored(&document, "warm")?, 100 * all);
    let phases = document.at("phases").as_array().context("no phases")?;
    let names: Vec<_> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    let place = |name: &str| names.iter().position(|found| *found == name).with_context(|| format!("no {name}"));
    assert!(place("warm-up")? < place("measure")?, "{names:?}");
    Ok(())
}

#[test]
fn the_series_adds_up_to_the_result() -> Result<()> {
    let finished = run("series", "-c 4 --rate 100op --duration 2s --warmup 1s --interval 250ms")?.finish()?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    let series = Series::read(&finished.result().join("intervals.csv"))?;
    for (phase, stretch, least) in [("warm-up", "warmup", 4), ("measure", "steps.0", 8)] {
        let of = series.of(phase);
        assert!(of.len() >= least, "{phase}: {of:?}");
        let counts = [
            ("rows", "rows.acknowledged"),
            ("ok", "operations.ok"),
            ("failed", "operations.failed"),
            ("timed_out", "operations.timed_out"),
            ("retried", "operations.retried"),
            ("raw_bytes", "raw_bytes"),
            ("sent_bytes", "sent_bytes"),
            ("received_bytes", "received_bytes"),
        ];
        for (column, path) in counts {
            assert_eq!(of.sum(column)?, document.count(&format!("{stretch}.counts.{path}"))?, "{phase} {column}");
        }
        // One begins where the last one ended; only the last of all may be cut short.
        let (starts, lengths) = (of.column::<f64>("start_s")?, of.column::<f64>("length_s")?);
        for (pair, length) in starts.windows(2).zip(lengths) {
            assert!((pair[1] - pair[0] - 0.25).abs() < 1e-5 && (length - 0.25).abs() < 1e-5, "{phase}: {starts:?}");
        }
    }
    assert_eq!(series.len(), series.of("warm-up").len() + series.of("measure").len());
    assert_eq!(series.of("measure").sum("ok")?, 200);
    Ok(())
}

#[test]
fn objectives_that_are_kept_change_nothing() -> Result<()> {
    let run = run("kept", "-c 4 --rate 50op --duration 2s")?;
    let finished = run.args("--slo p50<10s --slo service.mean<10s --slo errors<1% --slo rate>=1krows").finish()?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    assert_eq!(document.verdict()?, "valid", "{}", document.at("verdict"));
    let objectives = document.at("objectives").as_array().context("no objectives")?;
    let kept: Vec<_> =
        objectives.iter().map(|objective| (objective["text"].as_str(), objective["kept"].as_str())).collect();
    let yes = Some("yes");
    assert_eq!(
        kept,
        [
            (Some("p50<10s"), yes),
            (Some("service.mean<10s"), yes),
            (Some("errors<1%"), yes),
            (Some("rate>=1krows"), yes)
        ]
    );
    Ok(())
}

#[test]
fn a_missed_objective_has_an_exit_code_of_its_own_and_says_what_was_found() -> Result<()> {
    let finished = run("missed", "-c 4 --rate 50op --duration 2s")?.args("--slo p50<1us --slo p50<10s").finish()?;
    finished.outcome.expect_code(6)?;
    let document = finished.document()?;
    // The figures are right all the same.
    assert_eq!(document.verdict()?, "valid", "{}", document.at("verdict"));
    assert_eq!((document.text("objectives.0.kept")?, document.text("objectives.1.kept")?), ("no", "yes"));
    assert!(document.text("objectives.0.found")?.ends_with(" ms"), "{}", document.at("objectives"));
    let missed = format!("p50<1us: it was {}", document.text("objectives.0.found")?);
    assert!(finished.outcome.stdout.contains(&missed), "{}", finished.outcome.stdout);
    Ok(())
}

#[test]
fn a_server_that_is_observed_shows_what_it_used() -> Result<()> {
    let server = SERVER.always()?;
    let observe = format!("-c 2 --duration 2s --interval 250ms --observe pid:{}", server.pid());
    let finished = run("observed", &observe)?.finish()?;
    finished.outcome.expect_code(0)?;
    let document = finished.document()?;
    assert_eq!(document.text("server_usage.probe")?, format!("pid:{}", server.pid()));
    let usage = |name: &str| number(&document, &format!("server_usage.{name}"));
    assert!(usage("max_cpu_percent")? > 0.0 && usage("max_cpu_percent")? >= usage("mean_cpu_percent")?);
    // No server of this kind lives in less than a megabyte, nor in more than the machine has.
    let resident = resident_bytes(server.pid())?;
    assert!(usage("max_memory_bytes")? > 1e6 && usage("max_memory_bytes")? < 100.0 * resident, "{resident}");
    assert_eq!(usage("failed")? as u64, 0);
    let samples = document.at("server_usage.samples").as_array().context("no samples")?;
    let times: Vec<_> = samples.iter().filter_map(|sample| sample["at_seconds"].as_f64()).collect();
    assert!(times.len() >= 3 && times.is_sorted(), "{times:?}");
    assert!(finished.outcome.stdout.contains("of a CPU at most"), "{}", finished.outcome.stdout);
    Ok(())
}

/// What a process holds in memory now.
fn resident_bytes(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? * 1024.0)
}
