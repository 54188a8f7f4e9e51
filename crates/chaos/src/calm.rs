//! After the storm: everything works again, and whatever waits is waited for.

use std::time::{Duration, Instant};

use anyhow::Context;
use bench::machine::connect;
use tokio::time::{sleep, timeout};

use crate::{load::Clients, world::World};

/// How long what waits may take, once everything works again. The longest wait is that of somebody's reading for a send of
/// which nobody knows whether the network took it, three minutes.
const PATIENCE: Duration = Duration::from_mins(4);
const LOOK: Duration = Duration::from_millis(500);
/// How often in a row nothing may wait before it is believed: an echo waits ten seconds before it is somebody's.
const STILL: usize = 24;

/// Where work waits.
const WAITING: [(&str, &str); 3] = [
    ("journal", "SELECT count(*) FROM journal"),
    ("deliveries", "SELECT count(*) FROM delivery_queue"),
    ("files", "SELECT count(*) FROM attachment_queue"),
];
const QUARANTINE: &str = "SELECT count(*) FROM quarantine";

/// Waits until the network has told of everything, every send has ended and nothing waits any more, or for four minutes; what
/// waits then, by where.
///
/// # Errors
/// When the database does not answer.
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

/// What failed waits for its next attempt, up to half an hour: it is asked for now, as an owner may.
fn move_forward(world: &World, began: &str) -> anyhow::Result<()> {
    for address in &world.addresses {
        world.operate(&["webhook", "resend-window", &world.workspace, address, "--since", began])?;
    }
    Ok(())
}
