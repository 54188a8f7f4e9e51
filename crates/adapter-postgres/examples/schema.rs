//! Prints the schema that the migrations make, for `cargo xtask schema`.

use std::io::{self, Write};

#[tokio::main]
async fn main() -> io::Result<()> {
    let database = adapter_postgres::testing::TestDatabase::fresh().await;
    io::stdout().write_all(database.schema().await.as_bytes())
}
