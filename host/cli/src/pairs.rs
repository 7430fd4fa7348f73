//! `name=value`, as `-P` and `--tag` take it, and how several places that give such pairs are laid over each other.

use std::str::FromStr;

/// One `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Never empty.
    pub name: String,
    /// May be empty.
    pub value: String,
}

impl Pair {
    /// A pair made of its parts.
    pub(crate) fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// Why pairs cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PairError {
    /// No `=`, or nothing before it.
    #[error("`{0}` is not name=value")]
    Form(String),
    /// The same name twice where only one can count.
    #[error("`{name}` is given twice in {place}: `{first}` and `{second}`; keep one")]
    Twice {
        /// The name.
        name: String,
        /// Where.
        place: &'static str,
        /// Its first value.
        first: String,
        /// Its second value.
        second: String,
    },
}

impl FromStr for Pair {
    type Err = PairError;

    fn from_str(text: &str) -> Result<Self, PairError> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self::new(name.trim(), value)),
            _ => Err(PairError::Form(text.into())),
        }
    }
}

/// Pairs from a variable: separated by `;`, since values may well hold commas.
pub(crate) fn from_variable(text: &str) -> Result<Vec<Pair>, PairError> {
    text.split(';').filter(|part| !part.trim().is_empty()).map(str::parse).collect()
}

/// Lays layers over each other, the weakest first: the strongest value of each name remains, at the place of its first mention.
///
/// # Errors
///
/// A name that one layer gives twice: neither value can be meant more than the other.
pub(crate) fn layered<const N: usize>(layers: [(&'static str, Vec<Pair>); N]) -> Result<Vec<Pair>, PairError> {
    let mut merged: Vec<Pair> = Vec::new();
    for (place, layer) in layers {
        let mut names: Vec<&Pair> = Vec::new();
        for pair in &layer {
            if let Some(first) = names.iter().find(|seen| seen.name == pair.name) {
                return Err(PairError::Twice {
                    name: pair.name.clone(),
                    place,
                    first: first.value.clone(),
                    second: pair.value.clone(),
                });
            }
            names.push(pair);
        }
        for pair in layer {
            match merged.iter_mut().find(|known| known.name == pair.name) {
                Some(known) => known.value = pair.value,
                None => merged.push(pair),
            }
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn only_the_first_equals_sign_separates() {
        assert_eq!("query=a=b".parse::<Pair>().unwrap(), Pair::new("query", "a=b"));
        assert_eq!("empty=".parse::<Pair>().unwrap(), Pair::new("empty", ""));
        assert!("=x".parse::<Pair>().is_err());
        assert_eq!("hosts".parse::<Pair>().unwrap_err().to_string(), "`hosts` is not name=value");
    }

    #[test]
    fn a_stronger_layer_replaces_single_names_and_keeps_the_rest() {
        let file = vec![Pair::new("hosts", "10"), Pair::new("gzip", "true")];
        let variable = from_variable("hosts=20;interval=10s").unwrap();
        let flags = vec![Pair::new("hosts", "30")];
        let merged = layered([("the file", file), ("BENCHHOST_PARAM", variable), ("-P", flags)]).unwrap();
        assert_eq!(merged, [Pair::new("hosts", "30"), Pair::new("gzip", "true"), Pair::new("interval", "10s")]);
    }

    #[test]
    fn a_name_that_is_given_twice_in_one_place_is_refused() {
        let error = layered([("-P", vec![Pair::new("hosts", "1"), Pair::new("hosts", "2")])]).unwrap_err();
        assert_eq!(error.to_string(), "`hosts` is given twice in -P: `1` and `2`; keep one");
    }
}
