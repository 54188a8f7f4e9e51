//! `bench send`: cost of sends, from the request until the last event about them is delivered.

mod kinds;
mod pool;
mod sink;

pub(crate) use self::{
    kinds::{Kind, Sends},
    sink::Sink,
};

use std::{sync::Arc, time::Instant};

use anyhow::Context;
use serde_json::json;

use self::pool::PoolWatch;
use crate::{
    figures::{Figures, Goal},
    load::{self, End, Keys, Load, Plan, float},
    machine::{Service, ServiceSettings, StatementCosts, resident_mib},
    reference::Script,
    say::say,
    world::{Options, World},
};

/// Sends in flight when the network answers at once.
const AT_ONCE: u32 = 64;
/// Sends in flight when the network is slow.
const WAITING: u32 = 500;
/// Latency of the slow network, in milliseconds.
const LATENCY: u64 = 200;
/// Sends before measuring.
const WARM_UP: u64 = 1_000;
const KEYS: usize = 4_000;

/// Table of the reference: the least that storing anything costs.
const TABLE: &str =
    "CREATE TABLE bench_inserts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text)";
const INSERT: &str =
    "INSERT INTO bench_inserts (note) VALUES ('about as much as a short notice to one person says');";

/// Upper bound of the CPU time of a send, from the request to the last event's delivery, in milliseconds, of
/// the service and PostgreSQL together.
const CPU: [(Kind, f64); 2] = [(Kind::Notice, 1.0), (Kind::Code, 0.8)];

/// Pool sizes: the judged one, and one that cannot be the limit.
const POOLS: [u32; 2] = [16, 64];
/// Least share of the larger pool's rate that the pool of 16 must reach so as not to be the limit.
const NO_LIMIT: f64 = 0.95;

/// Measures sends and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let world = World::new(options).await?;
    let [workspace, _] = &world.workspaces;
    let sink = Sink::start()?;
    world.settings.operate(&["webhook", "add", &workspace.id.to_string(), &sink.url()])?;
    world.database.batch_execute(TABLE).await?;
    let usage = || world.postgres.usage();
    let inserts = world.pgbench("").run(&[Script::text(INSERT)], options.length(), usage).await?.rate;
    figures.note("pgbench: insert and commit, 16 clients", (inserts, "/s"), None, None);

    let sends = Arc::new(Sends::new(&workspace.numbers));
    let keys = world.keys(workspace, KEYS).await?;
    let bench = Bench { world: &world, sink: &sink, sends, keys };
    let service = bench.serve(&world.settings).await?;
    let count = if options.small { 500 } else { 20_000 };
    for (kind, most) in CPU {
        bench.send(&service, kind, AT_ONCE, WARM_UP).await?;
        world.analyze().await?;
        let sent = bench.send(&service, kind, AT_ONCE, count).await?;
        let name = format!("{} at 0 ms, {AT_ONCE} in flight", kind.plural());
        // The speed of a commit is the disk's: a ratio to it is a figure, not a goal.
        figures.note(format!("{name}: to the last event"), (sent.rate, "/s"), Some(inserts), None);
        sent.note(figures, &name, Some(Goal::AtMost(most)));
    }
    let resident = resident_mib(service.process())?;
    figures.note("serve, after these: RSS", (resident, "MiB"), None, None);
    drop(service);
    bench.by_statement(if options.small { 500 } else { 5_000 }).await?;

    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": LATENCY }]))?;
    let count = if options.small { 2_000 } else { 20_000 };
    for kind in [Kind::Notice, Kind::Code] {
        bench.wait_for_the_network(kind, count, figures).await?;
    }
    Ok(())
}

/// Everything that the runs share.
struct Bench<'a> {
    world: &'a World,
    sink: &'a Sink,
    sends: Arc<Sends>,
    keys: Arc<Keys>,
}

struct Sent {
    /// Sends per second, until the last event about them was delivered.
    rate: f64,
    /// Answers of the API.
    answers: Load,
    /// Deliveries per send.
    deliveries: f64,
    /// CPU time of the service per send, in milliseconds.
    server: f64,
    postgres: f64,
}

