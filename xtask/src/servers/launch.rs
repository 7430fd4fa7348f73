//! Starts a server and waits until it answers.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Installed;
use super::configure::{self, Plan};
use super::process::Process;
use super::running::{Options, Running};
use super::scratch::Scratch;

/// A port that was free may be taken by the time the server wants it: then others are tried, this often in all.
const ATTEMPTS: u32 = 4;
/// QuestDB takes 9 s the first time on an idle machine; a machine that compiles on all cores is several times slower.
const READY_WITHIN: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(25);

pub(super) fn start(installed: &Installed, options: &Options) -> Result<Running> {
    let mut attempt = 1;
    loop {
        match try_start(installed, options).with_context(|| format!("cannot start {}", installed.server))? {
            Some(running) => return Ok(running),
            None if attempt < ATTEMPTS => attempt += 1,
            None => bail!("cannot start {}: {ATTEMPTS} times a free port was taken", installed.server),
        }
    }
}

/// Starts it once; `None` when a port that was free is taken meanwhile.
fn try_start(installed: &Installed, options: &Options) -> Result<Option<Running>> {
    let server = installed.server;
    let data = Scratch::new(server.name())?;
    let ports = free_ports(configure::ports(server))?;
    let plan = configure::plan(installed, data.path(), &ports, options)?;
    let log = data.path().join("server.log");
    let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let process = Process::start(&plan.program, &plan.arguments, data.path(), output)?;
    let endpoint = format!("{}://127.0.0.1:{}", plan.scheme, ports[0]);
    let running =
        Running { process, server, endpoint, grpc: plan.grpc.clone(), access: plan.access.clone(), log, data };
    if let Some(status) = wait(&running, &plan)? {
        return match lost_a_port(&fs::read_to_string(&running.log).unwrap_or_default()) {
            true => Ok(None),
            false => bail!("it ended at once ({status}); its last words:\n{}", running.log_tail()),
        };
    }
    if let Some(setup) = plan.setup {
        let answer = setup.send()?;
        if !answer.is_success() {
            bail!("its first user cannot be made: it answered {} {}", answer.status, answer.text().trim());
        }
    }
    Ok(Some(running))
}

/// Waits until the server answers; tells how it ended when it did so instead.
fn wait(running: &Running, plan: &Plan) -> Result<Option<ExitStatus>> {
    let deadline = Instant::now() + READY_WITHIN;
    loop {
        let answer = plan.ready.ask();
        // Asked second: whoever answered while our process is gone is a stranger on the port that we lost.
        if let Some(status) = running.process.ended()? {
            return Ok(Some(status));
        }
        let Err(last) = answer else { return Ok(None) };
        if Instant::now() > deadline {
            let seconds = READY_WITHIN.as_secs();
            bail!("it is not ready after {seconds} s ({last:#}); its last words:\n{}", running.log_tail());
        }
        thread::sleep(POLL);
    }
}

/// Loopback ports that nobody holds now, all different.
fn free_ports(count: usize) -> Result<Vec<u16>> {
    let bind = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listeners: Vec<_> = (0..count).map(bind).collect::<Result<_, _>>().context("there is no free port")?;
    let ports = listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect::<Result<_>>()?;
    Ok(ports)
}

/// Whether a server that ended says in its log that a port was taken.
fn lost_a_port(log: &str) -> bool {
    let log = log.to_lowercase();
    ["address already in use", "could not bind socket"].iter().any(|words| log.contains(words))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn free_ports_are_real_and_all_different() {
        let mut ports = free_ports(20).unwrap();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 20);
        assert!(ports.iter().all(|port| *port != 0));
    }

    #[test]
    fn a_lost_port_is_told_from_other_ends() {
        assert!(lost_a_port("run: open server: listen tcp 127.0.0.1:1: bind: address already in use"));
        assert!(!lost_a_port("run: open server: open /data: permission denied"));
    }
}
