//! Compiled plugins are kept, but only where nobody else can put one.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::component::Component;
use benchhost_wasm::{Host, HostOptions};
use tempfile::TempDir;

/// A host with this cache directory, and what it said.
fn host(dir: &Path) -> (Host, Arc<Mutex<Vec<String>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&said);
    let options = HostOptions {
        cache_dir: Some(dir.to_owned()),
        instances: 1,
        log: Arc::new(move |line| sink.lock().unwrap().push(line.text)),
        ..HostOptions::default()
    };
    (Host::new(options).unwrap(), said)
}

/// A small plugin of this name.
fn plugin(name: &str) -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("p.wasm");
    fs::write(&path, Component { name, ..Component::default() }.build()).unwrap();
    (temp, path)
}

fn loads_from_cache(host: &Host, name: &str) -> bool {
    let (_temp, path) = plugin(name);
    host.load(&path).unwrap().cached()
}

/// Whether a new host with this cache directory finds a compiled plugin in it.
fn cached(dir: &Path) -> bool {
    loads_from_cache(&host(dir).0, "null")
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

#[test]
fn the_second_start_finds_what_the_first_one_compiled() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("a/b");
    assert!(!cached(&dir));
    assert!(cached(&dir));
    assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
    assert_eq!((files(&dir, "cwasm").len(), files(&dir, "sha256").len()), (1, 1));
}

#[test]
fn a_plugin_of_other_bytes_is_another_entry() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("aot");
    let (host, _) = host(&dir);
    assert!(!loads_from_cache(&host, "one"));
    assert!(!loads_from_cache(&host, "two"));
    assert!(loads_from_cache(&host, "one"));
    assert_eq!(files(&dir, "cwasm").len(), 2);
}

#[test]
fn a_damaged_entry_is_compiled_again_wherever_the_damage_is() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("aot");
    cached(&dir);
    let code = files(&dir, "cwasm").remove(0);
    let good = fs::read(&code).unwrap();
    for place in [0, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        fs::write(&code, &bad).unwrap();
        assert!(!cached(&dir), "byte {place}");
        assert!(cached(&dir), "byte {place}");
    }
    fs::write(&code, &good[..good.len() / 2]).unwrap();
    assert!(!cached(&dir));
    fs::remove_file(files(&dir, "sha256").remove(0)).unwrap();
    assert!(!cached(&dir));
}

#[test]
fn a_directory_that_others_may_enter_is_not_used_and_the_way_out_is_named() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("aot");
    cached(&dir);
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    let (host, said) = host(&dir);
    assert!(!loads_from_cache(&host, "null"));
    let said = said.lock().unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("others may enter it (mode 755): run `chmod 700 "), "{said:?}");
}

#[test]
fn a_directory_that_others_could_replace_is_not_used() {
    let temp = tempfile::tempdir().unwrap();
    let open = temp.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let (host, said) = host(&open.join("aot"));
    assert!(!loads_from_cache(&host, "null"));
    assert!(said.lock().unwrap()[0].contains("others may replace it"));
    assert_eq!(files(&open.join("aot"), "cwasm").len(), 0);
}

#[test]
fn a_file_in_the_place_of_the_directory_is_said_and_survived() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("aot");
    fs::write(&file, "mine").unwrap();
    let (host, said) = host(&file);
    assert!(!loads_from_cache(&host, "null"));
    assert!(said.lock().unwrap()[0].contains("every start compiles them again"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
