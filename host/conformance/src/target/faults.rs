//! What a target says when the way to its server fails, and whether its session lives on.

use std::collections::HashMap;

use benchhost_core::{ErrorKind, Targets};
use benchhost_data::Payload;
use benchhost_net::HttpOptions;
use benchhost_reference::relay::{Fault, Relay};
use benchhost_wasm::WasmTargets;

use super::samples::Samples;
use super::way::Way;
use crate::Subject;
use crate::book::Book;
use crate::worker::{Trouble, Worker};

/// Sends until a session must work again: a lost connection may be noticed by the first.
const ATTEMPTS: usize = 5;

/// A fault, the error that a target answers then, and whether it must say that sending again may help.
struct Rule {
    name: &'static str,
    fault: Fault,
    kind: ErrorKind,
    retryable: bool,
    seen: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        name: "fault.refused",
        fault: Fault::Refuse,
        kind: ErrorKind::Unavailable,
        retryable: true,
        seen: "connections are refused",
    },
    Rule {
        name: "fault.stalled",
        fault: Fault::Stall,
        kind: ErrorKind::TimedOut,
        retryable: false,
        seen: "the server never answers",
    },
    Rule {
        name: "fault.reset",
        fault: Fault::Reset,
        kind: ErrorKind::Unavailable,
        retryable: false,
        seen: "the connection is reset in the middle of the answer",
    },
    Rule {
        name: "fault.closed",
        fault: Fault::Close,
        kind: ErrorKind::Unavailable,
        retryable: false,
        seen: "the connection is closed instead of an answer",
    },
];

/// The rules that are tried here: all but that of a server that throttles.
const TRIED: &[&str] = &["fault.refused", "fault.stalled", "fault.reset", "fault.closed", "fault.recovers"];

pub(super) async fn check(subject: &Subject<'_>, way: &Way, samples: &Samples, book: &mut Book) -> Result<(), String> {
    let (mut relays, targets) = match relayed(subject, way)? {
        Ok(found) => found,
        Err((says, advice)) => {
            book.rest(TRIED, says, advice);
            return Ok(());
        }
    };
    let sample = samples.plain("faults", 10)?;
    let mut worker = Worker::new(&targets, subject.plan.call_limit);
    let begun: Result<Payload, Trouble> = async {
        worker.create(&sample.table).await?;
        let payload = worker.encode(&sample.batch).await?;
        worker.send(&payload).await?;
        Ok(payload)
    }
    .await;
    match begun {
        Ok(_) if relays.iter().all(|relay| relay.accepted() == 0) => {
            let says = "it acknowledges rows without ever connecting to the address that it was given";
            book.fail(
                "fault.refused",
                says,
                "connect to the endpoint of the settings, and acknowledge what its server did",
            );
            book.rest(TRIED, "it uses no connection that could fail", "mend `fault.refused`, and check again");
        }
        Ok(payload) => {
            let unrecovered = suffer(&mut worker, &mut relays, &payload, book).await?;
            match unrecovered {
                None => book.pass("fault.recovers", "the same session works again after each fault"),
                Some((fault, trouble)) => {
                    let advice = "drop the connection after an error of it, and connect again in the next call";
                    book.fail("fault.recovers", format!("after `{fault}`: {trouble}"), advice);
                }
            }
        }
        Err(trouble) => {
            let says = format!("rows cannot be written by way of a relay: {trouble}");
            book.rest(
                TRIED,
                &says,
                "mend what failed above; a server that sends its clients elsewhere cannot be tried so",
            );
        }
    }
    let _ = worker.drop_table(&sample.table).await;
    let _ = worker.close().await;
    Ok(())
}

type Relayed = Result<(Vec<Relay>, WasmTargets), (&'static str, &'static str)>;

