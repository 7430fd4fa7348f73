//! What is checked, and against what.

use std::path::PathBuf;
use std::time::Duration;

use benchhost_net::{Grants, HttpOptions};
use benchhost_wasm::HostOptions;

/// A check of one plugin. [`CheckPlan::new`] fills in what fits most.
#[derive(Clone)]
pub struct CheckPlan {
    /// The plugin's file.
    pub plugin: PathBuf,
    /// Its settings, name to value as a user types them, endpoints among them. A target may connect to each endpoint that is given here, and
    /// on ways that fail the very same settings are given to it with the address of a relay in them.
    pub settings: Vec<(String, String)>,
    /// Settings that replace some of the others to reach a server that throttles every write, as the reference server does that was told to.
    /// Empty: there is no such server.
    pub throttling: Vec<(String, String)>,
    /// What a target may dial besides the endpoints among its settings.
    pub grants: Grants,
    /// Time-outs and TLS of the ways to the server.
    pub http: HttpOptions,
    /// Limits of the sandbox, and where the plugin's log goes. At least four instances live at once.
    pub host: HostOptions,
    /// Seed of a generator's rows.
    pub seed: u64,
    /// Time-out of requests on ways that fail. A server that stalls is waited for so long. Default 1 s.
    pub stall: Duration,
    /// How long a server may take to show rows that it acknowledged, or to forget rows that were dropped. Default 15 s.
    pub patience: Duration,
    /// The longest that a call may take before the plugin is held to hang. Default 60 s: longer than the time-outs of [`CheckPlan::http`].
    pub call_limit: Duration,
}

impl CheckPlan {
    /// A check of this file without settings or server.
    #[must_use]
    pub fn new(plugin: impl Into<PathBuf>) -> Self {
        Self {
            plugin: plugin.into(),
            settings: Vec::new(),
            throttling: Vec::new(),
            grants: Grants::default(),
            http: HttpOptions::default(),
            host: HostOptions::default(),
            seed: 1,
            stall: Duration::from_secs(1),
            patience: Duration::from_secs(15),
            call_limit: Duration::from_secs(60),
        }
    }
}

// By hand: a setting may be a secret, and a log sink has no form.
impl std::fmt::Debug for CheckPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckPlan").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}
