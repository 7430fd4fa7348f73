//! Checks of real plugins, against the server whose rows can be counted, against none, and against wrong ones.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchhost_conformance::{CheckPlan, Outcome, RULES, Report, check};
use benchhost_reference::{Running, Server, ServerOptions};
use benchhost_wasm::HostOptions;

/// The compiled plugin or guest of this name.
fn wasm(name: &str) -> PathBuf {
    let dir = match (std::env::var_os("BENCHHOST_PLUGIN_DIR"), std::env::var_os("CARGO_TARGET_DIR")) {
        (Some(dir), _) => PathBuf::from(dir),
        (None, Some(target)) => PathBuf::from(target).join("wasm32-wasip2/plugin"),
        (None, None) => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm32-wasip2/plugin"),
    };
    let path = dir.join(format!("{name}.wasm"));
    assert!(path.is_file(), "`{}` is missing: run cargo xtask build first", path.display());
    path
}

fn plan(path: PathBuf, settings: &[(&str, &str)]) -> CheckPlan {
    CheckPlan {
        settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        host: HostOptions {
            cache_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("aot")),
            instances: 6,
            guest_time: Duration::from_secs(2),
            ..HostOptions::default()
        },
        stall: Duration::from_millis(300),
        patience: Duration::from_secs(2),
        ..CheckPlan::new(path)
    }
}

fn outcome(report: &Report, rule: &str) -> Outcome {
    report.finding(rule).unwrap_or_else(|| panic!("{rule} is missing:\n{}", report.to_text())).outcome
}

/// What did not pass, and that each says what to do in one line.
fn others(report: &Report) -> Vec<(&'static str, Outcome)> {
    let others = report.findings.iter().filter(|finding| finding.outcome != Outcome::Pass);
    others
        .map(|finding| {
            assert!(finding.advice.as_ref().is_some_and(|advice| !advice.contains('\n')), "{finding:?}");
            (finding.rule, finding.outcome)
        })
        .collect()
}

fn server(options: ServerOptions) -> Running {
    Server::start(options).unwrap()
}