/// A relay before each server, and sessions by way of them; or why there are none. The outer error is the machine's.
fn relayed(subject: &Subject<'_>, way: &Way) -> Result<Relayed, String> {
    if way.endpoints().is_empty() {
        let says = "the plugin has no setting of the format `endpoint`";
        return Ok(Err((says, "none is needed if it has no server; otherwise give the setting that format")));
    }
    if way.endpoints().iter().any(|(_, endpoint)| matches!(endpoint.scheme().as_str(), "https" | "tls")) {
        let says = "over TLS nothing can stand between a plugin and its server";
        return Ok(Err((says, "check against a server without TLS")));
    }
    let mut relays: Vec<Relay> = Vec::new();
    let mut before: HashMap<String, usize> = HashMap::new();
    let mut settings = Vec::new();
    for (name, endpoint) in way.endpoints() {
        let at = match before.get(&endpoint.host_port()) {
            Some(at) => *at,
            None => {
                let relay = Relay::start(endpoint.host_port()).map_err(|error| format!("no relay: {error}"))?;
                relays.push(relay);
                before.insert(endpoint.host_port(), relays.len() - 1);
                relays.len() - 1
            }
        };
        let Some(relay) = relays.get(at) else { continue };
        let address = format!("{}://{}{}", endpoint.scheme().as_str(), relay.address(), endpoint.base_path());
        settings.push((name.clone(), address));
    }
    let way = way.with(subject, &settings).map_err(|blocked| blocked.says)?;
    let http = HttpOptions { request_timeout: subject.plan.stall, ..subject.plan.http.clone() };
    let targets = way.targets_with(subject, http).map_err(|blocked| blocked.says)?;
    Ok(Ok((relays, targets)))
}

/// One fault after the other. Gives the first after which the session did not work again.
async fn suffer<T: Targets>(
    worker: &mut Worker<'_, T>,
    relays: &mut [Relay],
    payload: &Payload,
    book: &mut Book,
) -> Result<Option<(&'static str, Trouble)>, String> {
    let mut unrecovered = None;
    for rule in &RULES {
        set(relays, rule.fault)?;
        let answer = worker.send(payload).await;
        let died = matches!(answer, Err(Trouble::Crash(_) | Trouble::Hung(_)));
        judge(rule, answer, book);
        set(relays, Fault::None)?;
        let again = works_again(worker, payload).await;
        if died {
            let lost = format!("the session died of `{}`", rule.name);
            book.fail("fault.recovers", lost, "answer with an error, and keep the session");
        } else if let Err(trouble) = again {
            unrecovered.get_or_insert((rule.name, trouble));
            worker.give_up();
        }
    }
    Ok(unrecovered)
}

fn set(relays: &mut [Relay], fault: Fault) -> Result<(), String> {
    relays.iter_mut().try_for_each(|relay| relay.set(fault)).map_err(|error| format!("the relay: {error}"))
}

async fn works_again<T: Targets>(worker: &mut Worker<'_, T>, payload: &Payload) -> Result<(), Trouble> {
    let mut attempt = 1;
    loop {
        match worker.send(payload).await {
            Ok(_) => return Ok(()),
            Err(Trouble::Error(_)) if attempt < ATTEMPTS => attempt += 1,
            Err(trouble) => return Err(trouble),
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

fn judge(rule: &Rule, answer: Result<Option<u64>, Trouble>, book: &mut Book) {
    let Rule { name, kind, seen, .. } = rule;
    let expected = format!("answer an error of the kind `{kind}`, as the host's own calls do: pass their errors on");
    match answer {
        Ok(_) => {
            let advice = "acknowledge only what the server acknowledged: these rows are nowhere";
            book.fail(name, format!("{seen}, and `send` acknowledges the rows"), advice);
        }
        Err(Trouble::Error(error)) if error.kind != *kind => {
            book.fail(name, format!("{seen}, and `send` answers {error}"), expected);
        }
        Err(Trouble::Error(error)) if rule.retryable && !error.retryable => {
            let says = format!("{seen}, and `send` answers `{kind}` that is not retryable");
            book.fail(name, says, "set `retryable`: nothing has reached the server");
        }
        Err(Trouble::Error(error)) => {
            let retry = if error.retryable { "retryable" } else { "not retryable" };
            book.pass(name, format!("{seen}: `{kind}`, {retry}"));
        }
        Err(trouble) => book.fail(name, format!("{seen}: {trouble}"), expected),
    }
}

#[cfg(test)]
mod tests;
