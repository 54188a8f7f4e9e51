//! `bench systems`: cost of calls to a customer's own system, and the cost to others of a system that hangs.
//!
//! Needs neither the service's program nor a database: the client is what is measured.

mod calls;
mod cost;
mod hanging;
mod plain;
mod system;

use anyhow::Context;

pub use self::{
    calls::Kind,
    cost::{With, run as run_loop},
};
use self::{cost::Cost, system::System};
use crate::{
    figures::{Figures, Goal},
    say::say,
};

/// Upper bound of the client's CPU time, as a multiple of a bare loop's.
const MOST_CPU: f64 = 3.0;
/// Upper bound of a healthy system's p99 beside others that hang, as a multiple of its own alone.
const MOST_SLOWER: f64 = 1.2;

/// Measures calls and notes the figures.
pub async fn run(small: bool, figures: &mut Figures) -> anyhow::Result<()> {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let system = System::start().await.context("the system that is called")?;
    let count = if small { 300 } else { 30_000 };
    for kind in [Kind::Search, Kind::Order] {
        say(&format!("{count} calls of each: {}", kind.name()));
        let bytes = Cost::measure(With::Bytes, kind, &system, count).await?;
        let plain = Cost::measure(With::Plain, kind, &system, count).await?;
        let client = Cost::measure(With::Client, kind, &system, count).await?;
        let goal = || Some(Goal::RatioAtMost(MOST_CPU));
        let name = kind.name();
        figures.note(format!("{name}: CPU of a call"), (client.cpu, "ms"), Some(bytes.cpu), goal());
        let read = format!("{name}: the same, beside a loop that reads the data");
        figures.note(read, (client.cpu, "ms"), Some(plain.cpu), goal());
        figures.note(
            format!("{name}: calls, {} in flight", cost::IN_FLIGHT),
            (client.rate, "/s"),
            Some(bytes.rate),
            None,
        );
    }
    let found = hanging::measure(&system, small).await?;
    let hung = hanging::CONVERSATIONS;
    figures.note("a healthy system alone: p50", (found.alone.percentile(0.5), "ms"), None, None);
    let alone = found.alone.percentile(0.99);
    figures.note("a healthy system alone: p99", (alone, "ms"), None, None);
    let goal = Some(Goal::RatioAtMost(MOST_SLOWER));
    let beside = found.beside.percentile(0.99);
    figures.note(format!("beside {hung} calls to one that hangs: p99"), (beside, "ms"), Some(alone), goal);
    Ok(())
}
