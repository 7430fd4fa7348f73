//! What a server tells of itself over HTTP, in the Prometheus text format.

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{Probe, ProbeError, Usage};
use benchhost_net::{Endpoint, Grants, HttpClient, HttpOptions, NetError, Transport};
use tokio::runtime::{Builder, Runtime};

use super::error::ObserveError;
use super::exposition;

/// Limits for a connection and for an answer. A server that needs longer has more to tell than fits between two samples.
const LIMIT: Duration = Duration::from_secs(2);
/// The largest text that is read, in bytes.
const LONGEST: usize = 16 << 20;

/// `prometheus:URL`. It has a connection and an event loop of its own, apart from those that are measured.
pub(super) struct Prometheus {
    name: String,
    url: String,
    transport: Arc<Transport>,
    /// None until it was connected for the first time; it makes itself a new connection when one breaks.
    client: Option<HttpClient>,
    /// Declared last, because the connection lives in it.
    event_loop: Runtime,
}

impl Prometheus {
    /// Asks for the first time.
    ///
    /// # Errors
    ///
    /// When there is no answer, or one that tells neither processor time nor memory.
    pub(super) fn open(name: String, endpoint: &Endpoint) -> Result<Self, ObserveError> {
        let options = HttpOptions {
            connect_timeout: LIMIT,
            request_timeout: LIMIT,
            max_response_bytes: LONGEST,
            ..HttpOptions::default()
        };
        let transport = Transport::new(options, Grants::new([endpoint.clone()])).map_err(NetError::from)?;
        let event_loop = Builder::new_current_thread().enable_all().build().map_err(ObserveError::EventLoop)?;
        let transport = Arc::new(transport);
        let mut prometheus = Self { name, url: endpoint.to_string(), transport, client: None, event_loop };
        prometheus.usage()?;
        Ok(prometheus)
    }

    fn usage(&mut self) -> Result<Usage, ObserveError> {
        let Self { url, transport, client, event_loop, .. } = self;
        let answer = event_loop.block_on(async {
            let client = match client {
                Some(client) => client,
                None => client.insert(transport.connect(url, None).await?),
            };
            let accept = [("Accept".to_owned(), "text/plain;version=0.0.4".to_owned())];
            // The path is the endpoint's own.
            client.send("GET", "", &accept, None).await
        });
        let answer = answer.map_err(|error| match error {
            NetError::TimedOut { .. } => ObserveError::Slow { url: url.clone(), seconds: LIMIT.as_secs() },
            error => error.into(),
        })?;
        if answer.status != 200 {
            return Err(ObserveError::Refused { url: url.clone(), status: answer.status });
        }
        let usage = exposition::usage(&String::from_utf8_lossy(&answer.body));
        if usage.cpu.is_none() && usage.memory_bytes.is_none() {
            return Err(ObserveError::NoMetrics { url: url.clone() });
        }
        Ok(usage)
    }
}

impl Probe for Prometheus {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.usage().map_err(ProbeError::new)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use super::*;

    /// A server that gives these answers, each on a connection of its own, and gives back the requests.
    fn server(answers: Vec<String>) -> (Endpoint, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}/metrics", listener.local_addr().unwrap()).parse().unwrap();
        let serving = thread::spawn(move || {
            let answered = answers.into_iter().map(|answer| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = Vec::new();
                let mut piece = [0; 1024];
                while !request.ends_with(b"\r\n\r\n") {
                    let read = stream.read(&mut piece).unwrap();
                    assert!(read > 0, "the request is incomplete");
                    request.extend_from_slice(&piece[..read]);
                }
                stream.write_all(answer.as_bytes()).unwrap();
                String::from_utf8(request).unwrap()
            });
            answered.collect()
        });
        (endpoint, serving)
    }

    fn answer(status: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    }

    #[test]
    fn metrics_are_asked_for_each_time_also_over_a_new_connection() {
        let first = answer("200 OK", "process_cpu_seconds_total 1\nprocess_resident_memory_bytes 4096\n");
        let second = answer("200 OK", "process_cpu_seconds_total 3\nprocess_resident_memory_bytes 8192\n");
        let (endpoint, serving) = server(vec![first, second]);
        let mut probe = Prometheus::open("prometheus".into(), &endpoint).unwrap();
        let usage = probe.sample().unwrap();
        assert_eq!((usage.cpu, usage.memory_bytes), (Some(Duration::from_secs(3)), Some(8192)));
        for request in serving.join().unwrap() {
            assert!(request.starts_with("GET /metrics HTTP/1.1\r\n"), "{request}");
        }
        // Nobody listens any more.
        let error = probe.sample().unwrap_err().to_string();
        assert!(error.contains("cannot connect") || error.contains("broke"), "{error}");
    }

    #[test]
    fn an_answer_that_is_of_no_use_is_refused_with_what_is_missing() {
        let refused = |answer: String| {
            let (endpoint, serving) = server(vec![answer]);
            let text = Prometheus::open(String::new(), &endpoint).err().unwrap().to_string();
            serving.join().unwrap();
            assert!(text.contains(&endpoint.to_string()), "{text}");
            text
        };
        assert!(refused(answer("404 Not Found", "")).contains("404"));
        let text = refused(answer("200 OK", "go_goroutines 7\n"));
        assert!(text.contains("process_cpu_seconds_total") && text.contains("process_resident_memory_bytes"), "{text}");
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let endpoint = format!("http://{address}/metrics").parse().unwrap();
        let text = Prometheus::open(String::new(), &endpoint).err().unwrap().to_string();
        assert!(text.contains(&address.to_string()) && text.contains("refused"), "{text}");
    }
}
