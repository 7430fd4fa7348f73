//! The contract, compiled in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// One file of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WitFile {
    /// Its name, such as `types.wit`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! contract {
    ($($name:literal),*) => { [$(WitFile { name: concat!($name, ".wit"), text: include_str!(concat!("../../../wit/", $name, ".wit")) }),*] };
}

/// All files of the package `benchhost:plugin` that this host speaks, by name.
pub const CONTRACT: [WitFile; 14] = contract!(
    "about",
    "data",
    "dataset",
    "encode",
    "flight",
    "grpc",
    "http",
    "ingest",
    "log",
    "session",
    "streaming",
    "tcp",
    "types",
    "world"
);

/// Writes them into `folder`, which is made when it is not there; files of these names are replaced.
///
/// # Errors
///
/// The folder or file that cannot be written, with the operating system's reason.
pub fn write_wit(folder: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    CONTRACT
        .iter()
        .map(|file| {
            let path = folder.join(file.name);
            match fs::write(&path, file.text) {
                Ok(()) => Ok(path),
                Err(error) => Err((path, error)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn no_file_of_the_contract_is_left_out() {
        let mut there: Vec<String> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".wit"))
            .collect();
        there.sort();
        assert_eq!(there, CONTRACT.map(|file| file.name.to_owned()));
    }

    #[test]
    fn it_is_written_whole_also_over_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a/wit");
        for _ in 0..2 {
            let written = write_wit(&place).unwrap();
            assert_eq!(written.len(), CONTRACT.len());
            assert_eq!(fs::read_to_string(place.join("log.wit")).unwrap(), include_str!("../../../wit/log.wit"));
            fs::write(place.join("log.wit"), "older").unwrap();
        }
        let (path, _) = write_wit(&place.join("log.wit")).unwrap_err();
        assert_eq!(path, place.join("log.wit"));
    }
}
