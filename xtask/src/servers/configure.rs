//! What each server is told when it starts: every listener on loopback, no reports home, data for ever, no limits that a test with a
//! million rows would meet.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::probe::Probe;
use super::running::{Access, Options};
use super::tools::Tool;
use super::{Installed, Server};
use crate::http::{self, Request};

const USER: &str = "benchhost";
const PASSWORD: &str = "benchhost-password";
const TOKEN: &str = "benchhost-token";
const ORG: &str = "benchhost";
const BUCKET: &str = "bench";

const HTTP: &str = "http";

/// How to run a server once.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// How the address of the server begins.
    pub(super) scheme: &'static str,
    /// Answered as soon as the server takes requests.
    pub(super) ready: Probe,
    /// Sent once it is ready, to make the first user or token.
    pub(super) setup: Option<Request>,
    pub(super) access: Access,
    /// Where it takes gRPC, when it does.
    pub(super) grpc: Option<String>,
}

/// How many ports a server listens on.
pub(super) fn ports(server: Server) -> usize {
    match server {
        Server::Influx1 | Server::OtelCollector => 2,
        Server::Influx2 | Server::VictoriaMetrics | Server::QuestDb | Server::VictoriaLogs | Server::Redis => 1,
    }
}

/// Writes the configuration below `data` and tells how to start the server.
pub(super) fn plan(installed: &Installed, data: &Path, ports: &[u16], options: &Options) -> Result<Plan> {
    let [port, others @ ..] = ports else { bail!("{} needs a port", installed.server) };
    let endpoint = format!("http://127.0.0.1:{port}");
    let access = if options.auth {
        Access { user: Some(USER.to_owned()), password: Some(PASSWORD.to_owned()), ..Access::default() }
    } else {
        Access::default()
    };
    match installed.server {
        Server::Influx1 => influx1(installed, data, *port, others, options, access),
        Server::Influx2 => Ok(influx2(installed, data, &endpoint, *port)),
        Server::VictoriaMetrics => Ok(victoriametrics(installed, data, &endpoint, *port, access)),
        Server::VictoriaLogs => Ok(victorialogs(installed, data, &endpoint, *port, access)),
        Server::OtelCollector => otelcol(installed, &endpoint, *port, others),
        Server::QuestDb => questdb(installed, data, &endpoint, *port, access),
        Server::Redis => Ok(redis(installed, data, *port, access)),
    }
}

fn influx1(
    installed: &Installed,
    data: &Path,
    port: u16,
    others: &[u16],
    options: &Options,
    access: Access,
) -> Result<Plan> {
    let [backup_port] = others else { bail!("{} needs a second port", installed.server) };
    let auth = options.auth;
    let folder = data.display();
    // Flux costs seconds of CPU time at start. A limit of 0 is none.
    let text = format!(
        "reporting-disabled = true
bind-address = \"127.0.0.1:{backup_port}\"
[meta]
dir = \"{folder}/meta\"
[data]
dir = \"{folder}/data\"
wal-dir = \"{folder}/wal\"
index-version = \"tsi1\"
query-log-enabled = false
max-series-per-database = 0
max-values-per-tag = 0
[http]
bind-address = \"127.0.0.1:{port}\"
auth-enabled = {auth}
flux-enabled = false
log-enabled = false
max-body-size = 0
[monitor]
store-enabled = false
[subscriber]
enabled = false
[continuous_queries]
enabled = false
"
    );
    let file = write(&data.join("influxdb.conf"), &text)?;
    let endpoint = format!("http://127.0.0.1:{port}");
    let user = format!("CREATE USER {USER} WITH PASSWORD '{PASSWORD}' WITH ALL PRIVILEGES");
    let setup = http::post(format!("{endpoint}/query"), http::form(&[("q", &user)]))
        .header("Content-Type", "application/x-www-form-urlencoded");
    Ok(Plan {
        program: installed.folder.join("influxd"),
        arguments: vec!["-config".into(), file.into()],
        scheme: HTTP,
        ready: Probe::Http(http::get(format!("{endpoint}/ping"))),
        setup: options.auth.then_some(setup),
        access,
        grpc: None,
    })
}

fn influx2(installed: &Installed, data: &Path, endpoint: &str, port: u16) -> Plan {
    let option = |name: &str, value: PathBuf| [OsString::from(name), value.into()];
    let mut arguments = vec![OsString::from("--reporting-disabled")];
    arguments.extend(option("--http-bind-address", format!("127.0.0.1:{port}").into()));
    arguments.extend(option("--bolt-path", data.join("influxd.bolt")));
    arguments.extend(option("--sqlite-path", data.join("influxd.sqlite")));
    arguments.extend(option("--engine-path", data.join("engine")));
    let body = format!(
        r#"{{"username":"{USER}","password":"{PASSWORD}","org":"{ORG}","bucket":"{BUCKET}","token":"{TOKEN}"}}"#
    );
    let setup = http::post(format!("{endpoint}/api/v2/setup"), body).header("Content-Type", "application/json");
    let access = Access {
        user: Some(USER.to_owned()),
        password: Some(PASSWORD.to_owned()),
        token: Some(TOKEN.to_owned()),
        org: Some(ORG.to_owned()),
        bucket: Some(BUCKET.to_owned()),
    };
    let ready = Probe::Http(http::get(format!("{endpoint}/health")));
    Plan {
        program: installed.folder.join("influxd"),
        arguments,
        scheme: HTTP,
        ready,
        setup: Some(setup),
        access,
        grpc: None,
    }
}

