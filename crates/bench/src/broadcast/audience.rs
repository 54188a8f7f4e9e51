//! People to write to, and the operator's commands for broadcasts.

use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use tokio::time::sleep;

use super::{LOOK, PATIENCE, field};
use crate::world::World;

/// Adds people whose name has `name`, past the service, which takes one at a time. Their ids follow each
/// other in time, as the service's do: people who were imported together lie together.
const ADD: &str = "
    INSERT INTO contacts (workspace_id, id, name, phone, source, created_at, channels, searchable)
    SELECT $1, (lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint + n / 4096), 12, '0')
                || '7' || lpad(to_hex(n % 4096), 3, '0') || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid,
           $2 || ' ' || n, '+96478' || lpad(($3::bigint + n)::text, 8, '0'), 'import', now(), '{}', lower($2) || ' ' || n
    FROM generate_series(1, $4::bigint) n";

pub(super) async fn add(world: &World, name: &str, people: u64) -> anyhow::Result<()> {
    let [workspace, _] = &world.workspaces;
    let known = world.database.query_one("SELECT count(*) FROM contacts", &[]).await?;
    let known: i64 = known.get(0);
    let people = i64::try_from(people)?;
    world.database.execute(ADD, &[&workspace.id, &name, &known, &people]).await.context("adding people")?;
    Ok(())
}

fn operate(world: &World, arguments: &[&str]) -> anyhow::Result<Value> {
    let said = world.settings.operate(arguments)?;
    serde_json::from_str(&said).with_context(|| format!("{arguments:?} said {said}"))
}

/// Creates a draft to everybody whose name has `search`.
pub(super) async fn draft(world: &World, search: &str) -> anyhow::Result<String> {
    let [workspace, _] = &world.workspaces;
    let author = "SELECT id::text FROM members WHERE workspace_id = $1 LIMIT 1";
    let author: String = world.database.query_one(author, &[&workspace.id]).await?.get(0);
    let id = workspace.id.to_string();
    let arguments = [
        "broadcast",
        "create",
        &id,
        "--author",
        &author,
        "--name",
        search,
        "--template",
        "order_ready",
        "--language",
        "ar",
        "--contact-name",
        "1",
        "--text",
        "2=A-1042",
        "--search",
        search,
        "--spread",
        "--json",
    ];
    Ok(field(&operate(world, &arguments)?, "id")?.to_owned())
}

fn moves(world: &World, what: &str, broadcast: &str) -> anyhow::Result<()> {
    let workspace = world.workspaces[0].id.to_string();
    world.settings.operate(&["broadcast", what, &workspace, broadcast, "--yes"]).map(drop)
}

pub(super) fn start(world: &World, broadcast: &str) -> anyhow::Result<()> {
    moves(world, "start", broadcast)
}

pub(super) fn end(world: &World, broadcast: &str) -> anyhow::Result<()> {
    moves(world, "cancel", broadcast)
}

/// Returns a broadcast's state and everything else that the command prints about it.
pub(super) fn shown(world: &World, broadcast: &str) -> anyhow::Result<(String, Value)> {
    let workspace = world.workspaces[0].id.to_string();
    let told = operate(world, &["broadcast", "show", &workspace, broadcast, "--json"])?;
    Ok((field(&told, "state")?.to_owned(), told))
}

/// Counts the messages of a broadcast that the network has.
pub(super) async fn sent(world: &World, broadcast: &str) -> anyhow::Result<u64> {
    let sent = "SELECT count(*) FROM sends WHERE workspace_id = $1 AND reference = $2 AND state = 'sent'";
    let row = world.database.query_one(sent, &[&world.workspaces[0].id, &broadcast]).await?;
    Ok(u64::try_from(row.get::<_, i64>(0))?)
}

/// Waits until the network has been asked for the first recipient.
pub(super) async fn began(world: &World, broadcast: &str) -> anyhow::Result<()> {
    let workspace = &world.workspaces[0].id;
    let waiting = Instant::now();
    let sent = "SELECT EXISTS (SELECT 1 FROM broadcast_people
        WHERE workspace_id = $1 AND broadcast_id = $2::text::uuid AND state = 'sent')";
    loop {
        let began: bool = world.database.query_one(sent, &[workspace, &broadcast]).await?.get(0);
        if began {
            return Ok(());
        }
        anyhow::ensure!(waiting.elapsed() < PATIENCE, "a broadcast does not begin");
        sleep(LOOK).await;
    }
}
