//! Which plugin gets which setting: flags that every target knows by the same name, and `-P name=value`, which goes to whichever plugin has
//! a setting of that name. Values are not looked at here: the plugin's own schema judges them.

use crate::failure::Failure;
use crate::nearest::nearest;
use crate::pairs::Pair;

/// Settings of a target that have a flag of their own, and the flag.
pub(crate) const FLAGS: [(&str, &str); 5] = [
    ("endpoint", "--endpoint"),
    ("database", "--database"),
    ("user", "--user"),
    ("password", "--password-file"),
    ("token", "--token-file"),
];

/// The flag that feeds a target's setting; none when only `-P` does.
pub(crate) fn flag(setting: &str) -> Option<&'static str> {
    FLAGS.iter().find(|(name, _)| *name == setting).map(|(_, flag)| *flag)
}

/// What a plugin is for in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The database.
    Target,
    /// The rows.
    Dataset,
}

impl Part {
    /// The word in messages, and before the dot in `-P target.name=value`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Dataset => "dataset",
        }
    }
}

/// A plugin and the names of its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepts {
    /// What it is for.
    pub part: Part,
    /// Its name.
    pub plugin: String,
    /// Its settings.
    pub names: Vec<String>,
}

impl Accepts {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn shown(&self) -> String {
        format!("{} (the {})", self.plugin, self.part.as_str())
    }
}

/// Why a setting finds no plugin.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RouteError {
    /// No plugin has it.
    #[error("unknown setting `{name}`: {asked} of that name")]
    Unknown {
        /// The name.
        name: String,
        /// Who was asked.
        asked: String,
    },
    /// Both have it.
    #[error("setting `{name}` is ambiguous: {first} and {second} both have it")]
    Ambiguous {
        /// The name.
        name: String,
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// A flag that the target has no use for.
    #[error("{flag} does not apply: {plugin} has no setting `{name}`")]
    FlagRefused {
        /// The flag.
        flag: &'static str,
        /// The target.
        plugin: String,
        /// The setting.
        name: &'static str,
    },
    /// The same setting by two ways.
    #[error("setting `{name}` is given twice: by {first} and by {second}; keep one")]
    Twice {
        /// The setting.
        name: String,
        /// The one way.
        first: String,
        /// The other.
        second: String,
    },
}

/// A setting on its way to a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Routed {
    part: Part,
    name: String,
    value: String,
    way: String,
}

/// The settings of each plugin, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Router {
    plugins: Vec<Accepts>,
    routed: Vec<Routed>,
}

impl Router {
    /// A router between these plugins, at most one of each part.
    pub(crate) fn new(plugins: Vec<Accepts>) -> Self {
        Self { plugins, routed: Vec::new() }
    }

    /// Gives the target a value that a flag carries.
    pub(crate) fn flag(&mut self, name: &'static str, value: &str) -> Result<(), Failure> {
        let way = flag(name).unwrap_or(name);
        let Some(target) = self.plugins.iter().find(|plugin| plugin.part == Part::Target) else {
            return Ok(());
        };
        if !target.has(name) {
            let refused = RouteError::FlagRefused { flag: way, plugin: target.shown(), name };
            return Err(Failure::usage(refused).with_hint(inspect(&target.plugin)));
        }
        self.add(Routed { part: Part::Target, name: name.into(), value: value.into(), way: way.into() })
    }

    /// Whether the target has a setting of that name.
    pub(crate) fn target_has(&self, name: &str) -> bool {
        self.plugins.iter().any(|plugin| plugin.part == Part::Target && plugin.has(name))
    }

    /// Gives a `-P name=value` to the plugin that has it.
    pub(crate) fn param(&mut self, pair: &Pair) -> Result<(), Failure> {
        let (part, name) = self.addressee(&pair.name)?;
        self.add(Routed { part, name, value: pair.value.clone(), way: format!("-P {}=…", pair.name) })
    }

    /// What a plugin was given.
    pub(crate) fn settings(&self, part: Part) -> Vec<(String, String)> {
        let own = self.routed.iter().filter(|routed| routed.part == part);
        own.map(|routed| (routed.name.clone(), routed.value.clone())).collect()
    }

    /// The value that a plugin was given for one setting.
    pub(crate) fn value(&self, part: Part, name: &str) -> Option<&str> {
        self.routed.iter().find(|routed| routed.part == part && routed.name == name).map(|routed| routed.value.as_str())
    }

    fn add(&mut self, routed: Routed) -> Result<(), Failure> {
        let same = |known: &&Routed| known.part == routed.part && known.name == routed.name;
        if let Some(known) = self.routed.iter().find(same) {
            return Err(Failure::usage(RouteError::Twice {
                name: routed.name,
                first: known.way.clone(),
                second: routed.way,
            }));
        }
        self.routed.push(routed);
        Ok(())
    }

