//! What `benchhost plugin new` starts builds at once, has tests that pass, and keeps the contract.

use anyhow::{Result, ensure};
use benchhost_tests::{Project, benchhost};

fn works(language: &str, packages: [&[&str]; 2]) -> Result<()> {
    for (kind, packages) in ["target", "generator"].into_iter().zip(packages) {
        let project = Project::started(language, kind)?;
        project.test(packages)?;
        let plugin = project.build()?;
        let checked = benchhost("plugin check")?.arg(&plugin).finish()?;
        let said = &checked.outcome.stdout;
        ensure!(checked.outcome.code == Some(0), "{kind} in {language}:\n{said}{}", checked.outcome.stderr);
        ensure!(!said.contains("not-run  ") && !said.contains("warn  "), "{kind} in {language}:\n{said}");
    }
    Ok(())
}

#[test]
fn projects_in_rust_work_at_once() -> Result<()> {
    works("rust", [&[], &[]])
}

#[test]
fn projects_in_c_work_at_once() -> Result<()> {
    works("c", [&[], &[]])
}

#[test]
fn projects_in_go_work_at_once() -> Result<()> {
    works("go", [&["./influx"], &["./readings"]])
}

#[test]
fn projects_in_python_work_at_once() -> Result<()> {
    works("python", [&[], &[]])
}

#[test]
fn projects_in_javascript_work_at_once() -> Result<()> {
    works("javascript", [&[], &[]])
}
