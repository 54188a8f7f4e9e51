//! Cost of a call, measured in a process of its own so that its CPU time is nobody else's: with the service's
//! client, or with a bare loop that sends the same with `reqwest` and either parses the answer as plain data
//! or leaves it as bytes.

use std::{
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tokio::{process::Command, task::JoinSet};

use super::{
    calls::{Caller, Kind, SECRET},
    plain,
    system::{ORDER_REQUEST, System},
};
use crate::{load::float, machine::Usage};

/// Concurrent calls.
pub(super) const IN_FLIGHT: u64 = 16;
/// Calls before measuring.
const WARM_UP: u64 = 200;

/// Result of a loop.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Cost {
    /// Calls per second.
    pub rate: f64,
    /// CPU time per call, in milliseconds.
    pub cpu: f64,
}

impl Cost {
    /// Runs a loop in a process of its own.
    pub(super) async fn measure(with: With, kind: Kind, system: &System, count: u64) -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let with = with.argument();
        let arguments = ["system-loop", with, kind.argument(), &system.base(), &count.to_string()];
        let output = Command::new(own).args(arguments).stderr(Stdio::inherit()).output().await?;
        ensure!(output.status.success(), "the loop with the {with} failed");
        serde_json::from_slice(&output.stdout).context("what the loop printed")
    }
}

/// With what is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum With {
    /// The service's client.
    Client,
    /// A bare loop that reads the answer's data.
    Plain,
    /// A bare loop that leaves the answer as bytes.
    Bytes,
}

impl With {
    const fn argument(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Plain => "plain",
            Self::Bytes => "bytes",
        }
    }
}

#[derive(Clone)]
enum Loop {
    Client(Caller),
    Bare { client: reqwest::Client, base: String, reads: bool },
}

impl Loop {
    async fn ask(&self, kind: Kind) -> anyhow::Result<()> {
        match self {
            Self::Client(caller) => caller.ask(kind).await,
            Self::Bare { client, base, reads } => bare(client, base, kind, *reads).await,
        }
    }
}

/// Calls the system at `base` `count` times, with the service's client or a bare one; the first bad answer is
/// an error.
pub async fn run(with: With, kind: Kind, base: &str, count: u64) -> anyhow::Result<Cost> {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let unchecked = |reads| {
        let client = reqwest::Client::builder().no_proxy().no_gzip().build()?;
        anyhow::Ok(Loop::Bare { client, base: base.to_owned(), reads })
    };
    let caller = match with {
        With::Client => Loop::Client(Caller::new(base)?),
        With::Plain => unchecked(true)?,
        With::Bytes => unchecked(false)?,
    };
    all(&caller, kind, WARM_UP).await?;
    let (before, started) = (Usage::of(std::process::id())?, Instant::now());
    all(&caller, kind, count).await?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu = Usage::of(std::process::id())?.since_per(before, count);
    Ok(Cost { rate: float(count) / seconds, cpu })
}

async fn all(caller: &Loop, kind: Kind, count: u64) -> anyhow::Result<()> {
    let next = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let (caller, next) = (caller.clone(), Arc::clone(&next));
        callers.spawn(async move {
            while next.fetch_add(1, Ordering::Relaxed) < count {
                caller.ask(kind).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(())
}

async fn bare(client: &reqwest::Client, base: &str, kind: Kind, reads: bool) -> anyhow::Result<()> {
    let request = match kind {
        Kind::Search => {
            client.get(format!("{base}/products?q=%D8%AD%D9%81%D8%A7%D8%B6%D8%A7%D8%AA&limit=50"))
        }
        Kind::Order => client
            .post(format!("{base}/orders"))
            .header("content-type", "application/json")
            .header("idempotency-key", "bench-order-1")
            .body(ORDER_REQUEST),
    };
    let request = request
        .header("authorization", format!("Bearer {SECRET}"))
        .header("accept", "application/json")
        .header("accept-encoding", "identity")
        .header("user-agent", "Bench/1.0")
        .header("x-service-contract", "2");
    let body = request.send().await?.error_for_status()?.bytes().await?;
    if reads { plain::read(kind, &body) } else { Ok(()) }
}
