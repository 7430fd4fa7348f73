//! Whether a plugin keeps the contract: a list of rules, and what a plugin does with a server that fails on purpose.
//!
//! [`check`] looks at the file, lets the plugin describe itself, and then uses it as a run does: a target writes to a server and counts what
//! it wrote, also on a way that fails; a generator makes the same rows again. Every rule is one [`Finding`] of the [`Report`]. What cannot be
//! tried, because there is no server or it cannot be asked, is "not run" with what to do; it is never a pass.
//!
//! Tables are made for the check under names that nobody else has, and dropped afterwards. Nothing is printed here.

mod about;
mod book;
mod component;
mod finding;
mod generator;
mod plan;
mod rules;
mod target;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use benchhost_wasm::{Host, HostOptions, LogLevel, Plugin, Role};

use book::Book;
pub use finding::{Finding, Outcome, Report};
pub use plan::CheckPlan;
pub use rules::RULES;

/// What the host says of a plugin that never drops its handles.
const LEAK: &str = "it leaks about";

/// Checks a plugin. Takes some seconds, and longer for one that hangs: each call has its limit.
///
/// It makes a runtime of its own, so it cannot be called inside of one.
#[must_use]
pub fn check(plan: &CheckPlan) -> Report {
    let mut book = Book::default();
    let leaks = Leaks::default();
    check_into(plan, &leaks, &mut book);
    book.report(&plan.plugin)
}

fn check_into(plan: &CheckPlan, leaks: &Leaks, book: &mut Book) {
    let host = match Host::new(leaks.listening(&plan.host)) {
        Ok(host) => host,
        Err(error) => {
            return book.rest(RULES, &error.to_string(), "run the check on a machine where WebAssembly can run");
        }
    };
    let loaded = host.load(&plan.plugin);
    component::check(&plan.plugin, loaded.as_ref().err(), book);
    about::check(&loaded, book);
    let plugin = match loaded {
        Ok(plugin) => plugin,
        Err(_) => {
            return book.rest(
                rules::BEHAVIOUR,
                "the plugin cannot be loaded",
                "mend what failed above, and check again",
            );
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return book.rest(rules::BEHAVIOUR, &error.to_string(), "free some memory and threads"),
    };
    let subject = Subject { plan, host: &host, plugin: &plugin, leaks };
    match plugin.role() {
        Role::Target => runtime.block_on(target::check(&subject, book)),
        Role::Generator => runtime.block_on(generator::check(&subject, book)),
    }
}

/// What is checked, and with what.
struct Subject<'a> {
    plan: &'a CheckPlan,
    host: &'a Host,
    plugin: &'a Plugin,
    leaks: &'a Leaks,
}

/// What the host said of handles that are never dropped.
#[derive(Debug, Default)]
struct Leaks {
    heard: Arc<AtomicBool>,
    first: Arc<Mutex<String>>,
}

impl Leaks {
    /// The options, with an ear at the log. Everything is passed on.
    fn listening(&self, options: &HostOptions) -> HostOptions {
        let (heard, first, sink) = (Arc::clone(&self.heard), Arc::clone(&self.first), Arc::clone(&options.log));
        HostOptions {
            log: Arc::new(move |line| {
                if line.level == LogLevel::Warn && line.text.starts_with(LEAK) && !heard.swap(true, Ordering::Relaxed) {
                    first.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&line.text);
                }
                sink(line);
            }),
            ..options.clone()
        }
    }

    /// The host's first words about it, if there were any.
    fn heard(&self) -> Option<String> {
        self.heard.load(Ordering::Relaxed).then(|| self.first.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// A file name for people.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
