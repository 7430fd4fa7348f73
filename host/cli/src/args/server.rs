//! Flags about the server and the way to it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;

use crate::units;

/// The server, who one is there, and how to reach it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Where the server is, with its scheme: http://127.0.0.1:8086. The target may connect there and nowhere else
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// The database (bucket, schema) to write to
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// The user to log in as
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// A file with the password; BENCHHOST_PASSWORD may hold the password itself. There is no flag for it, since every
    /// user of a machine can read the flags of a process
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// A file with the access token; BENCHHOST_TOKEN may hold the token itself
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// One more address that the target may connect to; may be repeated
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub allow_net: Vec<String>,
    /// The longest that a connection may take to open, TLS handshake included
    #[arg(long, value_name = "TIME", value_parser = units::time, default_value = "5s")]
    pub connect_timeout: Duration,
    /// Trust this certificate authority (PEM) instead of the system's
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// The client's certificate (PEM), with --key
    #[arg(long, value_name = "FILE")]
    pub cert: Option<PathBuf>,
    /// The client's private key (PEM), with --cert
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Do not verify the server's certificate: whoever sits in between can read everything
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub insecure: bool,
}