/// A server that answers each piece of a request that it reads; its URL.
fn answering(answer: impl Fn(&str) -> &'static str + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || {
                let mut buffer = [0; 1 << 16];
                while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
                    let request = String::from_utf8_lossy(&buffer[..bytes]);
                    if stream.write_all(answer(&request).as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    endpoint
}

fn influx(endpoint: &str) -> CheckPlan {
    plan(wasm("influx"), &[("endpoint", endpoint), ("database", "check"), ("gzip", "false")])
}

#[test]
fn a_shipped_target_keeps_every_rule() {
    let honest = server(ServerOptions::default());
    let throttling = answering(|request| match request.split(['?', ' ']).nth(1) {
        Some("/write") => "HTTP/1.1 429 Too Many Requests\r\nretry-after: 2\r\ncontent-length: 0\r\n\r\n",
        _ => {
            "HTTP/1.1 200 OK\r\nx-influxdb-version: 1.8.10\r\ncontent-length: 32\r\n\r\n{\"results\":[{\"statement_id\":0}]}"
        }
    });
    let report = check(&CheckPlan { throttling: vec![("endpoint".into(), throttling)], ..influx(&honest.endpoint()) });
    let text = report.to_text();
    assert!(others(&report).is_empty() && report.passed(), "{text}");
    let rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
    let expected: Vec<&str> = RULES.iter().copied().filter(|rule| !rule.starts_with("dataset.")).collect();
    assert_eq!(rules, expected, "{text}");
    assert_eq!(text.lines().count(), expected.len() + 1);
}

#[test]
fn without_a_server_that_throttles_that_rule_alone_is_not_run() {
    let honest = server(ServerOptions::default());
    let report = check(&influx(&honest.endpoint()));
    assert_eq!(others(&report), [("fault.throttled", Outcome::NotRun)], "{}", report.to_text());
    assert!(report.passed());
}

#[test]
fn a_server_that_forgets_is_found_out_by_counting() {
    let forgets = server(ServerOptions { forget: true, ..ServerOptions::default() });
    let report = check(&influx(&forgets.endpoint()));
    assert_eq!(outcome(&report, "session.count-rows"), Outcome::Fail, "{}", report.to_text());
    assert!(!report.passed());
}

/// Nothing that needs a server has passed, and it is said what to do.
fn is_blocked(report: &Report, says: &str) {
    assert!(!report.passed());
    for finding in &report.findings {
        let needs_none = finding.rule.starts_with("component.") || finding.rule.starts_with("about.");
        let expected = if needs_none { Outcome::Pass } else { Outcome::NotRun };
        assert_eq!(finding.outcome, expected, "{}", report.to_text());
        assert!(needs_none || finding.says.contains(says), "{}", report.to_text());
    }
    others(report);
}

#[test]
fn without_a_server_nothing_is_run_and_nothing_passes() {
    is_blocked(&check(&plan(wasm("influx"), &[])), "no server was named");
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    is_blocked(&check(&influx(&format!("http://{gone}"))), "nobody answers at");
}

#[test]
fn with_a_server_of_another_kind_nothing_is_run_and_nothing_passes() {
    for answer in ["HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\n\r\nno way", "-ERR unknown command\r\n"] {
        let endpoint = answering(move |_| answer);
        let report = check(&influx(&endpoint));
        assert!(!report.passed());
        let passed =
            |begin: &str| report.findings.iter().any(|f| f.rule.starts_with(begin) && f.outcome == Outcome::Pass);
        assert!(!passed("ingest.") && !passed("fault.") && !passed("handles."), "{}", report.to_text());
        assert_eq!(outcome(&report, "ingest.send"), Outcome::NotRun, "{}", report.to_text());
    }
}

#[test]
fn a_shipped_generator_keeps_every_rule() {
    let report = check(&plan(wasm("cpu"), &[("hosts", "10")]));
    assert!(others(&report).is_empty() && report.passed(), "{}", report.to_text());
    assert_eq!(report.findings.len(), 9 + 5 + 1, "{}", report.to_text());
}

#[test]
fn a_lying_generator_fails_the_rule_that_it_breaks() {
    for (does, rule) in [
        ("short", "dataset.fill"),
        ("key", "dataset.fill"),
        ("panic", "dataset.fill"),
        ("no-table", "dataset.open"),
        ("two-faced", "dataset.deterministic"),
    ] {
        let report = check(&plan(wasm("liar"), &[("does", does)]));
        assert_eq!(outcome(&report, rule), Outcome::Fail, "{does}: {}", report.to_text());
        assert!(!report.passed());
        others(&report);
    }
}

#[test]
fn a_target_that_misbehaves_fails_the_rule_that_it_breaks_and_the_check_goes_on() {
    let server = server(ServerOptions::default());
    for (does, rule, expected) in [
        ("leak", "handles.leak", "it leaks about"),
        ("miscount", "ingest.payload-rows", "its payload says"),
        ("panic", "ingest.send", "out of cheese"),
        ("loop", "ingest.send", ""),
        ("column", "ingest.encode.many-rows", "99"),
        ("panic-in-open", "session.open", "no session for you"),
    ] {
        let report = check(&plan(wasm("misbehave"), &[("does", does), ("endpoint", &server.endpoint())]));
        let finding = report.finding(rule).unwrap();
        assert_eq!(finding.outcome, Outcome::Fail, "{does}: {}", report.to_text());
        assert!(finding.says.contains(expected), "{does}: {finding:?}");
        assert!(!report.passed());
        others(&report);
    }
}

#[test]
fn a_target_that_never_connects_is_found_out_where_its_rows_cannot_be_counted() {
    let server = server(ServerOptions::default());
    let report = check(&plan(wasm("misbehave"), &[("endpoint", &server.endpoint())]));
    assert_eq!(outcome(&report, "ingest.send"), Outcome::Pass, "{}", report.to_text());
    for rule in ["session.count-rows", "ingest.same-payload-twice", "fault.stalled", "fault.recovers"] {
        assert_eq!(outcome(&report, rule), Outcome::NotRun, "{}", report.to_text());
    }
    let refused = report.finding("fault.refused").unwrap();
    assert_eq!(refused.outcome, Outcome::Fail);
    assert!(refused.says.contains("without ever connecting"), "{refused:?}");
}

#[test]
fn a_target_without_an_endpoint_needs_no_server() {
    let report = check(&plan(wasm("null"), &[]));
    assert!(report.passed(), "{}", report.to_text());
    assert_eq!(outcome(&report, "session.server"), Outcome::Warn);
    assert_eq!(outcome(&report, "fault.refused"), Outcome::NotRun, "{}", report.to_text());
}

#[test]
fn a_file_that_is_no_plugin_fails_where_it_stops_being_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let about = |version: &str| {
        format!("(component (instance $i) (export \"benchhost:plugin/about@{version}\" (instance $i)))")
    };
    let import = "(component (import \"acme:cache/store@1.0.0\" (instance)) (instance $i)
        (export \"benchhost:plugin/about@0.1.0\" (instance $i)) (export \"benchhost:plugin/dataset@0.1.0\" (instance $i)))";
    for (path, rule) in [
        (dir.path().join("missing.wasm"), "component.is-component"),
        (file("empty.wasm", b""), "component.is-component"),
        (file("text.wasm", b"hello, world"), "component.is-component"),
        (file("core.wasm", &wat::parse_str("(module)").unwrap()), "component.is-component"),
        (file("lacks.wasm", &wat::parse_str(about("0.1.0")).unwrap()), "component.contract"),
        (file("newer.wasm", &wat::parse_str(about("0.2.0")).unwrap()), "component.contract"),
        (file("import.wasm", &wat::parse_str(import).unwrap()), "component.imports"),
    ] {
        let report = check(&plan(path.clone(), &[]));
        assert_eq!(outcome(&report, rule), Outcome::Fail, "{}: {}", path.display(), report.to_text());
        assert!(!report.passed());
        assert_eq!(outcome(&report, "about.describe"), Outcome::NotRun);
        assert_eq!(outcome(&report, "ingest.send"), Outcome::NotRun);
        others(&report);
    }
}

#[test]
fn wrong_settings_are_named_and_secrets_are_not() {
    let honest = server(ServerOptions::default());
    let mut wrong = influx(&honest.endpoint());
    wrong.settings.push(("precison".into(), "ns".into()));
    let report = check(&wrong);
    is_blocked(&report, "precison");
    let mut secret = influx(&honest.endpoint());
    secret.settings.push(("password".into(), "hunter2".into()));
    secret.settings.push(("user".into(), "me".into()));
    assert!(!check(&secret).to_text().contains("hunter2"));
    assert!(!format!("{secret:?}").contains("hunter2"));
}
