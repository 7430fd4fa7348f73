//! Why a server cannot be observed.

use std::io;
use std::path::PathBuf;

use benchhost_net::{EndpointError, NetError};

/// Why a server cannot be observed, at all or at this moment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObserveError {
    /// None of the four forms.
    #[error("`{0}` does not say what to observe: write pid:N, name:X, cgroup:PATH or prometheus:URL")]
    Form(String),
    /// Not a number, or one that no process can have.
    #[error("`pid:{0}` does not hold the number of a process: write pid:4711, as `ps` shows it, or name:X")]
    Pid(String),
    /// Nothing after the colon.
    #[error("`{0}:` does not say which one: write it after the colon")]
    Empty(String),
    /// Not a URL.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// Not Linux.
    #[error("`{0}` can be observed on Linux only: use prometheus:URL, or run benchhost without --observe")]
    Platform(String),
    /// No process has that number.
    #[error("there is no process {0}: is the server running, on this machine and within this container?")]
    NoProcess(u32),
    /// Another process has got its number.
    #[error("process {0} has ended, and another one has its number now")]
    Reused(u32),
    /// No process has that name.
    #[error(
        "there is no process of the program `{0}`: give the program's name as `ps -e` shows it, or its number by pid:N; \
         processes of other machines and containers are not seen"
    )]
    NoProgram(String),
    /// A file of the kernel that should be there.
    #[error("cannot read `{}`: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// A file of the kernel that does not hold what it should.
    #[error("`{}` does not tell {what}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        what: &'static str,
    },
    /// A control group that cannot be read as one.
    #[error(
        "`cgroup:{group}` cannot be observed, because `{}` cannot be read ({reason}): name a group of version 2 below \
         /sys/fs/cgroup, as `cat /proc/PID/cgroup` shows it after `0::`",
        path.display()
    )]
    Cgroup {
        /// As the user named it.
        group: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// The server could not be asked.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server took too long.
    #[error("{url} gave no metrics within {seconds} s")]
    Slow {
        /// What was asked.
        url: String,
        /// The limit that passed.
        seconds: u64,
    },
    /// The server answered something else.
    #[error("{url} answered {status} where metrics were expected: is the path right?")]
    Refused {
        /// What was asked.
        url: String,
        /// Its status code.
        status: u16,
    },
    /// The server told other things.
    #[error(
        "{url} tells neither processor time nor memory: it should have process_cpu_seconds_total and \
         process_resident_memory_bytes in the Prometheus text format"
    )]
    NoMetrics {
        /// What was asked.
        url: String,
    },
    /// This machine cannot run an event loop.
    #[error("cannot start an event loop: {0}")]
    EventLoop(io::Error),
}
