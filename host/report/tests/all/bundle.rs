//! The folder of a result: found unusable before the run, written whole, never overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use benchhost_report::{Bundle, BundleError, Document, RUN_FILE};

fn refused(folder: &Path) -> String {
    Bundle::create(folder).unwrap_err().to_string()
}

fn names_in(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect()
}

#[test]
fn a_result_is_written_into_a_new_folder_with_those_above_it() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("results/today/first");
    let bundle = Bundle::create(&folder).unwrap();
    assert!(names_in(&folder).is_empty(), "the probe is left behind");

    let document = crate::common::document(&crate::common::complete());
    let file = bundle.write(&document).unwrap();
    assert_eq!(file, folder.join(RUN_FILE));
    assert_eq!(names_in(&folder), [PathBuf::from(RUN_FILE)]);
    let read: Document = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(read, document);
}

#[test]
fn a_folder_that_holds_other_files_may_be_used() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("notes.txt"), "mine").unwrap();
    Bundle::create(top.path()).unwrap().write(&crate::common::document(&crate::common::complete())).unwrap();
    assert_eq!(fs::read_to_string(top.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_result_is_never_overwritten_and_a_free_folder_is_proposed() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("run");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(top.path().join("run-2")).unwrap();
    fs::write(folder.join(RUN_FILE), "of yesterday").unwrap();

    let error = refused(&folder.join(""));
    assert!(error.contains("already holds the result of a run"), "{error}");
    assert!(error.ends_with(&format!("-o {}", top.path().join("run-3").display())), "{error}");
    assert_eq!(fs::read_to_string(folder.join(RUN_FILE)).unwrap(), "of yesterday");
}

#[test]
fn a_result_that_appeared_during_the_run_is_not_overwritten_either() {
    let top = tempfile::tempdir().unwrap();
    let bundle = Bundle::create(top.path()).unwrap();
    fs::write(top.path().join(RUN_FILE), "of another").unwrap();
    let error = bundle.write(&crate::common::document(&crate::common::complete())).unwrap_err();
    assert!(matches!(error, BundleError::Taken { .. }), "{error}");
    assert_eq!(fs::read_to_string(top.path().join(RUN_FILE)).unwrap(), "of another");
    assert_eq!(names_in(top.path()).len(), 1, "the temporary file is left behind");
}

#[test]
fn a_file_in_the_way_is_named() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("report.txt");
    fs::write(&file, "").unwrap();
    for folder in [file.clone(), file.join("below/it")] {
        let error = refused(&folder);
        assert!(error.starts_with(&format!("`{}` is not a folder", file.display())), "{error}");
        assert!(error.contains("-o"), "{error}");
    }
}

// Permission bits do not stop the superuser, who runs many a test; the kernel's own file systems stop everyone.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_found_before_the_run() {
    let error = refused(Path::new("/proc/self"));
    assert!(error.starts_with("cannot write into the folder `/proc/self`: "), "{error}");
    assert!(error.ends_with("give another folder with -o"), "{error}");
    let error = refused(Path::new("/proc/self/results"));
    assert!(error.starts_with("cannot make the folder `/proc/self/results`: "), "{error}");
    assert!(error.ends_with("give a folder with -o that you may make"), "{error}");
}

#[test]
fn a_folder_that_went_away_during_the_run_is_named() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("run");
    let bundle = Bundle::create(&folder).unwrap();
    fs::remove_dir(&folder).unwrap();
    let error = bundle.write(&crate::common::document(&crate::common::complete())).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot write the result to `{}`", folder.join(RUN_FILE).display())), "{error}");
}