impl Bench<'_> {
    async fn serve(&self, settings: &ServiceSettings) -> anyhow::Result<Service> {
        let service = Service::start(settings).await?;
        let webhook = format!("http://{}/networks/meta/webhook", service.address);
        self.world.simulator.set_webhook_url(Some(webhook.parse()?))?;
        Ok(service)
    }

    async fn send(&self, service: &Service, kind: Kind, in_flight: u32, count: u64) -> anyhow::Result<Sent> {
        say(&format!("sending {count} {}, {in_flight} in flight", kind.plural()));
        self.sink.forget();
        let plan = Plan {
            address: service.address,
            calls: self.sends.of(kind, count),
            keys: Arc::clone(&self.keys),
            connections: in_flight,
            end: End::Requests(count),
        };
        let before = [service.usage()?, self.world.postgres.usage()?];
        let started = Instant::now();
        let answers = load::run(&plan).await?;
        let ended = self.sink.last_events(count).await?;
        let after = [service.usage()?, self.world.postgres.usage()?];
        let [server, postgres] = [after[0].since_per(before[0], count), after[1].since_per(before[1], count)];
        let rate = float(count) / ended.duration_since(started).as_secs_f64();
        let deliveries = float(self.sink.deliveries()) / float(count);
        Ok(Sent { rate, answers, deliveries, server, postgres })
    }

    /// Prints the most expensive statements of each kind of send.
    async fn by_statement(&self, count: u64) -> anyhow::Result<()> {
        let Some(costs) = StatementCosts::start(&self.world.database).await? else {
            say("PostgreSQL came without pg_stat_statements: what each statement costs is not told");
            return Ok(());
        };
        let service = self.serve(&self.world.settings).await?;
        for (kind, _) in CPU {
            self.send(&service, kind, AT_ONCE, WARM_UP).await?;
            costs.forget().await?;
            self.send(&service, kind, AT_ONCE, count).await?;
            say(&format!("{}, the dearest statements of each:", kind.plural()));
            say(&costs.table(float(count)).await?);
        }
        costs.stop().await
    }

    /// Measures a slow network with the judged pool and with one that cannot be the limit.
    async fn wait_for_the_network(
        &self,
        kind: Kind,
        count: u64,
        figures: &mut Figures,
    ) -> anyhow::Result<()> {
        let mut rates = Vec::new();
        for pool in POOLS {
            let service = self.serve(&self.world.settings.with("POOL_SIZE", pool.to_string())).await?;
            self.send(&service, kind, WAITING, u64::from(WAITING)).await?;
            let watch = PoolWatch::start(&self.world.database_url_at(self.world.server())).await?;
            let sent = self.send(&service, kind, WAITING, count).await?;
            let busy = watch.stop().await?;
            let name = format!("{} at {LATENCY} ms, {WAITING} in flight, pool of {pool}", kind.plural());
            sent.note(figures, &name, None);
            figures.note(format!("{name}: connections busy, mean"), (busy.mean, "connections"), None, None);
            figures.note(format!("{name}: time all were busy"), (busy.full(pool) * 100.0, "%"), None, None);
            rates.push(sent.answers.rate());
        }
        let [rate, unlimited] = rates.try_into().ok().context("two pools")?;
        let name = format!(
            "{} at {LATENCY} ms, {WAITING} in flight: answers, pool of {} beside {}",
            kind.plural(),
            POOLS[0],
            POOLS[1]
        );
        let goal = Some(Goal::RatioAtLeast(NO_LIMIT));
        figures.note(name, (rate, "/s"), Some(unlimited), goal);
        Ok(())
    }
}

impl Sent {
    fn note(&self, figures: &mut Figures, name: &str, cpu: Option<Goal>) {
        figures.note(format!("{name}: answers"), (self.answers.rate(), "/s"), None, None);
        figures.note(format!("{name}: p50 of an answer"), (self.answers.percentile(0.5), "ms"), None, None);
        figures.note(format!("{name}: p99 of an answer"), (self.answers.percentile(0.99), "ms"), None, None);
        figures.note(format!("{name}: deliveries of each"), (self.deliveries, "deliveries"), None, None);
        figures.note(format!("{name}: CPU of the server"), (self.server, "ms"), None, None);
        figures.note(format!("{name}: CPU of PostgreSQL"), (self.postgres, "ms"), None, None);
        figures.note(format!("{name}: CPU of both"), (self.server + self.postgres, "ms"), None, cpu);
    }
}
