//! Servers out of Debian's packages: fetched by `apt-get` and unpacked, not installed, so that any user can do it and nothing of the machine
//! changes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use super::tools::{Log, Tool, script};

/// Redis, and the libraries of it that a machine may lack.
const REDIS: [&str; 9] = [
    "redis-server",
    "redis-tools",
    "libatomic1",
    "libhiredis0.14",
    "libjemalloc2",
    "liblua5.1-0",
    "liblzf1",
    "lua-bitop",
    "lua-cjson",
];

/// Starts the program with its own libraries. The process is the program's: its number can be stopped.
const START: &str = "#!/bin/sh
here=$(dirname \"$0\")/root/usr
for libraries in \"$here\"/lib/*-linux-gnu*; do
    LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
export LD_LIBRARY_PATH
exec \"$here/bin/redis-server\" \"$@\"
";

/// Redis, of the version that the tests were written for.
pub(super) fn redis(work: &Path, keep: &Path, version: &str, log: &mut Log) -> Result<()> {
    unpack(work, &keep.join("root"), &REDIS, log)?;
    let program = keep.join("redis-server");
    script(&program, START).with_context(|| format!("cannot write {}", program.display()))?;
    let mut asked = Command::new(&program);
    let output = asked.arg("--version").stdin(Stdio::null()).output().context("cannot run redis-server")?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains(&format!("v={version} ")) {
        let said = format!("{said}{}", String::from_utf8_lossy(&output.stderr));
        bail!("this system's packages have another Redis than {version}, which Debian 12 has: {}", said.trim());
    }
    Ok(())
}

/// Fetches packages and unpacks them below `root`. Lists and archives stay inside `work`: those of the machine may be old, or missing, and belong to
/// its administrator.
fn unpack(work: &Path, root: &Path, packages: &[&str], log: &mut Log) -> Result<()> {
    let state = work.join("apt");
    for folder in ["lists/partial", "cache/archives/partial", "packages"] {
        let folder = state.join(folder);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    fs::create_dir(root).with_context(|| format!("cannot make the folder {}", root.display()))?;
    let archives = state.join("packages");
    let apt = || -> Result<Command> {
        let mut command = Tool::AptGet.command()?;
        command.current_dir(&archives).arg("-q");
        // Whoever runs it keeps the files: the user that root would fetch as cannot write here.
        for option in ["APT::Sandbox::User=root", "Debug::NoLocking=1"] {
            command.args(["-o", option]);
        }
        for (option, folder) in [("Dir::State::Lists", "lists"), ("Dir::Cache", "cache")] {
            command.arg("-o").arg(format!("{option}={}", state.join(folder).display()));
        }
        Ok(command)
    };
    log.run(apt()?.arg("update"))?;
    log.run(apt()?.arg("download").args(packages))?;
    let entries = fs::read_dir(&archives).with_context(|| format!("cannot read {}", archives.display()))?;
    for entry in entries {
        let mut command = Tool::DpkgDeb.command()?;
        command.arg("-x").arg(entry.context("cannot read the packages")?.path()).arg(root);
        log.run(&command)?;
    }
    Ok(())
}
