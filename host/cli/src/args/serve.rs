//! Flags of `benchhost serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use benchhost_reference::Inject;
use clap::Args;
use clap::builder::BoolishValueParser;

use super::TerminalArgs;
use crate::units;

/// Start the reference server: InfluxDB, GreptimeDB and OTLP in one process, without a disk.
#[derive(Debug, Args)]
#[command(
    after_help = "When it is ready it prints one line of JSON with its addresses, and it ends with SIGTERM or Ctrl-C:\n\n  \
                  {\"http\":\"http://127.0.0.1:4000\",\"grpc\":\"http://127.0.0.1:4001\"}\n\n\
                  It is there to test clients, plugins and benchhost itself. It keeps rows in memory and answers as real servers were seen to \
                  answer, but it is no database to compare with.\n\nWhat can be injected, into each write:\n  \
                  latency=5ms, latency=uniform:1ms:5ms   hold it\n  \
                  stall=every:10s,for:1s                 answer nothing for a while, again and again\n  \
                  error=1%                               refuse it\n  \
                  throttle=10%                           ask the client to come back later\n  \
                  partial=1%                             store some of its rows and say so, where the protocol can\n  \
                  reset=1%                               cut the connection; the rows are stored every other time\n  \
                  lose=0.1%                              acknowledge it and store nothing"
)]
pub(crate) struct ServeArgs {
    /// Where HTTP is answered: ADDRESS:PORT; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", help_heading = "Server")]
    pub http: SocketAddr,
    /// Where gRPC is answered
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", help_heading = "Server")]
    pub grpc: SocketAddr,
    /// A fault to inject into writes; may be repeated, see below
    #[arg(long, value_name = "FAULT", help_heading = "Behaviour")]
    pub inject: Vec<Inject>,
    /// Seed of what is injected at random
    #[arg(long, value_name = "NUMBER", default_value_t = 42, help_heading = "Behaviour")]
    pub seed: u64,
    /// The most memory for rows: 512MiB, 4GiB. A write beyond it is refused
    #[arg(long, value_name = "SIZE", value_parser = units::size, default_value = "4GiB", help_heading = "Behaviour")]
    pub memory: u64,
    /// Count rows and forget their values: for measuring clients, since it costs the server next to nothing
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = "Behaviour")]
    pub count_only: bool,
    /// Lose acknowledgements of Flight batches when 32 wait to be read, as GreptimeDB does; otherwise the server waits for its client
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = "Behaviour")]
    pub drop_acks: bool,
    /// Acknowledge InfluxDB 3 writes when the next interval of this length is over, as InfluxDB 3 Core does (1s) [default: at once]
    #[arg(long, value_name = "TIME", value_parser = units::time, help_heading = "Behaviour")]
    pub flush_interval: Option<Duration>,
    /// Which InfluxDB it says that it is: clients choose their paths by it. It answers all of them
    #[arg(long, value_name = "VERSION", default_value = "1.8.10", help_heading = "Behaviour")]
    pub influx_version: String,
    /// The only user who may write and read [default: everybody]
    #[arg(long, value_name = "NAME", requires = "password_file", help_heading = "Server")]
    pub user: Option<String>,
    /// A file with the user's password
    #[arg(long, value_name = "FILE", requires = "user", help_heading = "Server")]
    pub password_file: Option<PathBuf>,
    /// End when stdin closes
    #[arg(long, hide = true, value_parser = BoolishValueParser::new())]
    pub until_stdin_closes: bool,
    #[command(flatten)]
    pub terminal: TerminalArgs,
}
