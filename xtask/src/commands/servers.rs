//! `servers`: gets the servers that the tests run against, the official clients and the reader of logs that they hold ours against, and
//! the tools that build plugins in other languages; and says what is where and how long it took.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use xtask::clients::Clients;
use xtask::log_reader::LogReader;
use xtask::servers::{Install, Installed, Server};
use xtask::toolchains::Toolchains;

pub(crate) fn run(quick: bool, chosen: &[Server]) -> Result<ExitCode> {
    let servers = if chosen.is_empty() { select(quick) } else { chosen.to_vec() };
    get(&servers, &mut std::io::stdout())?;
    if chosen.is_empty() {
        let (reader, how) = LogReader::install()?;
        println!("reader of histogram logs: {}, {}", words(how), reader.folder().display());
        get_clients(&mut std::io::stdout())?;
        get_toolchains(&mut std::io::stdout())?;
    }
    if let Some(left_out) = left_out(quick) {
        println!("{left_out}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The servers that a quick or a full run uses.
pub(crate) fn select(quick: bool) -> Vec<Server> {
    Server::ALL.into_iter().filter(|server| !quick || server.quick()).collect()
}

/// What `--quick` leaves out, in words, when it was given.
pub(crate) fn left_out(quick: bool) -> Option<String> {
    let names: Vec<_> =
        Server::ALL.into_iter().filter(|server| !server.quick()).map(|server| server.to_string()).collect();
    quick.then(|| format!("left out by --quick, as it takes minutes to build: {}", names.join(", ")))
}

/// Gets each server and writes a line when it is there.
pub(crate) fn get(servers: &[Server], out: &mut impl Write) -> Result<Vec<Installed>> {
    let started = Instant::now();
    let mut all = Vec::new();
    for server in servers {
        if server.installed()?.is_none() {
            writeln!(out, "{server}: getting it …")?;
            out.flush()?;
        }
        let installed = server.install()?;
        writeln!(out, "{server}: {}, {}", words(installed.how()), installed.folder().display())
            .context("cannot write the list of servers")?;
        all.push(installed);
    }
    writeln!(out, "{} servers ready after {:.0} s", all.len(), started.elapsed().as_secs_f64())?;
    Ok(all)
}

/// Gets the official clients and writes a line for each language.
pub(crate) fn get_clients(out: &mut impl Write) -> Result<Clients> {
    if Clients::installed()?.is_none() {
        writeln!(out, "official clients: getting them …")?;
        out.flush()?;
    }
    let (clients, got) = Clients::install()?;
    for ((name, how), place) in got.into_iter().zip([clients.python_path(), clients.modules()]) {
        writeln!(out, "{name}: {}, {}", words(how), place.display()).context("cannot write the list of clients")?;
    }
    Ok(clients)
}

/// Gets the tools that build plugins in other languages and writes a line for each set.
pub(crate) fn get_toolchains(out: &mut impl Write) -> Result<Toolchains> {
    if Toolchains::installed()?.is_none() {
        writeln!(out, "tools of other languages: getting them …")?;
        out.flush()?;
    }
    let (tools, got) = Toolchains::install()?;
    for ((name, how), place) in got.into_iter().zip([tools.environment(), tools.modules()]) {
        writeln!(out, "{name}: {}, {}", words(how), place.display()).context("cannot write the list of tools")?;
    }
    Ok(tools)
}

fn words(how: Install) -> String {
    match how {
        Install::Found => "there already".to_owned(),
        Install::Made(time) => format!("made in {:.0} s", time.as_secs_f64()),
    }
}