fn victoriametrics(installed: &Installed, data: &Path, endpoint: &str, port: u16, access: Access) -> Plan {
    // It hides what is younger than 30 s by default.
    let own = "-search.latencyOffset=0s".into();
    victoria(installed.folder.join("victoria-metrics"), data, endpoint, port, access, Some(own))
}

fn victorialogs(installed: &Installed, data: &Path, endpoint: &str, port: u16, access: Access) -> Plan {
    victoria(installed.folder.join("victoria-logs"), data, endpoint, port, access, None)
}

/// What the programs of VictoriaMetrics have in common.
fn victoria(program: PathBuf, data: &Path, endpoint: &str, port: u16, access: Access, own: Option<OsString>) -> Plan {
    let mut storage = OsString::from("-storageDataPath=");
    storage.push(data.join("storage"));
    // By default they drop what is older than a month, or a week.
    let mut arguments =
        vec![storage, format!("-httpListenAddr=127.0.0.1:{port}").into(), "-retentionPeriod=100y".into()];
    arguments.extend(own);
    if let (Some(user), Some(password)) = (&access.user, &access.password) {
        arguments.push(format!("-httpAuth.username={user}").into());
        arguments.push(format!("-httpAuth.password={password}").into());
    }
    // Open to everybody, also when the rest asks for a password.
    let ready = Probe::Http(http::get(format!("{endpoint}/health")));
    Plan { program, arguments, scheme: HTTP, ready, setup: None, access, grpc: None }
}

/// It asks for no password: the checks of OTLP have no use for one.
fn otelcol(installed: &Installed, endpoint: &str, port: u16, others: &[u16]) -> Result<Plan> {
    let [grpc_port] = others else { bail!("{} needs a second port", installed.server) };
    Ok(Plan {
        program: installed.folder.join("otelcol"),
        arguments: [grpc_port, &port].map(|port| format!("127.0.0.1:{port}").into()).into(),
        // A request without any log record.
        scheme: HTTP,
        ready: Probe::Http(http::post(format!("{endpoint}/v1/logs"), "{}").header("Content-Type", "application/json")),
        setup: None,
        access: Access::default(),
        grpc: Some(format!("http://127.0.0.1:{grpc_port}")),
    })
}

fn questdb(installed: &Installed, data: &Path, endpoint: &str, port: u16, access: Access) -> Result<Plan> {
    // It allocates files ahead of their content: with the default page sizes a dozen small tables take a gigabyte.
    let mut text = format!(
        "http.bind.to=127.0.0.1:{port}
http.min.enabled=false
line.tcp.enabled=false
line.udp.enabled=false
pg.enabled=false
telemetry.enabled=false
shared.worker.count=2
cairo.wal.writer.data.append.page.size=64k
cairo.writer.data.append.page.size=256k
cairo.writer.data.index.value.append.page.size=256k
cairo.o3.column.memory.size=256k
"
    );
    let mut ready = http::get(format!("{endpoint}/exec?query=select%201"));
    if let (Some(user), Some(password)) = (&access.user, &access.password) {
        text.push_str(&format!("http.user={user}\nhttp.password={password}\n"));
        ready = ready.basic(user, password);
    }
    let conf = data.join("conf");
    fs::create_dir(&conf).with_context(|| format!("cannot make the folder {}", conf.display()))?;
    write(&conf.join("server.conf"), &text)?;
    // The smallest and quickest to start of the settings tried: a second of CPU time and 100 MiB less than the defaults.
    let mut arguments: Vec<OsString> =
        ["-XX:+UseSerialGC", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-p"].map(OsString::from).into();
    arguments.push(installed.folder.join("questdb.jar").into());
    arguments.extend(["-m", "io.questdb/io.questdb.ServerMain", "-d"].map(OsString::from));
    arguments.push(data.into());
    let ready = Probe::Http(ready);
    Ok(Plan { program: Tool::Java.find()?, arguments, scheme: HTTP, ready, setup: None, access, grpc: None })
}

/// Everything in memory: what a test writes is gone with it anyway.
fn redis(installed: &Installed, data: &Path, port: u16, access: Access) -> Plan {
    let port = port.to_string();
    let mut arguments: Vec<OsString> =
        ["--bind", "127.0.0.1", "--port", &port, "--save", "", "--appendonly", "no", "--dir"]
            .map(OsString::from)
            .into();
    arguments.push(data.into());
    if let Some(password) = &access.password {
        arguments.extend(["--requirepass", password].map(OsString::from));
    }
    let address = format!("127.0.0.1:{port}");
    // Who asks without the password is told so by a server that is ready.
    let ready = Probe::Line { address, say: "PING\r\n", hear: &["+PONG", "-NOAUTH"] };
    // Its password has no user.
    let access = Access { user: None, ..access };
    Plan {
        program: installed.folder.join("redis-server"),
        arguments,
        scheme: "tcp",
        ready,
        setup: None,
        access,
        grpc: None,
    }
}

fn write(file: &Path, text: &str) -> Result<PathBuf> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file.to_owned())
}
