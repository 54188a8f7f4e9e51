//! The time after the storm: everything works again, and pending work is waited for.

use std::time::{Duration, Instant};

use anyhow::Context;
use bench::machine::connect;
use tokio::time::{sleep, timeout};

use crate::{load::Clients, world::World};

/// Longest wait once everything works again. The longest single wait is that for a read status of a send of
/// which nobody knows whether the network accepted it: three minutes.
const PATIENCE: Duration = Duration::from_mins(4);
const LOOK: Duration = Duration::from_millis(500);
/// Consecutive looks at which nothing may wait before the run counts as settled: an echo waits ten seconds
/// before it is attributed.
const STILL: usize = 24;

/// Places where work waits, with the statement that counts it.
const WAITING: [(&str, &str); 3] = [
    ("journal", "SELECT count(*) FROM journal"),
    ("deliveries", "SELECT count(*) FROM delivery_queue"),
    ("files", "SELECT count(*) FROM attachment_queue"),
];
const QUARANTINE: &str = "SELECT count(*) FROM quarantine";

/// Waits until the network has posted everything, and then until every send has ended and nothing waits any
/// more, each for [`PATIENCE`] at most; returns what still waits, by place.
pub(crate) async fn wait(world: &World, clients: &Clients, began: &str) -> anyhow::Result<Vec<String>> {
    let mut waiting = Vec::new();
    if timeout(PATIENCE, world.simulator.acknowledged()).await.is_err() {
        waiting.push("posts of the network".to_owned());
    }
    let since = Instant::now();
    let mut still = 0;
    while still < STILL && since.elapsed() < PATIENCE {
        let open = clients.ask_again().await;
        let waits = waits(world).await?;
        if !waits.is_empty() {
            move_forward(world, began)?;
        }
        still = if waits.is_empty() && open == 0 { still + 1 } else { 0 };
        sleep(LOOK).await;
    }
    waiting.extend(waits(world).await?);
    Ok(waiting)
}

async fn waits(world: &World) -> anyhow::Result<Vec<String>> {
    let database = connect(&world.database_url).await?;
    let mut waiting = Vec::new();
    for (name, count) in WAITING.into_iter().chain([("quarantine", QUARANTINE)]) {
        let row = database.query_one(count, &[]).await.with_context(|| format!("counting {name}"))?;
        let count: i64 = row.try_get(0)?;
        if count > 0 {
            waiting.push(format!("{name}: {count}"));
        }
    }
    Ok(waiting)
}

/// Requests the failed deliveries again, as an owner may; their next attempt could be half an hour away.
fn move_forward(world: &World, began: &str) -> anyhow::Result<()> {
    for address in &world.addresses {
        world.operate(&["webhook", "resend-window", &world.workspace, address, "--since", began])?;
    }
    Ok(())
}
