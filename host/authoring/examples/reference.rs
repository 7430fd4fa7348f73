//! Prints the reference page of the contract: `docs/contract.md` is its output.

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let page = benchhost_authoring::reference().map_err(io::Error::other)?;
    io::stdout().write_all(page.as_bytes())
}
