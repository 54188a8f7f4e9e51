//! The failures, one after the other, as the seed decides.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::bail;
use bench::machine::connect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{machine::Nodes, options::Options, world::World};

/// Pause between two failures, in milliseconds.
const GAP_MS: std::ops::Range<u64> = 200..3_000;
/// Time that something is away, in milliseconds.
const AWAY_MS: std::ops::Range<u64> = 200..3_000;
/// Time that a node is paused, in milliseconds: a lease may end meanwhile.
const STILL_MS: std::ops::Range<u64> = 500..9_000;
/// Jump of a clock, forward or back, in seconds.
const JUMP_S: i64 = 2 * 3_600;
/// Time that a clock is wrong, in milliseconds: the node notices, and takes work again afterwards.
const WRONG_MS: std::ops::Range<u64> = 500..12_000;
/// Time that the database may take to come back.
const BACK: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(50);

/// Something that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    KillNode,
    KillAllNodes,
    StopNode,
    PauseNode,
    CrashDatabase,
    CutDatabase,
    CutRequests,
    CutDeliveries,
    Network,
    FillDisk,
    JumpClock,
}

impl Failure {
    /// All failures, each with the weight of its choice.
    const ALL: [(Self, u32); 11] = [
        (Self::KillNode, 50),
        (Self::KillAllNodes, 8),
        (Self::StopNode, 4),
        (Self::PauseNode, 5),
        (Self::CrashDatabase, 5),
        (Self::CutDatabase, 8),
        (Self::CutRequests, 8),
        (Self::CutDeliveries, 4),
        (Self::Network, 10),
        (Self::FillDisk, 3),
        (Self::JumpClock, 8),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::KillNode => "nodes killed",
            Self::KillAllNodes => "times all nodes were killed",
            Self::StopNode => "nodes asked to stop",
            Self::PauseNode => "nodes that stood still",
            Self::CrashDatabase => "crashes of the database",
            Self::CutDatabase => "cuts to the database",
            Self::CutRequests => "cuts of requests and posts",
            Self::CutDeliveries => "cuts of deliveries",
            Self::Network => "times the network failed",
            Self::FillDisk => "times the disk was full",
            Self::JumpClock => "clocks that jumped",
        }
    }

    fn choose(random: &mut fastrand::Rng, may: impl Fn(Self) -> bool) -> Self {
        loop {
            let all: u32 = Self::ALL.iter().map(|(_, weight)| weight).sum();
            let mut left = random.u32(..all);
            for (failure, weight) in Self::ALL {
                if left < weight && may(failure) {
                    return failure;
                }
                left = left.saturating_sub(weight);
            }
        }
    }
}

/// Causes failures for the length of the run; returns the number of each, by name. Fails if something does
/// not come back.
pub(crate) async fn rage(
    world: &World,
    nodes: &mut Nodes,
    options: &Options,
) -> anyhow::Result<BTreeMap<&'static str, usize>> {
    let mut random = fastrand::Rng::with_seed(options.seed);
    let mut failures = BTreeMap::new();
    let (disk, clocks) = (world.disk.is_some(), nodes.has_clocks());
    let may = |failure| match failure {
        Failure::FillDisk => disk,
        Failure::JumpClock => clocks,
        _ => true,
    };
    let since = Instant::now();
    while since.elapsed() < options.length {
        pause(&mut random, GAP_MS).await;
        let failure = Failure::choose(&mut random, may);
        let killed = fail(failure, world, nodes, &mut random).await?;
        *failures.entry(failure.name()).or_default() += 1;
        *failures.entry("kills").or_default() += killed;
    }
    Ok(failures)
}

