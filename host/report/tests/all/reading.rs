//! Folders that are no bundles, or not whole ones, are told apart.

use std::fs;
use std::path::Path;

use benchhost_report::{Bundle, LOG_FILE, RUN_FILE, histograms, show};

fn refused(folder: &Path) -> String {
    show(folder).unwrap_err().to_string()
}

/// A bundle with a document, changed as text.
fn changed(folder: &Path, change: impl FnOnce(String) -> String) {
    let json = crate::common::document(&crate::common::complete()).to_json();
    fs::write(folder.join(RUN_FILE), change(json)).unwrap();
}

#[test]
fn every_kind_of_document_is_read_as_it_was_written() {
    for (name, result) in crate::common::all() {
        let top = tempfile::tempdir().unwrap();
        let document = crate::common::document(&result);
        Bundle::create(top.path()).unwrap().write(&document).unwrap();
        assert_eq!(show(top.path()).unwrap(), document, "{name}");
    }
}

#[test]
fn a_folder_without_a_document_is_no_bundle() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("file"), "").unwrap();
    for folder in [top.path().into(), top.path().join("nowhere"), top.path().join("file")] {
        let error = refused(&folder);
        assert!(error.starts_with(&format!("`{}` is no result of a run", folder.display())), "{error}");
        assert!(error.contains("-o"), "{error}");
    }
}

#[test]
fn a_broken_document_is_named_with_the_place() {
    let top = tempfile::tempdir().unwrap();
    for (change, word) in [
        (Box::new(|json: String| json[..json.len() / 2].to_owned()) as Box<dyn FnOnce(String) -> String>, "line"),
        (Box::new(|_| "[]".to_owned()), "line 1"),
        (Box::new(|_| String::new()), "line 1"),
        (Box::new(|json| json.replace("\"counts\"", "\"count\"")), "missing field `counts`"),
    ] {
        changed(top.path(), change);
        let error = refused(top.path());
        assert!(error.contains(RUN_FILE) && error.contains("is broken") && error.contains(word), "{error}");
    }
}

#[test]
fn a_document_of_another_schema_is_told_from_a_broken_one() {
    let top = tempfile::tempdir().unwrap();
    changed(top.path(), |_| r#"{"schema_version": "2", "results": []}"#.to_owned());
    let error = refused(top.path());
    assert!(error.contains("has schema version 2") && error.contains("reads version 1"), "{error}");
}

#[test]
fn a_log_that_is_missing_or_broken_is_named() {
    let top = tempfile::tempdir().unwrap();
    let document = crate::common::document(&crate::common::complete());
    let error = || histograms(top.path(), &document).unwrap_err().to_string();
    assert!(error().starts_with("cannot read") && error().contains(LOG_FILE), "{}", error());
    fs::write(top.path().join(LOG_FILE), "#[a comment]\nno histogram\n").unwrap();
    assert!(error().contains("line 2 is no line of a histogram log"), "{}", error());
}
