//! What a server is started with.

use serde::{Deserialize, Serialize};

use crate::injection::Injection;

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
    /// Connections at once; one more is answered 503.
    pub max_connections: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { injection: Injection::default(), seed: 42, forget: false, max_connections: MAX_CONNECTIONS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_json_and_what_is_left_out_is_the_default() {
        let json = r#"{"injection":{"service":{"constant":{"secs":0,"nanos":1000000}}},"seed":7}"#;
        let options: ServerOptions = serde_json::from_str(json).unwrap();
        assert_eq!((options.seed, options.forget, options.max_connections), (7, false, MAX_CONNECTIONS));
        let again: ServerOptions = serde_json::from_str(&serde_json::to_string(&options).unwrap()).unwrap();
        assert_eq!(again, options);
        assert_eq!(serde_json::from_str::<ServerOptions>("{}").unwrap(), ServerOptions::default());
    }
}
