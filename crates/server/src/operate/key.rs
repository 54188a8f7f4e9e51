//! Commands about API keys.

use anyhow::{Context, bail};
use domain::{
    access::{ListedKey, Scope, ports::KeyStore},
    audit::Acting,
    clock::rfc3339_ms,
    ids::WorkspaceId,
};
use serde_json::{Value, json};

use super::{
    check_known,
    said::{Listing, Said},
};
use crate::{cli::KeyCommand, wiring::Operations};

const KEYS: &[&str] = &["id", "label", "scopes", "lastUsedAt", "revokedAt", "createdAt", "creator"];
const NOT_THERE: &str = "the workspace has no such key";

pub async fn run(command: KeyCommand, operations: &Operations) -> anyhow::Result<Said> {
    match command {
        KeyCommand::Create { workspace, label, scopes } => {
            let issued = operations.issue_key.run(Acting::operator(workspace), &label, scopes).await?;
            let (id, key) = (issued.id, issued.secret.reveal());
            let json = json!({ "id": id, "key": key });
            Ok(Said::new(format!("key {id}\n{key}\nIt is not shown again."), &json))
        }
        KeyCommand::Revoke { workspace, key } => {
            if !operations.revoke_key.run(Acting::operator(workspace), key).await? {
                bail!(NOT_THERE);
            }
            Ok("revoked".into())
        }
        KeyCommand::List { workspace } => Ok(listing(workspace, operations).await?.all()),
        KeyCommand::Show { workspace, key } => {
            let listing = listing(workspace, operations).await?;
            listing.one(&["id"], &key.to_string()).context(NOT_THERE)
        }
    }
}

async fn listing(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Listing> {
    check_known(workspace, operations).await?;
    let keys = KeyStore::list(&*operations.stores.access, workspace).await?;
    Ok(Listing::new(KEYS, 5, keys.iter().map(row).collect()))
}

fn row(key: &ListedKey) -> Vec<Value> {
    let ListedKey { id, creator, label, scopes, created_at, revoked_at, last_used_at } = key;
    let scopes: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    vec![
        json!(id),
        json!(label),
        json!(scopes),
        json!(last_used_at.map(rfc3339_ms)),
        json!(revoked_at.map(rfc3339_ms)),
        json!(rfc3339_ms(*created_at)),
        json!(creator),
    ]
}
