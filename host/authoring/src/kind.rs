//! What a plugin is for.

use std::fmt;
use std::str::FromStr;

/// What a plugin is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It writes to a database.
    Target,
    /// It makes rows.
    Generator,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Target, Self::Generator];

    /// The word for it, which is also the name of its world in the contract.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Generator => "generator",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Kind {
    type Err = String;

    /// Reads `word`; the error names all of them.
    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|kind| kind.word()).collect();
            format!("`{word}` is no kind of plugin: choose one of {}", words.join(", "))
        })
    }
}
