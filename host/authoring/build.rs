//! Lists the files below `templates/`, so that a new template is a folder of files and no line of code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What building a template in its place leaves behind.
const LEFTOVERS: [&str; 6] = ["target", "gen", ".venv", "node_modules", "__pycache__", "wit"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=templates");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("templates");
    let mut files = Vec::new();
    for language in folders(&root)? {
        for kind in folders(&language)? {
            walk(&kind, &mut files)?;
        }
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let inside = file.strip_prefix(&root).map_err(io::Error::other)?;
        let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        let [language, kind, path @ ..] = parts.as_slice() else { continue };
        let path = path.join("/");
        writeln!(
            list,
            "TemplateFile {{ language: {language:?}, kind: {kind:?}, path: {path:?}, text: include_str!({file:?}) }},"
        )
        .map_err(io::Error::other)?;
    }
    list.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("templates.rs"), list)
}

fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    Ok(entries.into_iter().filter(|path| path.is_dir()).collect())
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !LEFTOVERS.contains(&name) {
                walk(&path, files)?;
            }
        } else if !name.ends_with(".wasm") {
            files.push(path);
        }
    }
    Ok(())
}
