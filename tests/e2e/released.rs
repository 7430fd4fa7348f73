//! Plugins that were built against a released contract: every later host runs them as they are. How they were made is in
//! `tests/fixtures/README.md`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use benchhost_tests::{Finished, benchhost};

/// One of each language; the generator is C.
const TARGETS: [&str; 5] = ["rust", "c", "go", "python", "javascript"];
const GENERATOR: &str = "generator";

const ROWS: u64 = 2_000;

/// The fixture's component, unpacked into `folder`.
fn unpacked(name: &str, folder: &Path) -> Result<PathBuf> {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/0.1.0/{name}.wasm.zst"));
    let file = fs::File::open(&packed).with_context(|| packed.display().to_string())?;
    let path = folder.join(format!("{name}.wasm"));
    let mut packed_bytes = zstd::Decoder::new(file)?;
    // They were packed with a window as large as themselves.
    packed_bytes.window_log_max(27)?;
    std::io::copy(&mut packed_bytes, &mut fs::File::create(&path)?).with_context(|| packed.display().to_string())?;
    Ok(path)
}

fn stored(ran: &Finished) -> Result<()> {
    ensure!(ran.outcome.code == Some(0), "{}{}", ran.outcome.stdout, ran.outcome.stderr);
    let sheet: serde_json::Value = serde_json::from_str(&ran.outcome.stdout)?;
    let rows = &sheet["counts"]["rows"];
    ensure!(rows["stored"] == ROWS && rows["acknowledged"] == ROWS, "{rows}");
    Ok(())
}

#[test]
fn targets_of_the_released_contract_write_and_count() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for language in TARGETS {
        let plugin = unpacked(language, folder.path())?;
        let run = format!(
            "run --plugin {} --dataset cpu --rows {ROWS} --batch-rows 500 -c 2 --format json",
            plugin.display()
        );
        stored(&benchhost(&run)?.finish()?).context(language)?;
    }
    Ok(())
}

#[test]
fn a_generator_of_the_released_contract_makes_rows() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let dataset = unpacked(GENERATOR, folder.path())?;
    let run =
        format!("run --plugin influx --dataset {} --rows {ROWS} --batch-rows 500 --format json", dataset.display());
    stored(&benchhost(&run)?.finish()?)
}
