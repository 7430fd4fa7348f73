//! Where things are kept between runs.

use std::env;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// The user's cache folder for this project: `$XDG_CACHE_HOME/benchhost`, or `~/.cache/benchhost`.
///
/// # Errors
/// Neither `XDG_CACHE_HOME` nor `HOME` is set.
pub fn cache_folder() -> Result<PathBuf> {
    cache_from(env::var_os("XDG_CACHE_HOME").map(PathBuf::from), env::var_os("HOME").map(PathBuf::from))
}

fn cache_from(cache: Option<PathBuf>, home: Option<PathBuf>) -> Result<PathBuf> {
    // The XDG rules say that a relative path is to be ignored.
    let cache = cache.filter(|path| path.is_absolute()).or_else(|| home.map(|home| home.join(".cache")));
    Ok(cache.context("there is no folder to keep servers and tools in: set HOME or XDG_CACHE_HOME")?.join("benchhost"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::*;

    #[test]
    fn the_cache_folder_follows_xdg_then_home_and_needs_one_of_them() {
        let home = || Some(PathBuf::from("/home/u"));
        assert_eq!(cache_from(Some("/x".into()), home()).unwrap(), Path::new("/x/benchhost"));
        assert_eq!(cache_from(None, home()).unwrap(), Path::new("/home/u/.cache/benchhost"));
        assert_eq!(cache_from(Some("relative".into()), home()).unwrap(), Path::new("/home/u/.cache/benchhost"));
        assert!(cache_from(None, None).is_err());
    }
}
