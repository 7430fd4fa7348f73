//! What the user asked for, read from the command line without doing anything yet.

use std::ffi::OsString;

use anyhow::{Context as _, Result, bail};
use xtask::servers::Server;

pub(crate) const HELP: &str = "\
cargo xtask COMMAND

  build [--dist]            the program and all plugins, into target/release (or target/dist: slower to build, a little faster)
  demo [-- FLAG…]           ten million rows into the embedded reference server, a verified report; flags are passed on to
                            `benchhost run`
  servers [--quick] [NAME…] gets the servers that the tests use: redis, questdb, victorialogs, victoriametrics, influxdb1, otelcol,
                            influxdb2; without names also the official clients, the reader of histogram logs, and the tools that
                            build plugins in other languages
  test [--quick]            everything: lint, unit tests, then end-to-end tests on real servers
  lint                      format, clippy, documentation, licences
  fuzz [--seconds N] [TARGET…]
                            looks for bytes that break a parser or decoder, for a minute each; needs a nightly Rust
  bench [NAME [FLAG…]]      the benchmarks that the README quotes; without a name, which there are
  help                      this text

--quick leaves out what takes minutes, and says what that was.
";

/// A command with its arguments checked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Build {
        dist: bool,
    },
    /// An empty list means all of them.
    Servers {
        quick: bool,
        servers: Vec<Server>,
    },
    Demo {
        extra: Vec<OsString>,
    },
    Lint,
    Test {
        quick: bool,
    },
    Bench {
        arguments: Vec<OsString>,
    },
    /// An empty list means all of them.
    Fuzz {
        seconds: u64,
        targets: Vec<String>,
    },
}

/// How long each target is fuzzed unless it is said.
const FUZZ_SECONDS: u64 = 60;

impl Command {
    /// Reads the words after `cargo xtask`.
    pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut words = words.into_iter();
        let Some(name) = words.next() else { return Ok(Self::Help) };
        let rest: Vec<OsString> = words.collect();
        match name.to_string_lossy().as_ref() {
            "help" | "--help" | "-h" => Ok(Self::Help),
            _ if rest.iter().any(|word| word == "--help" || word == "-h") && name != "bench" && name != "demo" => {
                Ok(Self::Help)
            }
            "build" => Ok(Self::Build { dist: flag("build", "--dist", &rest)? }),
            "test" => Ok(Self::Test { quick: flag("test", "--quick", &rest)? }),
            "servers" => servers(&rest),
            "demo" => match rest.split_first() {
                None => Ok(Self::Demo { extra: Vec::new() }),
                Some((dashes, extra)) if dashes == "--" => Ok(Self::Demo { extra: extra.to_vec() }),
                Some((word, _)) => {
                    let word = word.to_string_lossy();
                    bail!(
                        "`demo` does not know `{word}`: write flags of `benchhost run` after two dashes: cargo xtask demo -- {word} …"
                    )
                }
            },
            "lint" => match rest.first() {
                None => Ok(Self::Lint),
                Some(word) => bail!("`lint` takes no arguments, and was given `{}`", word.to_string_lossy()),
            },
            "bench" => Ok(Self::Bench { arguments: rest }),
            "fuzz" => fuzz(&rest),
            other => bail!("there is no command `{other}`; `cargo xtask help` lists them"),
        }
    }
}

/// Whether the one flag that a command has is given; an error for anything else.
fn flag(command: &str, flag: &str, words: &[OsString]) -> Result<bool> {
    match words.iter().find(|word| *word != flag) {
        None => Ok(!words.is_empty()),
        Some(word) => bail!("`{command}` does not know `{}`: it takes {flag} only", word.to_string_lossy()),
    }
}

fn fuzz(words: &[OsString]) -> Result<Command> {
    let mut words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let (mut seconds, mut targets) = (FUZZ_SECONDS, Vec::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => {
                let given = words.next().context("--seconds needs a number")?;
                seconds = given
                    .parse()
                    .ok()
                    .filter(|seconds| (1..=86_400).contains(seconds))
                    .with_context(|| format!("--seconds {given}: a number from 1 to 86400 goes here"))?;
            }
            name if crate::commands::fuzz::TARGETS.contains(&name) => targets.push(word),
            other => {
                bail!("`fuzz` does not know `{other}`: its targets are {}", crate::commands::fuzz::TARGETS.join(", "))
            }
        }
    }
    Ok(Command::Fuzz { seconds, targets })
}

fn servers(words: &[OsString]) -> Result<Command> {
    let quick = words.iter().any(|word| word == "--quick");
    let names = words.iter().filter(|word| *word != "--quick");
    let servers: Vec<Server> = names
        .map(|name| name.to_string_lossy().parse())
        .collect::<Result<_>>()
        .context("`servers` takes --quick and names of servers")?;
    if quick && !servers.is_empty() {
        bail!("--quick chooses servers, and so do names: give one or the other");
    }
    Ok(Command::Servers { quick, servers })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parse(line: &str) -> Result<Command> {
        Command::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn no_command_and_a_request_for_help_are_help() {
        for line in ["", "help", "--help", "test --help", "servers -h"] {
            assert_eq!(parse(line).unwrap(), Command::Help, "{line}");
        }
    }

    #[test]
    fn every_command_in_the_help_text_is_understood() {
        let names: Vec<_> = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(names.len(), 8);
        for name in names {
            parse(name).unwrap();
        }
        for server in Server::ALL {
            assert!(HELP.contains(server.name()), "{server}");
        }
    }

    #[test]
    fn flags_and_names_arrive() {
        assert_eq!(parse("build --dist").unwrap(), Command::Build { dist: true });
        assert_eq!(parse("test").unwrap(), Command::Test { quick: false });
        assert_eq!(
            parse("servers questdb influxdb2").unwrap(),
            Command::Servers { quick: false, servers: vec![Server::QuestDb, Server::Influx2] }
        );
        assert_eq!(
            parse("demo -- -c 4 --help").unwrap(),
            Command::Demo { extra: vec!["-c".into(), "4".into(), "--help".into()] }
        );
        assert_eq!(
            parse("bench encode --help").unwrap(),
            Command::Bench { arguments: vec!["encode".into(), "--help".into()] }
        );
    }

    #[test]
    fn what_is_not_understood_is_named_with_what_would_be() {
        let cases = [
            ("tset", "there is no command `tset`; `cargo xtask help` lists them"),
            ("build --release", "`build` does not know `--release`: it takes --dist only"),
            ("test quick", "`test` does not know `quick`: it takes --quick only"),
            ("fuzz --seconds 0", "--seconds 0: a number from 1 to 86400"),
            (
                "fuzz everything",
                "`fuzz` does not know `everything`: its targets are plans, line_protocol, answers, loader",
            ),
            ("lint all", "`lint` takes no arguments, and was given `all`"),
            ("servers --quick questdb", "--quick chooses servers, and so do names: give one or the other"),
            ("demo -c 4", "cargo xtask demo -- -c …"),
            (
                "servers influx",
                "no server is called `influx`: choose from redis, questdb, victorialogs, victoriametrics, influxdb1",
            ),
        ];
        for (line, expected) in cases {
            let error = format!("{:#}", parse(line).unwrap_err());
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
