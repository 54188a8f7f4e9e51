//! Commands about the system of a workspace's own.

use adapter_http::Systems;
use anyhow::{Context, bail};
use domain::{
    audit::Acting,
    clock::rfc3339_ms,
    ids::WorkspaceId,
    paging::{AskedPage, PageLimit},
    systems::{CallFilter, CallRecord, Capability, RefusalMessage, SystemConnection},
    workspaces::ports::WorkspaceStore,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{
    Unreadable, given, known,
    said::{Listing, Said},
};
use crate::{cli::SystemCommand, wiring::Foundation};

/// Most bytes read of a file with a secret.
const MOST: u64 = 64 * 1024;
const AT_A_TIME: u32 = 1_000;
const SYSTEM_KEYS: &[&str] =
    &["workspaceId", "system", "name", "state", "stateSince", "problem", "verifiedAt"];
const CALL_KEYS: &[&str] = &["at", "route", "result", "status", "durationMs", "unusable", "message"];
const NONE: &str = "the workspace has connected no system of its own";

/// Returns the question asked before a system replaces another; `None` where there is none to replace.
pub async fn replaces(command: &SystemCommand, systems: &Systems) -> anyhow::Result<Option<String>> {
    let SystemCommand::Connect { workspace, .. } = command else { return Ok(None) };
    let connected = systems.manage.get(*workspace).await?;
    let question = |base: &str| format!("Replace the system {base} and destroy its secret?");
    Ok(connected.map(|connection| question(connection.base.as_str())))
}

pub async fn run(command: SystemCommand, on: &Foundation, systems: &Systems) -> anyhow::Result<Said> {
    let known = |workspace| known(workspace, &on.stores);
    let shown = |connection: Option<SystemConnection>| {
        connection.map(|connection| shown(&connection, on.deps.clock.now())).context(NONE)
    };
    match command {
        SystemCommand::Connect { workspace, base, secret_file } => {
            let secret = given::secret(&secret_file, MOST)
                .with_context(|| Unreadable::new("the file with the secret cannot be read"))?;
            let acting = Acting::operator(known(workspace).await?);
            shown(Some(systems.connect.run(acting, &base, &secret).await?))
        }
        SystemCommand::List => Ok(connected(on, systems).await?.all()),
        SystemCommand::Show { workspace } => shown(systems.manage.get(known(workspace).await?).await?),
        SystemCommand::Verify { workspace } => {
            shown(systems.manage.verify(Acting::operator(known(workspace).await?)).await?)
        }
        SystemCommand::Disconnect { workspace } => {
            if !systems.manage.disconnect(Acting::operator(known(workspace).await?)).await? {
                bail!(NONE);
            }
            Ok("disconnected".into())
        }
        SystemCommand::Calls { workspace, route, result, limit, cursor } => {
            let filter = CallFilter { route, result, unusable: None };
            let limit = PageLimit::new(limit).context("--limit must be from 1 to 100")?;
            let asked = AskedPage { limit, cursor };
            let page = systems.manage.calls(known(workspace).await?, filter, &asked).await?;
            let listing = Listing::new(CALL_KEYS, CALL_KEYS.len(), page.rows.iter().map(call).collect());
            Ok(listing.page("--cursor", "nextCursor", &json!(page.next)))
        }
    }
}

async fn connected(on: &Foundation, systems: &Systems) -> anyhow::Result<Listing> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let workspaces = on.stores.workspaces.list(after, AT_A_TIME).await?;
        for workspace in &workspaces {
            let connection = systems.manage.get(workspace.id).await?;
            rows.extend(connection.map(|connection| row(workspace.id, &connection, on.deps.clock.now())));
        }
        after = workspaces.last().map(|last| last.id);
        if after.is_none() {
            return Ok(Listing::new(SYSTEM_KEYS, 6, rows));
        }
    }
}

fn row(workspace: WorkspaceId, connection: &SystemConnection, now: OffsetDateTime) -> Vec<Value> {
    let SystemConnection { base, introduction, problem, state_since, verified_at, .. } = connection;
    vec![
        json!(workspace),
        json!(base.as_str()),
        json!(introduction.name.as_str()),
        json!(connection.state_at(now).as_str()),
        json!(rfc3339_ms(*state_since)),
        json!(problem),
        json!(rfc3339_ms(*verified_at)),
    ]
}

fn shown(connection: &SystemConnection, now: OffsetDateTime) -> Said {
    let SystemConnection { base, introduction, problem, state_since, verified_at, .. } = connection;
    let capabilities: Vec<&str> = introduction.capabilities.iter().map(Capability::as_str).collect();
    let state = connection.state_at(now).as_str();
    let (since, verified) = (rfc3339_ms(*state_since), rfc3339_ms(*verified_at));
    let json = json!({
        "system": base.as_str(),
        "name": introduction.name.as_str(),
        "currency": introduction.currency.to_string(),
        "capabilities": capabilities,
        "state": state,
        "stateSince": since,
        "verifiedAt": verified,
        "problem": problem.as_ref().map(ToString::to_string),
    });
    let problem = problem.as_ref().map(|problem| format!("\nproblem   {problem}")).unwrap_or_default();
    let text = format!(
        "system    {}\nname      {}\ncurrency  {}\ncan       {}\nstate     {state} since {since}\n\
         verified  {verified}{problem}",
        base.as_str(),
        introduction.name.as_str(),
        introduction.currency,
        capabilities.join(", "),
    );
    Said::new(text, &json)
}

fn call(call: &CallRecord) -> Vec<Value> {
    let CallRecord { route, result, status, duration_ms, unusable, message, at, .. } = call;
    vec![
        json!(rfc3339_ms(*at)),
        json!(route.template()),
        json!(result.as_str()),
        json!(status),
        json!(duration_ms),
        json!(unusable),
        json!(message.as_ref().map(RefusalMessage::as_str)),
    ]
}
