//! How each server is built or fetched. A recipe gets an empty folder, does its work there, and names the sub-folder that is to be kept.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use super::cache::hexadecimal;
use super::tools::{Log, Tool, forget_cargo, java_major, script};
use super::{Server, debian};

/// SHA-256 of the QuestDB jar of the pinned version.
const QUESTDB_SHA256: &str = "939bc53ab22f93dbaa6545143a6e7c536d4904c07b7f2d381e8eef10436be062";

/// Raised whenever the recipe makes something else of the same version, so that old results are not taken for new ones.
pub(super) fn revision(server: Server) -> u32 {
    match server {
        Server::Influx1
        | Server::Influx2
        | Server::VictoriaMetrics
        | Server::QuestDb
        | Server::VictoriaLogs
        | Server::OtelCollector
        | Server::Redis => 1,
    }
}

/// Makes the server inside `work` and returns the folder to keep.
pub(super) fn make(server: Server, work: &Path, log: &mut Log) -> Result<PathBuf> {
    let keep = work.join("keep");
    fs::create_dir(&keep).with_context(|| format!("cannot make the folder {}", keep.display()))?;
    let version = server.version();
    match server {
        Server::Influx1 => {
            let flags = format!("-s -w -X main.version={version}");
            let package = format!("github.com/influxdata/influxdb/cmd/influxd@v{version}");
            go_install(work, &keep, &flags, &package, log)?;
        }
        Server::VictoriaMetrics => victoria(work, &keep, "VictoriaMetrics/app/victoria-metrics", version, log)?,
        Server::VictoriaLogs => victoria(work, &keep, "VictoriaLogs/app/victoria-logs", version, log)?,
        Server::OtelCollector => otelcol(work, &keep, log)?,
        Server::Influx2 => influx2(work, &keep, version, log)?,
        Server::QuestDb => questdb(work, &keep, version, log)?,
        Server::Redis => debian::redis(work, &keep, version, log)?,
    }
    Ok(keep)
}

/// A Go command in `work`, free of what the surrounding shell may say about Go projects.
fn go(work: &Path) -> Result<Command> {
    let mut command = Tool::Go.command()?;
    command.current_dir(work).env("GOFLAGS", "-buildvcs=false").env("GOWORK", "off");
    // The installed Go, never one that it would download to satisfy a module.
    command.env("GOTOOLCHAIN", "local");
    Ok(command)
}

/// `go install` of a program that needs no C compiler.
fn go_install(work: &Path, keep: &Path, flags: &str, package: &str, log: &mut Log) -> Result<()> {
    let mut command = go(work)?;
    log.run(command.env("CGO_ENABLED", "0").env("GOBIN", keep).args(["install", "-ldflags", flags, package]))
}

/// A program of VictoriaMetrics, which has no version to tell unless it is given one.
fn victoria(work: &Path, keep: &Path, program: &str, version: &str, log: &mut Log) -> Result<()> {
    let variable = "github.com/VictoriaMetrics/VictoriaMetrics/lib/buildinfo.Version";
    let flags = format!("-s -w -X {variable}=v{version}");
    go_install(work, keep, &flags, &format!("github.com/VictoriaMetrics/{program}@v{version}"), log)
}

