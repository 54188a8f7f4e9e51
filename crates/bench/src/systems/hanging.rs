//! What a healthy system's calls take, alone and while another hangs in many conversations.

use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::{JoinSet, yield_now};

use super::{
    calls::{Caller, Kind},
    system::System,
};
use crate::load::Latencies;

/// In how many conversations the other one hangs at once.
pub(super) const CONVERSATIONS: usize = 1_000;
/// Alone and beside take turns, so that what else the machine does strikes both.
const TURNS: u32 = 10;
/// Healthy calls at once.
const IN_FLIGHT: u64 = 4;

/// What was found.
pub(super) struct Found {
    pub(super) alone: Latencies,
    pub(super) beside: Latencies,
}

pub(super) async fn measure(system: &System, small: bool) -> anyhow::Result<Found> {
    let turn = if small { Duration::from_millis(50) } else { Duration::from_secs(3) };
    // Both ends of every call that hangs are here.
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
            // A call that was given up is made again, as the next customer would have it made.
            waiting.spawn(async move { while hung.ask(Kind::Search).await.is_err() {} });
        }
        until(|| system.hung() >= CONVERSATIONS).await;
        beside.extend(calls(&healthy, turn).await?);
        waiting.shutdown().await;
        until(|| system.hung() == 0).await;
    }
    Ok(Found { alone: Latencies::of(alone)?, beside: Latencies::of(beside)? })
}

/// Waits for what is about to be so.
async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        yield_now().await;
    }
}

/// Calls for a while, and what each took, in microseconds.
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
