//! Two nodes, killed again and again while they send one broadcast.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde_json::json;
use tokio::time::sleep;

use super::{LOOK, audience};
use crate::{
    figures::{Figures, Goal},
    load::float,
    machine::Service,
    say::say,
    world::{Options, World},
};

/// Least lifetime of a node.
const LIVES: Duration = Duration::from_millis(300);
/// Time that the network takes for each message, in milliseconds: long enough that each kill finds messages
/// under way, and that the broadcast is not over before the last kill.
const LATENCY: u64 = 150;
/// Makes the broadcast due at once, so that nobody waits for the end of a killed node's lease and each kill
/// finds a sender.
const DUE: &str = "UPDATE broadcasts SET due_at = now() WHERE workspace_id = $1 AND state = 'running'";
/// Time allowed after the last kill: leases end, and sends that were under way are given up.
const PATIENCE: Duration = Duration::from_mins(5);

/// Kills nodes while they send, and counts how often each person got the message.
pub(super) async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let (people, kills) = if options.small { (2_000, 5_u64) } else { (20_000, 100) };
    let world =
        World::with(options, |config| config.keep = usize::try_from(people * 2).unwrap_or(usize::MAX))
            .await?;
    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": LATENCY }]))?;
    audience::add(&world, "killed", people).await?;
    let broadcast = audience::draft(&world, "killed").await?;
    let mut nodes = [Some(serve(&world).await?), Some(serve(&world).await?)];
    audience::start(&world, &broadcast)?;
    say(&format!("a broadcast to {people} people over two nodes, and {kills} kills"));
    let mut killed = 0;
    while killed < kills {
        sleep(LIVES).await;
        let state = state(&world, &broadcast).await?;
        if state != "running" {
            break;
        }
        let place = usize::try_from(killed % 2)?;
        let node = nodes.get_mut(place).context("two nodes")?;
        // Dropping it sends SIGKILL.
        drop(node.take());
        killed += 1;
        world.database.execute(DUE, &[&world.workspaces[0].id]).await.context("letting another go on")?;
        *node = Some(serve(&world).await?);
    }
    let waiting = Instant::now();
    while state(&world, &broadcast).await? == "running" {
        anyhow::ensure!(waiting.elapsed() < PATIENCE, "the broadcast does not end");
        sleep(LOOK * 10).await;
    }
    // Statuses still settle messages that the dead processes had sent.
    sleep(Duration::from_secs(2)).await;
    let (_, told) = audience::shown(&world, &broadcast)?;
    let mut got: BTreeMap<String, u64> = BTreeMap::new();
    for message in world.simulator.messages() {
        let to = message.pointer("/body/to").and_then(serde_json::Value::as_str).unwrap_or_default();
        *got.entry(to.to_owned()).or_default() += 1;
    }
    let doubled: u64 = got.values().map(|times| times - 1).sum();
    let reached = u64::try_from(got.len())?;
    let count = |name: &str| told.pointer(&format!("/progress/{name}")).and_then(serde_json::Value::as_u64);
    let unconfirmed = count("unconfirmed").context("no count of the unconfirmed")?;
    let lost = people.saturating_sub(reached).saturating_sub(unconfirmed);
    // With fewer kills the run proves nothing.
    let goal = Some(Goal::AtLeast(float(kills)));
    figures.note("killed broadcast: kills while it ran", (float(killed), "kills"), None, goal);
    figures.note("killed broadcast: got it twice", (float(doubled), "people"), None, Some(Goal::AtMost(0.0)));
    figures.note("killed broadcast: lost", (float(lost), "people"), None, Some(Goal::AtMost(0.0)));
    // Killed between ledger and network: nobody knows whether the network has the message.
    figures.note("killed broadcast: unconfirmed", (float(unconfirmed), "people"), None, None);
    figures.note(
        "killed broadcast: told as sent",
        (float(count("sent").unwrap_or_default()), "people"),
        None,
        None,
    );
    Ok(())
}

async fn serve(world: &World) -> anyhow::Result<Service> {
    super::serve(world).await
}

async fn state(world: &World, broadcast: &str) -> anyhow::Result<String> {
    let find = "SELECT state FROM broadcasts WHERE workspace_id = $1 AND id = $2::text::uuid";
    Ok(world.database.query_one(find, &[&world.workspaces[0].id, &broadcast]).await?.get(0))
}
