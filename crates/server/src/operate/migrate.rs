//! Bringing the schema up to date.

use adapter_postgres::migrate_distributed;
use tls_trust::Trust;

use crate::cli::MigrateArgs;

/// Applies what is missing and, when asked, distributes what is not yet.
///
/// # Errors
/// In words for the operator.
pub async fn migrate(arguments: &MigrateArgs, url: &str, trust: &Trust) -> anyhow::Result<String> {
    let done = if arguments.distribute {
        migrate_distributed(url, trust, arguments.shards).await?
    } else {
        adapter_postgres::migrate(url, trust).await?
    };
    let mut said = done.applied;
    if said.is_empty() {
        said.push("the schema is up to date".to_owned());
    }
    said.extend(done.distributed.iter().map(|table| format!("{table} is distributed")));
    Ok(said.join("\n"))
}
