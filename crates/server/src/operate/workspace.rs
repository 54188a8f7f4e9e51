//! Commands about workspaces and plans.

use anyhow::Context;
use domain::{
    audit::Acting,
    ids::WorkspaceId,
    workspaces::{NewWorkspace, Plan, ShowUsage, WantedLimit, Workspace, ports::WorkspaceStore},
};
use serde_json::{Value, json};

use super::said::{Listing, Said};
use crate::{cli::WorkspaceCommand, wiring::Operations};

/// Fields of a row.
const KEYS: [&str; 7] = ["id", "name", "locale", "region", "timeZone", "activeCustomerLimit", "paused"];
/// Fields of a single workspace, which has more after those of a row.
const SHOWN_KEYS: [&str; KEYS.len() + 2] = [
    "id",
    "name",
    "locale",
    "region",
    "timeZone",
    "activeCustomerLimit",
    "paused",
    "activeCustomers",
    "owner",
];
const NOT_THERE: &str = "there is no such workspace";

pub async fn run(command: WorkspaceCommand, operations: &Operations) -> anyhow::Result<Said> {
    match command {
        WorkspaceCommand::Create { name, owner_email, locale, region, time_zone } => {
            let new = NewWorkspace { name, locale, region, time_zone, owner_email };
            let (workspace, owner) = operations.create_workspace.run(new).await?;
            let json = json!({ "id": workspace.id, "owner": owner });
            Ok(Said::new(format!("workspace {}\nowner {owner}", workspace.id), &json))
        }
        WorkspaceCommand::List { limit, after } => {
            let most = usize::try_from(limit)?;
            // One row more tells whether there is a next page.
            let mut listed = operations.stores.workspaces.list(after, limit.saturating_add(1)).await?;
            let more = listed.len() > most;
            listed.truncate(most);
            let next = listed.last().filter(|_| more).map(|workspace| workspace.id);
            let rows = listed.iter().map(|workspace| Vec::from(row(workspace))).collect();
            let listing = Listing::new(&KEYS, KEYS.len(), rows);
            Ok(listing.page("--after", "nextAfter", &json!(next)))
        }
        WorkspaceCommand::Show { workspace } => show(workspace, operations).await,
        WorkspaceCommand::Plan { workspace, limit, unlimited, paused, active } => {
            let limit = match limit {
                Some(limit) => WantedLimit::AtMost(limit),
                None if unlimited => WantedLimit::None,
                None => WantedLimit::AsBefore,
            };
            let paused = if paused || active { Some(paused) } else { None };
            let plan = if limit == WantedLimit::AsBefore && paused.is_none() {
                let found = WorkspaceStore::find(&*operations.stores.workspaces, workspace).await?;
                found.map(|found| found.plan)
            } else {
                operations.set_plan.run(Acting::operator(workspace), limit, paused).await?
            };
            Ok(plan_said(plan.context(NOT_THERE)?))
        }
    }
}

async fn show(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Said> {
    let store = operations.stores.workspaces.clone();
    let found = WorkspaceStore::find(&*store, workspace).await?.context(NOT_THERE)?;
    let owner = WorkspaceStore::owner(&*store, workspace).await?;
    let clock = operations.foundation.deps.clock.clone();
    let usage = ShowUsage { store, clock }.run(workspace).await?.context(NOT_THERE)?;
    let mut row = Vec::from(row(&found));
    row.extend([json!(usage.active_customers), json!(owner)]);
    let listing = Listing::new(&SHOWN_KEYS, SHOWN_KEYS.len(), vec![row]);
    listing.one(&["id"], &workspace.to_string()).context(NOT_THERE)
}

fn row(workspace: &Workspace) -> [Value; KEYS.len()] {
    let Workspace { id, name, locale, region, time_zone, plan } = workspace;
    let Plan { active_customer_limit, paused } = plan;
    [
        json!(id),
        json!(name),
        json!(locale),
        json!(region.as_str()),
        json!(time_zone.name()),
        json!(active_customer_limit),
        json!(paused),
    ]
}

fn plan_said(plan: Plan) -> Said {
    let Plan { active_customer_limit, paused } = plan;
    let limit = active_customer_limit
        .map_or("unlimited".to_owned(), |limit| format!("{limit} active customers a month"));
    let json = json!({ "activeCustomerLimit": active_customer_limit, "paused": paused });
    Said::new(format!("plan: {limit}{}", if paused { ", paused" } else { "" }), &json)
}
