//! Prints the contract's document, for `cargo xtask openapi`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(contract_check::openapi().as_bytes())
}
