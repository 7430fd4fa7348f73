//! A guest sees an empty world, its randomness is the run's, and what it must not say is not heard.

use std::net::TcpListener;

use crate::common::{Sandbox, error, wait};
use benchhost_core::{Target, Targets};
use benchhost_data::Payload;
use benchhost_wasm::LogLevel;

const TOKEN: &str = "s3cret-t0ken";

fn server(sandbox: &Sandbox, settings: &[(&str, &str)], worker: u32) -> Vec<(String, String)> {
    wait(async {
        let mut session = sandbox.misbehave(settings).open(worker).await.unwrap();
        session.server().await.unwrap()
    })
}

#[test]
fn a_guest_sees_no_files_no_environment_and_no_sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = server(&Sandbox::new(), &[("does", "look"), ("endpoint", &address)], 0);
    let expected = [
        ("variables", "0"),
        ("arguments", "0"),
        ("files", "false"),
        ("write", "false"),
        ("sockets", "false"),
        ("names", "false"),
    ];
    assert_eq!(seen, crate::common::owned(&expected));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "a connection was made");
}

#[test]
fn random_numbers_are_the_runs_and_differ_between_workers() {
    let random = |seed, worker| server(&Sandbox::with(|options| options.seed = seed), &[("does", "random")], worker);
    assert_eq!(random(1, 0), random(1, 0));
    assert_ne!(random(1, 0), random(1, 1));
    assert_ne!(random(1, 0), random(2, 0));
}

#[test]
fn a_secret_reaches_neither_log_nor_facts() {
    let sandbox = Sandbox::new();
    let facts = server(&sandbox, &[("does", "tell"), ("token", TOKEN)], 5);
    assert_eq!(facts, crate::common::owned(&[("token", "***")]));
    let log = sandbox.log.lock().unwrap();
    let said: Vec<(LogLevel, &str)> = log.iter().map(|line| (line.level, line.text.as_str())).collect();
    assert!(said.contains(&(LogLevel::Warn, "the token is ***")), "{said:?}");
    assert!(said.contains(&(LogLevel::Info, "on stdout it is ***")), "{said:?}");
    assert!(said.contains(&(LogLevel::Info, "and on stderr it is ***")), "{said:?}");
    assert!(log.iter().all(|line| &*line.plugin == "misbehave" && line.worker == Some(5)));
}

#[test]
fn a_secret_reaches_no_error_and_the_rest_of_the_error_does() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session(&[("does", "tell"), ("token", TOKEN)]);
    let told = error(wait(session.send(&Payload::new(Vec::new(), 0))));
    assert_eq!((told.message.as_str(), told.code.as_deref()), ("the token *** was refused", Some("code-***")));
    assert!(told.retryable);
    assert_eq!(told.retry_after, Some(std::time::Duration::from_millis(250)));
}

#[test]
fn a_secret_is_not_shown_with_the_settings() {
    let plugin = Sandbox::new().load("misbehave");
    let settings = plugin.schema().resolve(&crate::common::owned(&[("token", TOKEN), ("does", "tell")])).unwrap();
    assert_eq!(settings.get("token"), Some(TOKEN));
    let shown = format!("{settings:?} {} {:?}", serde_json::to_string(&settings).unwrap(), settings.public());
    assert!(!shown.contains(TOKEN) && shown.matches("***").count() == 3, "{shown}");
}

#[test]
fn messages_are_cut_and_cannot_steer_a_terminal() {
    let sandbox = Sandbox::new();
    server(&sandbox, &[("does", "steer")], 0);
    let texts = sandbox.texts();
    assert!(texts.contains(&"\u{fffd}[2Jyour screen is mine".to_owned()), "{texts:?}");
    let longest = texts.iter().map(String::len).max().unwrap();
    assert_eq!(longest, 8 * 1024 + '…'.len_utf8());
}
