//! `benchhost serve`: the reference server, until somebody ends it.

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use benchhost_reference::{ReferenceOptions, ReferenceServer};
use clap::parser::ValueSource;

use crate::args::ServeArgs;
use crate::console::{self, Console};
use crate::embedded::Addresses;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::secrets::secret;

/// Serves until a signal comes, or stdin closes where that was asked for.
pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<ExitStatus, Failure> {
    // A variable that holds a password is meant for the servers that a run writes to.
    let password = match &args.password_file {
        Some(file) => secret("password", Some(file), Some(ValueSource::CommandLine))?,
        None => None,
    };
    let (ended, end) = channel();
    // Before the server says that it is ready: whoever reads that may end it at once.
    let signalled: Sender<()> = ended.clone();
    let embedded = args.until_stdin_closes;
    ctrlc::set_handler(move || {
        // A terminal sends Ctrl-C to a run and its server alike, and the run's operations in flight still need an answer.
        if !embedded {
            let _ = signalled.send(());
        }
    })
    .or_internal()?;
    let options = ReferenceOptions {
        http: Some(args.http),
        grpc: Some(args.grpc),
        seed: args.seed,
        inject: args.inject.clone(),
        max_bytes: args.memory,
        count_only: args.count_only,
        drop_acks: args.drop_acks,
        flush_interval: args.flush_interval,
        user: args.user.clone(),
        password: password.map(|password| password.value),
        influx_version: args.influx_version.clone(),
    };
    let server = ReferenceServer::start(options).or_usage()?;
    let url = |address: Option<SocketAddr>| address.map_or_else(String::new, |address| format!("http://{address}"));
    let addresses = Addresses { http: url(server.http_address), grpc: url(server.grpc_address) };
    let line = serde_json::to_string(&addresses).or_internal()?;
    console::print(&format!("{line}\n")).or_internal()?;
    if embedded {
        thread::spawn(move || {
            // Whatever comes is of no interest, only its end.
            let _ = std::io::copy(&mut std::io::stdin().lock().by_ref(), &mut std::io::sink());
            let _ = ended.send(());
        });
    } else {
        console.line("the reference server runs until Ctrl-C or SIGTERM; it is no database to compare with");
    }
    // An error means that nobody is left to end it, which cannot be while the handler is there.
    let _ = end.recv();
    server.stop();
    Ok(ExitStatus::Success)
}
