//! The two ways to a server.

use benchhost_plugin::text::base64;
use benchhost_plugin::{Ack, Channel, Client, Error, Header, MessageCompression, Payload, Request, Result, Table};

use crate::answer::{acknowledged, refusal};
use crate::settings::{Dialect, Protocol, Settings};

const EXPORT: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

/// A way to a server.
#[derive(Debug)]
pub(crate) enum Writer {
    Http { client: Client, request: Option<(Table, Request)> },
    Grpc(Channel),
}

impl Writer {
    pub(crate) fn connect(settings: &Settings) -> Result<Self> {
        let headers = settings.headers()?;
        match settings.protocol {
            Protocol::Http => {
                let client = Client::connect(settings.endpoint()?)?;
                for Header { name, value } in &headers {
                    client.set_header(name, value)?;
                }
                match &settings.token {
                    Some(token) => client.set_header("authorization", &format!("Bearer {}", token.expose()))?,
                    None => client.authorize(settings.user.as_deref(), settings.password.as_ref())?,
                }
                Ok(Self::Http { client, request: None })
            }
            Protocol::Grpc => {
                let channel = Channel::connect(settings.grpc_endpoint()?)?;
                for Header { name, value } in &headers {
                    channel.set_metadata(name, value)?;
                }
                if let Some(credentials) = credentials(settings) {
                    channel.set_metadata("authorization", &credentials)?;
                }
                if settings.gzip {
                    channel.compress(MessageCompression::Gzip);
                }
                Ok(Self::Grpc(channel))
            }
        }
    }

    /// Prepares the request for batches of `table`, of which some servers want to know in a header. A payload does not name its table, so that
    /// all batches of a session must be of one where that matters.
    pub(crate) fn expect(&mut self, table: &Table, settings: &Settings) -> Result<()> {
        let Self::Http { client, request } = self else { return Ok(()) };
        match request {
            Some((known, _)) if known == table || settings.dialect == Dialect::Plain => Ok(()),
            Some((known, _)) => Err(Error::unsupported(format!(
                "dialect={} writes one table in a session, and batches of `{}` and `{}` came",
                settings.dialect.as_str(),
                known.name,
                table.name
            ))),
            None => {
                let prepared = client.prepare("POST", settings.path(), &headers(table, settings))?;
                *request = Some((table.clone(), prepared));
                Ok(())
            }
        }
    }

    /// Sends one request and reads what the server says of it.
    pub(crate) fn send(&self, payload: &Payload) -> Result<Ack> {
        match self {
            Self::Grpc(channel) => {
                let reply = channel.unary(EXPORT, payload)?.success("write").map_err(|error| {
                    let error = error.advise_if_refused("check `token`, or `user` and `password`");
                    if error.message.contains("larger than") {
                        error.advise("set a smaller --batch-rows")
                    } else {
                        error
                    }
                })?;
                acknowledged(&reply.body().bytes(), payload.rows())
            }
            Self::Http { request: None, .. } => Err(Error::unsupported(
                "this session sends what it has encoded itself: only that tells which table the rows are of",
            )),
            Self::Http { request: Some((_, request)), .. } => match request.send(payload)? {
                None => Ok(Ack::silent()),
                Some(answer) if !answer.is_success() => Err(refusal(&answer)),
                // Some servers answer in JSON or in words, whatever they were asked in.
                Some(answer) if answer.header("content-type").is_some_and(|kind| kind.contains("protobuf")) => {
                    acknowledged(&answer.body().bytes(), payload.rows())
                }
                Some(_) => Ok(Ack::silent()),
            },
        }
    }
}

/// What goes with every request besides what the user has set.
fn headers(table: &Table, settings: &Settings) -> Vec<Header> {
    let mut headers = vec![Header::new("content-type", "application/x-protobuf")];
    if settings.gzip {
        headers.push(Header::new("content-encoding", "gzip"));
    }
    match settings.dialect {
        Dialect::Plain => {}
        Dialect::Greptime => {
            headers.push(Header::new("x-greptime-db-name", &settings.database));
            headers.push(Header::new("x-greptime-log-table-name", &table.name));
            if !settings.pipeline.is_empty() {
                headers.push(Header::new("x-greptime-pipeline-name", &settings.pipeline));
            }
        }
        Dialect::Victorialogs => headers.push(Header::new("vl-stream-fields", &crate::logsql::stream_fields(table))),
    }
    headers
}

/// The value of `authorization`; none where nobody is named.
fn credentials(settings: &Settings) -> Option<String> {
    if let Some(token) = &settings.token {
        return Some(format!("Bearer {}", token.expose()));
    }
    let user = settings.user.as_ref()?;
    let password = settings.password.as_ref().map_or("", |password| password.expose());
    Some(format!("Basic {}", base64(format!("{user}:{password}").as_bytes())))
}
