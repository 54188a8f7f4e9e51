//! Operator commands: the same use cases that the service runs, one call each.

mod assistant;
mod broadcast;
mod contacts;
pub mod contract;
mod given;
mod group;
pub mod health;
mod input;
mod key;
pub mod manual;
pub mod master_key;
mod member;
mod migrate;
mod network;
mod progress;
mod quarantine;
mod said;
mod say;
mod settings;
mod system;
pub mod verify;
mod webhook;
mod workspace;

use adapter_postgres::Stores;
use anyhow::Context;
use domain::{ids::WorkspaceId, workspaces::ports::WorkspaceStore};

use crate::wiring::Operations;

pub use crate::unreadable::Unreadable;

pub use self::{
    assistant::run as assistant,
    broadcast::run as broadcast,
    contacts::contacts,
    group::run as group,
    input::{confirm, is_unreadable},
    key::run as key,
    member::run as member,
    migrate::migrate,
    network::{account, number, page, template},
    quarantine::run as quarantine,
    said::Said,
    say::say,
    settings::settings,
    system::{replaces, run as system},
    webhook::run as webhook,
    workspace::run as workspace,
};

/// Workspaces listed in one query.
const AT_A_TIME: u32 = 1_000;

/// Refuses an unknown workspace: an empty list would hide a mistyped id.
async fn check_known(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<()> {
    known(workspace, &operations.stores).await.map(drop)
}

/// Lists the named workspace, or else all.
///
/// # Errors
/// When the named one is unknown.
pub async fn known_workspaces(
    stores: &Stores,
    named: Option<WorkspaceId>,
) -> anyhow::Result<Vec<WorkspaceId>> {
    if let Some(workspace) = named {
        return Ok(vec![known(workspace, stores).await?]);
    }
    let mut all: Vec<WorkspaceId> = Vec::new();
    loop {
        let listed = stores.workspaces.list(all.last().copied(), AT_A_TIME).await?;
        if listed.is_empty() {
            return Ok(all);
        }
        all.extend(listed.into_iter().map(|workspace| workspace.id));
    }
}

/// Finds the workspace, or fails if no workspace has this id.
async fn known(workspace: WorkspaceId, stores: &Stores) -> anyhow::Result<WorkspaceId> {
    let found = WorkspaceStore::find(&*stores.workspaces, workspace).await?;
    found.context("there is no such workspace").map(|_| workspace)
}
