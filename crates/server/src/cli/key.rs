//! Commands about API keys.

use clap::Subcommand;
use domain::{
    access::Scope,
    ids::{ApiKeyId, WorkspaceId},
};

use super::id::id;

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; prints it, once.
    Create {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// What the key is for.
        #[arg(long)]
        label: String,
        /// What it opens: contacts:read, contacts:write, conversations:read, messages:send. Can be given
        /// again.
        #[arg(long = "scope", required = true)]
        scopes: Vec<Scope>,
    },
    /// Revoke a key, at once.
    Revoke {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The key's id.
        #[arg(value_parser = id::<ApiKeyId>)]
        key: ApiKeyId,
    },
    /// List the keys, revoked ones as well, the newest first. What opens is never shown again.
    List {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Show one of them.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The key's id.
        #[arg(value_parser = id::<ApiKeyId>)]
        key: ApiKeyId,
    },
}
