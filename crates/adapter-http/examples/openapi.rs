//! Prints the API's document, for `cargo xtask openapi`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(adapter_http::openapi().as_bytes())
}
