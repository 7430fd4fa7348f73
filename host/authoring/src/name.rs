//! What a plugin may be called.

use thiserror::Error;

/// The longest name, in characters.
const LONGEST: usize = 40;

/// A name that a plugin cannot have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{name}` cannot be a plugin's name: {reason}; names are like `my-database`: lower case letters, digits and single hyphens, 40 at most"
)]
pub struct NameError {
    /// The name.
    pub name: String,
    /// The rule that it breaks.
    pub reason: &'static str,
}

/// Checks the name of a plugin, which becomes that of a package and of a file in five languages.
pub(crate) fn check(name: &str) -> Result<(), NameError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST {
        "it is too long"
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        "it does not start with a lower case letter"
    } else if name.contains(|c: char| !matches!(c, 'a'..='z' | '0'..='9' | '-')) {
        "it has a character that is none of these"
    } else if name.ends_with('-') || name.contains("--") {
        "a hyphen must be between two others"
    } else {
        return Ok(());
    };
    Err(NameError { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn names_are_what_every_language_can_take() {
        for good in ["a", "redis-c", "x9", &"a".repeat(40)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in
            ["", "9a", "-a", "A", "aB", "a_b", "a.b", "../a", "a/b", "ä", "a-", "a--b", "a b", "a\n", &"a".repeat(41)]
        {
            let error = check(bad).unwrap_err();
            assert_eq!(error.name, bad);
        }
    }
}
