//! Commands about groups of members.

use anyhow::Context;
use domain::{
    access::members::{Member, ports::MemberStore},
    clock::rfc3339_ms,
    groups::{TeamGroup, ports::GroupStore},
    ids::WorkspaceId,
};
use serde_json::{Value, json};

use super::{
    check_known,
    said::{Listing, Said},
};
use crate::{cli::GroupCommand, wiring::Operations};

const KEYS: &[&str] = &["id", "name", "members", "memberIds", "createdAt"];

pub async fn run(command: GroupCommand, operations: &Operations) -> anyhow::Result<Said> {
    match command {
        GroupCommand::List { workspace } => Ok(listing(workspace, operations).await?.all()),
        GroupCommand::Show { workspace, group } => {
            let listing = listing(workspace, operations).await?;
            listing.one(&["id", "name"], &group).context("the workspace has no such group")
        }
    }
}

async fn listing(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Listing> {
    check_known(workspace, operations).await?;
    let team = operations.stores.access.team(workspace).await?;
    let groups = operations.stores.groups.list(workspace).await?;
    Ok(Listing::new(KEYS, 3, groups.iter().map(|group| row(group, &team)).collect()))
}

fn row(group: &TeamGroup, team: &[Member]) -> Vec<Value> {
    let TeamGroup { id, name, members, created_at } = group;
    let inside = team.iter().filter(|member| members.contains(&member.id));
    vec![
        json!(id),
        json!(name),
        json!(inside.map(|member| member.email.to_string()).collect::<Vec<_>>()),
        json!(members),
        json!(rfc3339_ms(*created_at)),
    ]
}
