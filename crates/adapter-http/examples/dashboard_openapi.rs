//! Prints the document of the dashboard's API, for `cargo xtask openapi`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(adapter_http::dashboard_openapi().as_bytes())
}
