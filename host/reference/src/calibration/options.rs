//! What a server is started with.

use serde::{Deserialize, Serialize};

use crate::calibration::injection::Injection;

/// Connections that a server takes by default: each has a thread.
pub const MAX_CONNECTIONS: usize = 512;

/// How a server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerOptions {
    /// How writes are held up.
    pub injection: Injection,
    /// Seed of the draws: equal seeds give equal service times, request by request.
    pub seed: u64,
    /// Acknowledges writes and stores nothing: a liar, for whoever must find that out.
    pub forget: bool,
    /// Keeps the thread of a connection awake from its first `/write` until none has come for three seconds: it waits for bytes, and holds
    /// answers, without sleeping. So nothing is added to a time by a thread that the machine wakes up late.
    ///
    /// Meant for one connection that is busy, on a machine that has a processor for it and one for its client: each such connection
    /// takes a whole processor, and more of them than processors hold each other up. Connections that do not write sleep.
    pub spin: bool,
    /// Connections at once; one more is answered 503.
    pub max_connections: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { injection: Injection::default(), seed: 42, forget: false, spin: false, max_connections: MAX_CONNECTIONS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_json_and_what_is_left_out_is_the_default() {
        let json = r#"{"injection":{"service":{"constant":{"secs":0,"nanos":1000000}}},"seed":7}"#;
        let options: ServerOptions = serde_json::from_str(json).unwrap();
        assert_eq!((options.seed, options.forget, options.spin), (7, false, false));
        assert_eq!(options.max_connections, MAX_CONNECTIONS);
        let again: ServerOptions = serde_json::from_str(&serde_json::to_string(&options).unwrap()).unwrap();
        assert_eq!(again, options);
        assert_eq!(serde_json::from_str::<ServerOptions>("{}").unwrap(), ServerOptions::default());
    }
}