    fn addressee(&self, given: &str) -> Result<(Part, String), Failure> {
        for plugin in &self.plugins {
            if let Some(name) = given.strip_prefix(plugin.part.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                if plugin.has(name) {
                    return Ok((plugin.part, name.into()));
                }
                return Err(unknown(name, std::slice::from_ref(plugin)));
            }
        }
        let having: Vec<&Accepts> = self.plugins.iter().filter(|plugin| plugin.has(given)).collect();
        match having.as_slice() {
            [one] => Ok((one.part, given.into())),
            [] => Err(unknown(given, &self.plugins)),
            [first, second, ..] => {
                let error = RouteError::Ambiguous { name: given.into(), first: first.shown(), second: second.shown() };
                let (one, other) = (first.part.as_str(), second.part.as_str());
                Err(Failure::usage(error).with_hint(format!("write -P {one}.{given}=… or -P {other}.{given}=…")))
            }
        }
    }
}

fn unknown(name: &str, plugins: &[Accepts]) -> Failure {
    let asked = match plugins {
        [first, second] => format!("neither {} nor {} has one", first.shown(), second.shown()),
        [one] => format!("{} has none", one.shown()),
        _ => "there is no plugin to take it".into(),
    };
    let error = RouteError::Unknown { name: name.into(), asked };
    let near = nearest(name, plugins.iter().flat_map(|plugin| plugin.names.iter().map(String::as_str)));
    let owner = near.and_then(|near| plugins.iter().find(|plugin| plugin.has(near)));
    let commands = match plugins {
        [one] => inspect(&one.plugin),
        _ => "`benchhost plugin inspect NAME` lists the settings of a plugin".into(),
    };
    let hint = match (near, owner) {
        (Some(near), Some(owner)) => format!("did you mean `{near}` of {}? {commands}", owner.plugin),
        _ => commands,
    };
    Failure::usage(error).with_hint(hint)
}

/// How to see what a plugin takes.
fn inspect(plugin: &str) -> String {
    format!("`benchhost plugin inspect {plugin}` lists its settings")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn router() -> Router {
        let accepts = |part, plugin: &str, names: &[&str]| Accepts {
            part,
            plugin: plugin.into(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        Router::new(vec![
            accepts(Part::Target, "influx", &["endpoint", "database", "precision", "gzip"]),
            accepts(Part::Dataset, "cpu", &["hosts", "interval", "precision"]),
        ])
    }

    fn message(outcome: Result<(), Failure>) -> String {
        let failure = outcome.unwrap_err();
        format!("{} | {}", failure.chain().join(": "), failure.hint().unwrap_or_default())
    }

    #[test]
    fn a_setting_goes_to_the_plugin_that_has_it() {
        let mut router = router();
        router.param(&Pair::new("hosts", "100")).unwrap();
        router.param(&Pair::new("gzip", "true")).unwrap();
        router.param(&Pair::new("dataset.precision", "s")).unwrap();
        router.param(&Pair::new("target.precision", "ns")).unwrap();
        router.flag("endpoint", "http://a").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(router.settings(Part::Dataset), [pair("hosts", "100"), pair("precision", "s")]);
        assert_eq!(
            router.settings(Part::Target),
            [pair("gzip", "true"), pair("precision", "ns"), pair("endpoint", "http://a")]
        );
        assert_eq!(router.value(Part::Target, "endpoint"), Some("http://a"));
    }

    #[test]
    fn a_setting_of_both_asks_for_the_part() {
        assert_eq!(
            message(router().param(&Pair::new("precision", "s"))),
            "setting `precision` is ambiguous: influx (the target) and cpu (the dataset) both have it | write -P \
             target.precision=… or -P dataset.precision=…"
        );
    }

    #[test]
    fn an_unknown_setting_names_the_nearest_and_its_owner() {
        assert_eq!(
            message(router().param(&Pair::new("host", "1"))),
            "unknown setting `host`: neither influx (the target) nor cpu (the dataset) has one of that name | did you mean `hosts` \
             of cpu? `benchhost plugin inspect NAME` lists the settings of a plugin"
        );
        assert!(
            message(router().param(&Pair::new("target.hosts", "1")))
                .starts_with("unknown setting `hosts`: influx (the target) has none of")
        );
    }

    #[test]
    fn a_flag_that_the_target_cannot_use_is_refused_by_name() {
        assert!(
            message(router().flag("token", "secret"))
                .starts_with("--token-file does not apply: influx (the target) has no setting `token`")
        );
    }

    #[test]
    fn a_flag_and_a_param_for_the_same_setting_contradict_each_other() {
        let mut router = router();
        router.flag("database", "a").unwrap();
        assert!(
            message(router.param(&Pair::new("database", "b")))
                .starts_with("setting `database` is given twice: by --database and by -P database=…; keep one")
        );
    }
}
