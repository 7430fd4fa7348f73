//! `--observe`: where to learn what the database server uses of its machine. Each way is a probe of the core; all of them only read.

mod cgroup;
mod error;
mod exposition;
mod proc;
mod process;
mod prometheus;

use std::fmt;

use benchhost_core::Probe;
use benchhost_net::Endpoint;

pub(crate) use error::ObserveError;

use cgroup::Cgroup;
use proc::Proc;
use process::{Named, Numbered};
use prometheus::Prometheus;

/// What is observed, as the user writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObserveSpec {
    /// `pid:4711`: that process alone.
    Pid(u32),
    /// `name:postgres`: all processes of that name together.
    Name(String),
    /// `cgroup:system.slice/postgresql.service`: all processes of that control group and those below it.
    Cgroup(String),
    /// `prometheus:http://host:9090/metrics`: what the server tells of itself.
    Prometheus(Endpoint),
}

impl fmt::Display for ObserveSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pid(pid) => write!(f, "pid:{pid}"),
            Self::Name(name) => write!(f, "name:{name}"),
            Self::Cgroup(path) => write!(f, "cgroup:{path}"),
            Self::Prometheus(endpoint) => write!(f, "prometheus:{endpoint}"),
        }
    }
}

/// Reads a value of `--observe`. Nothing is looked at yet.
///
/// # Errors
///
/// When it is none of the four forms.
pub(crate) fn parse(spec: &str) -> Result<ObserveSpec, ObserveError> {
    let Some((kind, value)) = spec.split_once(':') else { return Err(ObserveError::Form(spec.into())) };
    let value = value.trim();
    match kind.trim() {
        "pid" => match value.parse::<u32>() {
            Ok(pid) if pid > 0 => Ok(ObserveSpec::Pid(pid)),
            _ => Err(ObserveError::Pid(value.into())),
        },
        "name" | "cgroup" if value.is_empty() => Err(ObserveError::Empty(kind.trim().into())),
        "name" => Ok(ObserveSpec::Name(value.into())),
        "cgroup" => Ok(ObserveSpec::Cgroup(value.into())),
        "prometheus" => {
            let endpoint: Endpoint = value.parse()?;
            // The path that nearly every server has it at.
            let named = !endpoint.base_path().is_empty();
            Ok(ObserveSpec::Prometheus(if named { endpoint } else { format!("{endpoint}/metrics").parse()? }))
        }
        _ => Err(ObserveError::Form(spec.into())),
    }
}

/// Makes the probe, and takes one sample with it, so that whatever is wrong is known before a run begins.
///
/// # Errors
///
/// What kept that sample from being taken.
pub(crate) fn open(spec: &ObserveSpec) -> Result<Box<dyn Probe>, ObserveError> {
    let name = spec.to_string();
    let local = || if cfg!(target_os = "linux") { Ok(()) } else { Err(ObserveError::Platform(name.clone())) };
    Ok(match spec {
        ObserveSpec::Pid(pid) => {
            local()?;
            Box::new(Numbered::open(name, *pid, Proc::of_this_machine())?)
        }
        ObserveSpec::Name(program) => {
            local()?;
            Box::new(Named::open(name, program.clone(), Proc::of_this_machine())?)
        }
        ObserveSpec::Cgroup(path) => {
            local()?;
            Box::new(Cgroup::open(name, path)?)
        }
        ObserveSpec::Prometheus(endpoint) => Box::new(Prometheus::open(name, endpoint)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_shown_as_it_is_written() {
        let forms = [
            "pid:4711",
            "name:influxd",
            "cgroup:system.slice/postgresql.service",
            "cgroup:/sys/fs/cgroup/bench",
            "prometheus:http://db:8086/metrics",
            "prometheus:https://db/actuator/prometheus",
        ];
        for form in forms {
            assert_eq!(parse(form).unwrap().to_string(), form);
        }
        assert_eq!(parse("prometheus:http://db:8086").unwrap().to_string(), "prometheus:http://db:8086/metrics");
        assert_eq!(parse(" pid: 12 ").unwrap(), ObserveSpec::Pid(12));
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_what_can() {
        let refused = |spec: &str| parse(spec).unwrap_err().to_string();
        for spec in ["postgres", "process:12", ""] {
            let text = refused(spec);
            assert!(text.contains(&format!("`{spec}`")) && text.contains("prometheus:URL"), "{text}");
        }
        for pid in ["0", "-1", "x", "", "99999999999"] {
            assert!(refused(&format!("pid:{pid}")).contains("the number of a process"));
        }
        assert!(refused("name:").contains("name:"));
        assert!(refused("cgroup: ").contains("cgroup:"));
        assert!(refused("prometheus:db:9090").contains("http://db:9090"));
        assert!(!refused("prometheus:http://me:secret@db").contains("secret"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_there_is_sampled_and_one_that_is_not_is_named() {
        let mut probe = open(&ObserveSpec::Pid(std::process::id())).unwrap();
        assert_eq!(probe.name(), format!("pid:{}", std::process::id()));
        assert!(probe.sample().unwrap().memory_bytes.unwrap() > 100_000);
        let refused = |spec| open(&spec).err().unwrap().to_string();
        // Beyond the largest number that the kernel gives.
        assert!(refused(ObserveSpec::Pid(u32::MAX)).contains("4294967295"));
        assert!(refused(ObserveSpec::Name("no such program".into())).contains("`no such program`"));
        assert!(refused(ObserveSpec::Cgroup("no/such/group".into())).contains("no/such/group"));
    }
}
