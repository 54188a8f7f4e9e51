//! `bench hostile`: service to others while the webhook addresses of one workspace flood it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use bounded_http::testing::{Flood, Flooder};
use tokio::time::sleep;

use super::{events::Statuses, pace::Pace, seed::Seed, sink::Sink};
use crate::{
    figures::{Figures, Goal},
    load::{Connection, Keys, Latencies, float},
    machine::Service,
    say::say,
    world::{Options, World},
};

/// Addresses that flood, each kind of flood in turn.
const ADDRESSES: usize = 20;
/// Deliveries owed to them: more than are attempted meanwhile.
const OWED: u64 = 10_000;
/// Turns of each, idle and flooded in alternation, so that other work of the machine affects both.
const TURNS: u32 = 3;
/// Events of the other workspace per second.
const EVENTS: f64 = 20.0;
/// Pause between two reads of the other workspace.
const PAUSE: Duration = Duration::from_millis(5);
const KEYS: usize = 200;
/// Range of seconds in which an attempt that times out ends: ten, give or take a half.
const ENDS: [f64; 2] = [9.5, 10.5];
/// Time that attempts under way are given to end.
const SETTLING: Duration = Duration::from_secs(11);

/// Latencies that the others saw, in microseconds.
#[derive(Default)]
struct Seen {
    reads: Vec<u32>,
    receipts: Vec<u32>,
}

/// Measures others beside addresses that flood, and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let pace = Pace { rate: EVENTS, seconds: if options.small { 3.0 } else { 20.0 } };
    let world = World::new(options).await?;
    let (sink, seed) = (Sink::start()?, Seed::new(&world));
    let [others, _] = &world.workspaces;
    world.settings.operate(&["webhook", "add", &others.id.to_string(), &sink.url(0)])?;
    let service = Service::start(&world.settings).await?;
    seed.days().await?;
    let mut watch = Watch {
        statuses: Statuses::new(&world, &service).await?,
        keys: world.keys(others, KEYS).await?,
        service: &service,
        sink: &sink,
        pace,
    };
    let floods = Flood::OF_HTTP.into_iter().cycle().take(ADDRESSES);
    let flooders: Vec<_> =
        floods.map(Flooder::start).collect::<Result<_, _>>().context("servers that flood")?;
    let hostile = seed.hostile(flooders.iter().map(Flooder::url)).await?;
    // An unmeasured first turn: the service has never done this before.
    watch.turn(&mut Seen::default()).await?;
    let (mut idle, mut beside, mut attempts) = (Seen::default(), Seen::default(), Vec::new());
    for _ in 0..TURNS {
        watch.turn(&mut idle).await?;
        seed.backlog(&hostile, OWED).await?;
        say(&format!("{ADDRESSES} addresses flood"));
        watch.turn(&mut beside).await?;
        // Attempts under way come to their end, and none begins.
        seed.owe_nothing().await?;
        sleep(SETTLING).await;
        attempts.extend(seed.durations(&hostile).await?);
        seed.forget().await?;
    }
    note(figures, idle, beside, &attempts)
}

/// Use of the service by others.
struct Watch<'a> {
    statuses: Statuses<'a>,
    keys: Arc<Keys>,
    service: &'a Service,
    sink: &'a Sink,
    pace: Pace,
}

impl Watch<'_> {
    /// Reads and receives for the length of a turn.
    async fn turn(&mut self, seen: &mut Seen) -> anyhow::Result<()> {
        let receiving = self.statuses.pace(self.sink, self.pace);
        tokio::pin!(receiving);
        let mut connection = Connection::open(self.service.address).await?;
        let mut key = self.keys.take();
        loop {
            let request = format!(
                "GET /v1/contacts?limit=1 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\r\n",
                key.next()
            );
            let read = async {
                let began = Instant::now();
                let status = connection.ask(request.as_bytes()).await?.status;
                ensure!(status == 200, "a read was answered with {status}");
                let took = began.elapsed();
                sleep(PAUSE).await;
                Ok(took)
            };
            tokio::select! {
                received = &mut receiving => {
                    seen.receipts.extend(received?);
                    return Ok(());
                }
                took = read => seen.reads.push(u32::try_from(took?.as_micros()).unwrap_or(u32::MAX)),
            }
        }
    }
}

fn note(figures: &mut Figures, idle: Seen, beside: Seen, attempts: &[i64]) -> anyhow::Result<()> {
    for (name, idle, beside) in [
        ("reads of /v1 beside 20 addresses that flood", idle.reads, beside.reads),
        ("deliveries of others beside them", idle.receipts, beside.receipts),
    ] {
        let (idle, beside) = (Latencies::of(idle)?, Latencies::of(beside)?);
        for (which, share, goal) in [("p50", 0.5, None), ("p99", 0.99, Some(Goal::RatioAtMost(1.2)))] {
            let value = (beside.percentile(share), "ms");
            figures.note(format!("{name}: {which}"), value, Some(idle.percentile(share)), goal);
        }
    }
    let took = |millis: i64| anyhow::Ok((float(u64::try_from(millis)?) / 1_000.0, "s"));
    let longest = *attempts.iter().max().context("no attempt was recorded")?;
    let goal = Some(Goal::AtMost(ENDS[1]));
    figures.note("attempts at them: the longest", took(longest)?, None, goal);
    let out_of_time = attempts.iter().filter(|millis| **millis > 5_000).min();
    let shortest = *out_of_time.context("no attempt ran out of time")?;
    let goal = Some(Goal::AtLeast(ENDS[0]));
    figures.note("attempts at them that ran out of time: the shortest", took(shortest)?, None, goal);
    Ok(())
}
