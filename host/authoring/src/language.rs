//! The languages that a project can be in.

use std::fmt;
use std::str::FromStr;

/// A language that `new` has templates for and `build` knows the tools of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Rust, by cargo.
    Rust,
    /// Python, by componentize-py.
    Python,
    /// JavaScript, by the project's own build script.
    JavaScript,
    /// Go, by the standard compiler.
    Go,
    /// C, by zig's compiler.
    C,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Rust, Self::Python, Self::JavaScript, Self::Go, Self::C];

    /// The word for it in commands and in `plugin.toml`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Go => "go",
            Self::C => "c",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Language {
    type Err = String;

    /// Reads `word`; the error names all of them.
    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|language| language.word() == word).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|language| language.word()).collect();
            format!("`{word}` is no language that is known here: choose one of {}", words.join(", "))
        })
    }
}
