//! What a guest says: of itself, of the server, in its log. It is cut, cleaned, limited, and holds no secret.

use benchhost_core::{Target, Targets};

use crate::common::{Sandbox, owned, wait};
use crate::lab::{TOKEN, bounded, dies, lab, load, refused, secret_is_kept, targets};

macro_rules! undescribed {
    ($($name:ident: $behaviour:literal, $words:literal;)*) => {
        $(#[test]
        fn $name() {
            let text = refused($behaviour);
            assert!(text.contains($words), "{text}");
        })*
    };
}

undescribed! {
    hostile_name_of_an_escape: "name of an escape", "its name `\\u{1b}[2Jhostile`";
    hostile_name_too_long: "name too long", "more than 1 MiB in one call";
    hostile_name_empty: "name empty", "its name ``";
    hostile_version_of_words: "version of words", "its version `newest\\n`";
    hostile_schema_no_json: "schema no json", "settings schema";
    hostile_schema_no_object: "schema no object", "settings schema";
    hostile_schema_deep: "schema deep", "settings schema";
    hostile_schema_huge: "schema huge", "describe";
    hostile_schema_of_an_escape: "schema of an escape", "no control character";
    hostile_schema_of_a_hidden_rule: "schema of a hidden rule", "`pattern` is not part of the contract's JSON Schema";
}

/// The facts that a session with this behaviour tells of its server.
fn facts(sandbox: &Sandbox, behaviour: &str, endpoint: &str) -> Vec<(String, String)> {
    let facts =
        wait(async { targets(sandbox, behaviour, endpoint, &[]).open(0).await.unwrap().server().await.unwrap() });
    secret_is_kept(sandbox, &format!("{facts:?}"));
    facts
}

#[test]
fn hostile_summary_huge() {
    bounded(|| {
        let sandbox = Sandbox::new();
        let plugin = load(&sandbox, "summary huge");
        assert!(plugin.summary().len() <= 400 + 3 && !plugin.summary().contains('\u{1b}'), "{}", plugin.summary());
    });
}

fn floods(behaviour: &'static str) {
    bounded(move || {
        let sandbox = Sandbox::new();
        facts(&sandbox, behaviour, "");
        let texts = sandbox.texts();
        let told = texts.iter().filter(|text| text.contains("they were dropped")).count();
        // 50,000 lines were said; a slow machine takes some seconds for them.
        assert!(told > 0 && texts.len() < 10_000, "{told} of {}", texts.len());
    });
}

#[test]
fn hostile_log_flood() {
    floods("log flood");
}

#[test]
fn hostile_stdout_flood() {
    floods("stdout flood");
}

#[test]
fn hostile_log_endless() {
    let died = dies("log endless", "session.server");
    assert!(died.reason.contains("it computed for 1s without returning"), "{died}");
}

#[test]
fn hostile_log_long() {
    bounded(|| {
        let sandbox = Sandbox::new();
        facts(&sandbox, "log long", "");
        assert_eq!(sandbox.texts().iter().map(String::len).max(), Some(8 * 1024 + 3));
    });
}

#[test]
fn hostile_log_escapes() {
    bounded(|| {
        let sandbox = lab();
        facts(&sandbox, "log escapes", "");
        assert!(!sandbox.texts().iter().any(|text| text.chars().any(char::is_control)), "{:?}", sandbox.texts());
    });
}

#[test]
fn hostile_stderr_without_end() {
    bounded(|| {
        let sandbox = Sandbox::new();
        facts(&sandbox, "stderr without end", "");
        assert!(sandbox.texts().iter().all(|text| text.len() <= 8 * 1024 + 3));
    });
}

#[test]
fn hostile_secret_told() {
    bounded(|| {
        let sandbox = lab();
        assert_eq!(facts(&sandbox, "secret told", ""), owned(&[("token", "***")]));
        assert!(sandbox.texts().contains(&"told ***".to_owned()), "{:?}", sandbox.texts());
    });
}

#[test]
fn hostile_secret_told_in_code() {
    bounded(|| {
        let sandbox = lab();
        let said = format!("{:?} {:?}", facts(&sandbox, "secret told in code", ""), sandbox.texts());
        assert!(said.contains("***"), "{said}");
        // Pieces of the percent-encoded, the hexadecimal and the base64 form.
        for piece in ["s3cret", "t0ken", "733363726574", "czNjcmV0", "MzY3JldC", "zM2NyZXQ"] {
            assert!(!said.contains(piece), "{piece} of {TOKEN}: {said}");
        }
    });
}

#[test]
fn hostile_facts_huge() {
    bounded(|| {
        let sandbox = Sandbox::new();
        let facts = facts(&sandbox, "facts huge", "");
        assert!(facts[0].0.len() <= 128 + 3 && facts[0].1.len() <= 4 * 1024 + 3);
    });
}

#[test]
fn hostile_facts_many() {
    bounded(|| {
        let sandbox = Sandbox::new();
        let facts = facts(&sandbox, "facts many", "");
        assert!(facts.len() == 100 && facts.iter().all(|(_, value)| value == "\u{fffd}"), "{}", facts.len());
    });
}

#[test]
fn hostile_environment() {
    bounded(|| {
        let expected = [("variables", "0"), ("arguments", "0"), ("input", "0")];
        assert_eq!(facts(&lab(), "environment", ""), owned(&expected));
    });
}

#[test]
fn hostile_files() {
    bounded(|| assert_eq!(facts(&lab(), "files", ""), owned(&[("read", "0"), ("wrote", "false")])));
}

#[test]
fn hostile_sockets() {
    bounded(|| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        assert_eq!(facts(&lab(), "sockets", &address), owned(&[("sockets", "false false false false")]));
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "a connection was made");
    });
}
