//! Commands that bring the schema up to date.

use adapter_postgres::{MigrationBegun, MigrationNews};
use tls_trust::Trust;

use crate::{cli::MigrateArgs, print::tell};

/// Applies missing migrations and, if asked, distributes tables that are not yet. Reports each migration as
/// it begins: one of a large database takes long.
pub async fn migrate(arguments: &MigrateArgs, url: &str, trust: &Trust) -> anyhow::Result<String> {
    let done = if arguments.distribute {
        adapter_postgres::migrate_distributed(url, trust, arguments.shards, told).await?
    } else {
        adapter_postgres::migrate(url, trust, told).await?
    };
    let mut said = done.applied;
    if said.is_empty() {
        said.push("the schema is up to date".to_owned());
    }
    if let Some(last) = done.newer.iter().max() {
        said.push(format!(
            "migrations of a later version are applied, up to {last}; the release right before that one runs on them, too"
        ));
    }
    said.extend(done.distributed.iter().map(|table| format!("{table} is distributed")));
    Ok(said.join("\n"))
}

fn told(news: MigrationNews) {
    match news {
        MigrationNews::Waiting => {
            tell("somebody else migrates this database, or has just been killed at it: waiting for its end");
        }
        MigrationNews::Begun(MigrationBegun { version, nth, of }) => {
            tell(&format!("migration {version}, {nth} of {of}"));
        }
        MigrationNews::Held(version) => tell(&format!(
            "migration {version} waits for a table that a long transaction uses, such as a backup: trying again until it is free"
        )),
    }
}