/// Causes one failure and waits until it is over; returns the number of killed processes.
async fn fail(
    failure: Failure,
    world: &World,
    nodes: &mut Nodes,
    random: &mut fastrand::Rng,
) -> anyhow::Result<usize> {
    let node = random.usize(..nodes.count());
    let mut killed = 0;
    match failure {
        Failure::KillNode => {
            nodes.kill(node);
            killed = 1;
            pause(random, 0..1_500).await;
            nodes.revive(node).await?;
        }
        Failure::KillAllNodes => {
            (0..nodes.count()).for_each(|node| nodes.kill(node));
            killed = nodes.count();
            pause(random, 0..1_500).await;
            for node in 0..nodes.count() {
                nodes.revive(node).await?;
            }
        }
        Failure::StopNode => {
            if !nodes.terminate(node).await? {
                bail!("node {node} was asked to stop and did not end well");
            }
            nodes.revive(node).await?;
        }
        Failure::PauseNode => {
            nodes.pause(node, true)?;
            pause(random, STILL_MS).await;
            nodes.pause(node, false)?;
        }
        Failure::CrashDatabase => {
            crash(&world.database_url).await?;
            killed = 1;
        }
        Failure::CutDatabase => world.way_to_database.cut(),
        Failure::CutRequests => world.front.cut(),
        Failure::CutDeliveries => world.receivers.way.cut(),
        Failure::Network => {
            world.simulator.set_faults(&trouble(random))?;
            pause(random, AWAY_MS).await;
            world.simulator.set_faults(&json!([]))?;
        }
        Failure::FillDisk => {
            if let Some(disk) = &world.disk {
                disk.fill()?;
                pause(random, AWAY_MS).await;
                disk.free()?;
            }
        }
        Failure::JumpClock => {
            nodes.set_clock(node, if random.bool() { JUMP_S } else { -JUMP_S })?;
            pause(random, WRONG_MS).await;
            nodes.set_clock(node, 0)?;
        }
    }
    Ok(killed)
}

async fn pause(random: &mut fastrand::Rng, milliseconds: std::ops::Range<u64>) {
    sleep(Duration::from_millis(random.u64(milliseconds))).await;
}

/// Returns a fault of sends for the network's stand-in.
fn trouble(random: &mut fastrand::Rng) -> Value {
    let times = random.u8(1..20);
    let troubles = [
        json!({ "kind": "cut_after_accept", "times": times }),
        json!({ "kind": "cut_before_accept", "times": times }),
        json!({ "kind": "hang_after_accept", "seconds": 2, "times": times }),
        json!({ "kind": "garbled_answer", "times": times }),
        json!({ "kind": "server_error_html", "accept": true, "times": times }),
        json!({ "kind": "server_error_html", "times": times }),
        json!({ "kind": "throttle", "retryAfter": 1, "times": times }),
        json!({ "kind": "status_before_response", "times": times }),
        json!({ "kind": "duplicate_statuses", "times": times }),
        json!({ "kind": "latency", "ms": 400, "times": times }),
    ];
    Value::Array(random.choice(troubles).into_iter().collect())
}

/// Kills one of the server's processes, which restarts all of them, as after a crash.
async fn crash(database_url: &str) -> anyhow::Result<()> {
    let client = connect(database_url).await?;
    let one = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'";
    let process: i32 = client.query_one(one, &[]).await?.try_get(0)?;
    let Some(process) = Pid::from_raw(process) else { bail!("the database has no such process") };
    kill_process(process, Signal::KILL)?;
    let since = Instant::now();
    while !client.is_closed() || connect(database_url).await.is_err() {
        if since.elapsed() > BACK {
            bail!("the database does not come back");
        }
        sleep(LOOK).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everything_fails_once_in_a_while_and_nothing_that_may_not() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut chosen = |left_out: Option<Failure>| -> BTreeSet<Failure> {
            (0..2_000).map(|_| Failure::choose(&mut random, |failure| Some(failure) != left_out)).collect()
        };
        assert_eq!(chosen(None).len(), Failure::ALL.len());
        for left_out in [Failure::FillDisk, Failure::JumpClock] {
            let chosen = chosen(Some(left_out));
            assert!(chosen.len() == Failure::ALL.len() - 1 && !chosen.contains(&left_out), "{chosen:?}");
        }
    }

    #[test]
    fn a_seed_repeats_its_choices() {
        let choices = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            (0..50).map(|_| Failure::choose(&mut random, |_| true)).collect::<Vec<_>>()
        };
        assert_eq!(choices(7), choices(7));
        assert_ne!(choices(7), choices(8));
    }
}