/// The collector is a toolkit of modules, and everybody links the ones that they want: ours are in the folder beside this file.
fn otelcol(work: &Path, keep: &Path, log: &mut Log) -> Result<()> {
    let module = work.join("module");
    fs::create_dir(&module).with_context(|| format!("cannot make the folder {}", module.display()))?;
    for (name, text) in [
        ("main.go", include_str!("otelcol/main.go")),
        ("go.mod", include_str!("otelcol/go.mod")),
        ("go.sum", include_str!("otelcol/go.sum")),
    ] {
        let path = module.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut build = go(&module)?;
    build.env("CGO_ENABLED", "0").args(["build", "-mod=readonly", "-ldflags", "-s -w", "-o"]);
    log.run(build.arg(keep.join("otelcol")).arg("."))
}

/// InfluxDB 2 links its query language Flux, a Rust library that a stand-in for `pkg-config` compiles during the Go build.
///
/// `go install` refuses the program as a main module of its own (it has `replace` lines), so it is built from inside an empty one.
fn influx2(work: &Path, keep: &Path, version: &str, log: &mut Log) -> Result<()> {
    for tool in [Tool::Cargo, Tool::Gcc, Tool::PkgConfig] {
        tool.find()?;
    }
    let tools = work.join("tools");
    let module = work.join("module");
    for folder in [&tools, &module] {
        fs::create_dir(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    go_install(work, &tools, "-s -w", "github.com/influxdata/pkg-config@v0.3.0", log)?;

    // Flux denies all warnings, and compilers newer than its own have more of them. Flags would not reach its build
    // dependencies; a wrapper does.
    let wrapper = tools.join("rustc-warn");
    let text = "#!/bin/sh\ncase \" $* \" in *\" --cap-lints\"*) exec \"$@\";; *) exec \"$@\" --cap-lints warn;; esac\n";
    script(&wrapper, text).with_context(|| format!("cannot write {}", wrapper.display()))?;

    log.run(go(&module)?.args(["mod", "init", "wrapper"]))?;
    let package = "github.com/influxdata/influxdb/v2/cmd/influxd";
    log.run(go(&module)?.arg("get").arg(format!("{package}@v{version}")))?;

    let mut search = vec![tools];
    search.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let search = env::join_paths(search).context("a folder of PATH has a colon in its name")?;
    let mut build = go(&module)?;
    forget_cargo(&mut build).env("RUSTC_WRAPPER", wrapper).env("PATH", search).env("CGO_ENABLED", "1");
    if let Some(toolchain) = rust_toolchain() {
        // Flux pins an old toolchain in a file; rustup would go and download it.
        build.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    build.args(["build", "-mod=mod", "-tags", "sqlite_foreign_keys,sqlite_json", "-ldflags"]);
    build.arg(format!("-s -w -X main.version={version}")).arg("-o").arg(keep.join("influxd")).arg(package);
    log.run(&build)
}

/// The Rust toolchain in use, when rustup is there to choose one.
fn rust_toolchain() -> Option<String> {
    if let Ok(toolchain) = env::var("RUSTUP_TOOLCHAIN") {
        return Some(toolchain);
    }
    let mut command = Command::new("rustup");
    let output = command.args(["show", "active-toolchain"]).current_dir("/").stdin(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.split_whitespace().next().map(str::to_owned)
}

/// QuestDB is one jar that holds its own native libraries.
fn questdb(work: &Path, keep: &Path, version: &str, log: &mut Log) -> Result<()> {
    let java = Tool::Java.find()?;
    let major = java_major(&java)?;
    if major < 17 {
        bail!(
            "{} is Java {major}, and QuestDB {version} needs 17 or newer; on Debian: apt-get install openjdk-17-jre-headless",
            java.display()
        );
    }
    let mut command = Tool::Maven.command()?;
    command.current_dir(work).args(["-B", "-q", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"]);
    command.arg(format!("-Dartifact=org.questdb:questdb:{version}")).arg("-Dmdep.stripVersion=true");
    command.arg(format!("-DoutputDirectory={}", keep.display()));
    log.run(&command)?;
    verify(&keep.join("questdb.jar"), QUESTDB_SHA256)
}

fn verify(file: &Path, expected: &str) -> Result<()> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let actual = hexadecimal(&Sha256::digest(&bytes));
    if actual != expected {
        bail!(
            "{} has SHA-256 {actual} where {expected} was expected: it is not the file that the tests were written for",
            file.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::scratch::Scratch;
    use super::*;

    #[test]
    fn a_file_with_another_checksum_is_refused_with_both_named() {
        let folder = Scratch::new("recipe-test").unwrap();
        let file = folder.path().join("questdb.jar");
        fs::write(&file, "abc").unwrap();
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        verify(&file, of_abc).unwrap();
        let error = verify(&file, QUESTDB_SHA256).unwrap_err().to_string();
        assert!(error.contains(of_abc) && error.contains(QUESTDB_SHA256), "{error}");
    }
}
