//! Latencies of a healthy system, alone and while another hangs in many conversations.

use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::{JoinSet, yield_now};

use super::{
    calls::{Caller, Kind},
    system::System,
};
use crate::load::Latencies;

/// Conversations in which the other system hangs at once.
pub(super) const CONVERSATIONS: usize = 1_000;
/// Turns of each, alone and beside in alternation, so that other work of the machine affects both.
const TURNS: u32 = 10;
/// Concurrent healthy calls.
const IN_FLIGHT: u64 = 4;

pub(super) struct Found {
    pub(super) alone: Latencies,
    pub(super) beside: Latencies,
}

pub(super) async fn measure(system: &System, small: bool) -> anyhow::Result<Found> {
    let turn = if small { Duration::from_millis(50) } else { Duration::from_secs(3) };
    // Both ends of every hanging call are in this process.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    let healthy = Caller::new(&system.base())?;
    let hung = healthy.calling(&system.hanging())?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        alone.extend(calls(&healthy, turn).await?);
        let mut waiting = JoinSet::new();
        for _ in 0..CONVERSATIONS {
            let hung = hung.clone();
            // A call that was given up is made again, as the next customer would make it.
            waiting.spawn(async move { while hung.ask(Kind::Search).await.is_err() {} });
        }
        until(|| system.hung() >= CONVERSATIONS).await;
        beside.extend(calls(&healthy, turn).await?);
        waiting.shutdown().await;
        until(|| system.hung() == 0).await;
    }
    Ok(Found { alone: Latencies::of(alone)?, beside: Latencies::of(beside)? })
}

/// Waits until the condition holds.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        yield_now().await;
    }
}

/// Calls for the length of a turn; returns each call's time in microseconds.
async fn calls(caller: &Caller, turn: Duration) -> anyhow::Result<Vec<u32>> {
    let started = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let caller = caller.clone();
        callers.spawn(async move {
            let mut took = Vec::new();
            while started.elapsed() < turn {
                let began = Instant::now();
                caller.ask(Kind::Search).await?;
                took.push(u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX));
            }
            anyhow::Ok(took)
        });
    }
    let mut all = Vec::new();
    while let Some(took) = callers.join_next().await {
        all.extend(took??);
    }
    Ok(all)
}
