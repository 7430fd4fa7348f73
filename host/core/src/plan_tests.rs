//! What a plan refuses, and what its hash is of.

use super::*;

/// A plan that is valid as it stands.
pub(crate) fn spec() -> PlanSpec {
    let plugin = |name: &str| PluginChoice { name: name.into(), version: "1.0.0".into(), ..PluginChoice::default() };
    PlanSpec {
        target: plugin("fake"),
        dataset: plugin("fake-rows"),
        rows: Some(1000),
        batch_rows: 10,
        workers: vec![4],
        threads: 2,
        generator_threads: 2,
        retries: 3,
        max_errors: 10,
        max_queue: 1_000_000,
        max_crashes: 10,
        verify_timeout: Duration::from_secs(5),
        ..PlanSpec::default()
    }
}

fn error(change: impl FnOnce(&mut PlanSpec)) -> String {
    let mut spec = spec();
    change(&mut spec);
    Plan::new(spec).err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn contradictions_name_the_flag() {
    assert!(error(|s| s.rows = Some(0)).starts_with("--rows is 0"));
    assert!(error(|s| s.workers = vec![0]).starts_with("--workers is 0"));
    assert!(error(|s| s.workers = vec![1, MAX_WORKERS + 1]).contains("at most 10000"));
    assert!(error(|s| s.connections = Some(9)).contains("--connections 9 is more than --workers 4"));
    assert!(error(|s| s.timeout = Duration::ZERO).starts_with("--timeout is 0"));
    assert!(error(|s| s.rows = None).contains("neither --rows nor --duration"));
    let rate = |per_s| Offered::Open {
        profile: Profile::new(vec![crate::schedule::Stage::constant(Duration::from_secs(1), per_s)]),
        arrival: Arrival::Uniform,
    };
    assert!(error(|s| s.offered = rate(0.0)).starts_with("--rate is 0"));
    assert!(error(|s| s.offered = rate(-1.0)).starts_with("--rate is -1"));
    assert!(error(|s| (s.offered, s.workers) = (rate(1.0), vec![1, 2])).contains("climb a ladder"));
    let second = Duration::from_secs(1);
    let stages = error(|s| (s.offered, s.duration) = (rate(1.0), Some(second * 2)));
    assert!(stages.starts_with("--duration 2s goes with one --rate"), "{stages}");
    assert_eq!(error(|s| (s.offered, s.duration) = (rate(1.0), Some(second))), "");
    assert!(error(|s| s.interval = second / 11).contains("at least 100ms"));
    assert_eq!(error(|s| s.interval = second / 10), "");
    assert!(error(|s| (s.duration, s.warmup) = (Some(second), second * 2)).contains("--warmup is longer"));
    assert!(error(|s| s.objectives = vec!["lag.p99<1ms".parse().unwrap()]).contains("no such clock"));
}

/// Makes a plan search.
pub(crate) fn search(spec: &mut PlanSpec, probe: Duration, start_per_s: Option<f64>) {
    (spec.rows, spec.offered) = (None, Offered::Search { arrival: Arrival::Uniform, probe, start_per_s });
}

#[test]
fn a_search_decides_itself_how_much_to_write() {
    let second = Duration::from_secs(1);
    let wrong = |change: fn(&mut PlanSpec)| {
        error(|s| {
            search(s, Duration::from_secs(6), None);
            change(s);
        })
    };
    assert_eq!(wrong(|_| ()), "");
    assert!(wrong(|s| s.rows = Some(1)).starts_with("--rows does not go with --find-max"));
    assert!(wrong(|s| s.duration = Some(Duration::from_secs(1))).starts_with("--duration does not go with --find-max"));
    assert!(wrong(|s| s.workers = vec![1, 2]).contains("--find-max goes with one number of --workers"));
    assert!(error(|s| search(s, Duration::ZERO, None)).starts_with("--probe is 0"));
    assert!(error(|s| search(s, second / 2, None)).starts_with("--probe is 500ms: at least 600ms"));
    assert_eq!(error(|s| search(s, second * 6 / 10, None)), "");
    for rate in [0.0, -1.0, f64::NAN] {
        assert!(error(|s| search(s, second, Some(rate))).starts_with("--rate is "), "{rate}");
    }
    let interval = |given: Duration| {
        let mut spec = spec();
        (spec.interval, spec.warmup) = (given, second * 60);
        search(&mut spec, second * 3, None);
        Plan::new(spec).unwrap().interval
    };
    assert_eq!(interval(second), second / 2);
    assert_eq!(interval(second / 10), second / 10);
}

#[test]
fn objectives_are_a_part_of_the_load_only_where_they_decide_what_is_offered() {
    let hash = |searching: bool, objective: &str| {
        let mut spec = spec();
        spec.objectives = vec![objective.parse().unwrap()];
        if searching {
            search(&mut spec, Duration::from_secs(6), None);
        }
        Plan::new(spec).unwrap().hash().to_owned()
    };
    assert_eq!(hash(false, "p99<50ms"), hash(false, "p99<60ms"));
    assert_ne!(hash(true, "p99<50ms"), hash(true, "p99<60ms"));
}

#[test]
fn workers_that_share_a_connection_share_a_thread() {
    for (workers, connections, threads) in [(16, Some(3), 2), (7, Some(7), 4), (9, Some(1), 8), (10, None, 3)] {
        let plan = Plan::new(PlanSpec { workers: vec![workers], connections, threads, ..spec() }).unwrap();
        let shared = connections.unwrap_or(workers);
        let mut dealt: Vec<u32> = (0..plan.threads).flat_map(|thread| plan.share(thread, workers).own).collect();
        dealt.sort_unstable();
        assert_eq!(dealt, (0..workers).collect::<Vec<_>>(), "every worker is in one share");
        for worker in 0..workers {
            assert!(plan.thread_of(worker) < plan.threads);
            assert_eq!(plan.thread_of(worker), plan.thread_of(worker % shared));
        }
        assert!((0..plan.threads).all(|thread| (0..workers).any(|w| plan.thread_of(w) == thread)), "no idle thread");
    }
}

#[test]
fn the_hash_is_of_the_load_and_not_of_the_target() {
    let base = Plan::new(spec()).unwrap();
    let other = |change: fn(&mut PlanSpec)| {
        let mut spec = spec();
        change(&mut spec);
        Plan::new(spec).unwrap().hash().to_owned()
    };
    assert_eq!(base.hash(), other(|s| s.target.name = "another".into()));
    assert_eq!(base.hash(), other(|s| s.endpoint = Some("http://localhost:1".into())));
    assert_ne!(base.hash(), other(|s| s.seed = 43));
    assert_ne!(base.hash(), other(|s| s.batch_rows = 11));
    assert_ne!(base.hash(), other(|s| s.workers = vec![5]));
    assert_eq!(base.hash().len(), 16);
}
