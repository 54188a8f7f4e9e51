//! `bench webhooks`: cost of deliveries, beside a bare loop that signs and posts the same bodies.

mod bodies;
mod claims;
mod drain;
mod events;
mod hostile;
mod pace;
mod post_loop;
mod seed;
mod sink;

use anyhow::Context;

pub use self::hostile::run as run_hostile;
pub use self::post_loop::{PostLoop, run as run_post_loop};

use self::{
    claims::ClaimLog,
    drain::{Drain, Drained},
    events::Statuses,
    pace::Pace,
    seed::{Addresses, Seed},
    sink::Sink,
};
use crate::{
    figures::{Figures, Goal},
    load::{Latencies, float},
    machine::Service,
    reference::Script,
    say::say,
    world::{Options, World},
};

/// Table of the reference: the least that storing anything costs.
const TABLE: &str =
    "CREATE TABLE bench_inserts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text)";
const INSERT: &str =
    "INSERT INTO bench_inserts (note) VALUES ('about as much as a short notice to one person says');";

/// Events per second of the quiet load.
const QUIET: f64 = 20.0;

struct Sizes {
    /// Posts of the bare loop.
    posts: u64,
    /// Backlog of a sustained run.
    sustained: u64,
    /// Larger backlogs.
    large: u64,
    largest: u64,
    /// Rows of the log behind the due ones, and numbers of due ones, when claims are measured.
    behind: i64,
    due: u64,
    /// Events for finding the highest rate, and seconds of each load below it.
    saturating: u64,
    seconds: f64,
}

impl Sizes {
    fn of(options: &Options) -> Self {
        if options.small {
            return Self {
                posts: 20_000,
                sustained: 2_000,
                large: 4_000,
                largest: 20_000,
                behind: 100_000,
                due: 10_000,
                saturating: 1_000,
                seconds: 2.0,
            };
        }
        Self {
            posts: 400_000,
            sustained: 100_000,
            large: 200_000,
            largest: 2_000_000,
            behind: 10_000_000,
            due: 1_000_000,
            saturating: 20_000,
            seconds: 20.0,
        }
    }
}

/// Measures deliveries and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let sizes = Sizes::of(options);
    let world = World::new(options).await?;
    let sink = Sink::start()?;
    let bench = Bench { world: &world, sink: &sink, seed: Seed::new(&world), sizes };
    let first = Service::start(&world.settings).await?;
    bench.seed.days().await?;
    drop(first);
    let reference = bench.references(options, figures).await?;
    let sustained = bench.sustained(reference, figures).await?;
    bench.latencies(figures).await?;
    bench.large(&sustained, figures).await?;
    bench.claims(figures).await
}

/// Everything that the measurements share.
struct Bench<'a> {
    world: &'a World,
    sink: &'a Sink,
    seed: Seed<'a>,
    sizes: Sizes,
}

impl Bench<'_> {
    /// Measures the bare loop and the disk's commits.
    async fn references(&self, options: &Options, figures: &mut Figures) -> anyhow::Result<PostLoop> {
        self.world.database.batch_execute(TABLE).await?;
        let usage = || self.world.postgres.usage();
        let inserts = self.world.pgbench("").run(&[Script::text(INSERT)], options.length(), usage).await?;
        figures.note("pgbench: insert and commit, 16 clients", (inserts.rate, "/s"), None, None);
        let posts = PostLoop::measure(&self.sink.url(0), self.sizes.posts).await?;
        figures.note("bare loop, 64 in flight: posts", (posts.rate, "/s"), None, None);
        figures.note("bare loop, 64 in flight: CPU of a post", (posts.cpu, "ms"), None, None);
        Ok(posts)
    }

    /// Measures from a committed backlog to recorded attempts; returns the run over one address.
    async fn sustained(&self, reference: PostLoop, figures: &mut Figures) -> anyhow::Result<Drained> {
        let mut first = None;
        for count in [1, 10, 1_000] {
            let addresses = self.seed.addresses(self.sink, count).await?;
            self.seed.backlog(&addresses, self.sizes.sustained).await?;
            let drained = self.drain(self.sizes.sustained).await?;
            let name = format!("sustained, {count} address{}", if count == 1 { "" } else { "es" });
            let goal = Some(Goal::RatioAtLeast(0.45));
            figures.note(format!("{name}: deliveries"), (drained.rate, "/s"), Some(reference.rate), goal);
            figures.note(format!("{name}: CPU of the server"), (drained.server, "ms"), None, None);
            figures.note(format!("{name}: CPU of PostgreSQL"), (drained.postgres, "ms"), None, None);
            let both = (drained.server + drained.postgres, "ms");
            let goal = Some(Goal::RatioAtMost(4.0));
            figures.note(format!("{name}: CPU of both"), both, Some(reference.cpu), goal);
            figures.note(format!("{name}: RSS"), (drained.resident, "MiB"), None, None);
            self.seed.forget().await?;
            first.get_or_insert(drained);
        }
        first.context("a sustained run")
    }

    /// Measures from an event to its receipt, each event in a transaction of its own.
    async fn latencies(&self, figures: &mut Figures) -> anyhow::Result<()> {
        let [workspace, _] = &self.world.workspaces;
        self.world.settings.operate(&["webhook", "add", &workspace.id.to_string(), &self.sink.url(0)])?;
        let service = Service::start(&self.world.settings).await?;
        let mut statuses = Statuses::new(self.world, &service).await?;
        // An unmeasured first run: the service has never done this before.
        statuses.saturate(self.sink, self.sizes.saturating / 4).await?;
        let most = statuses.saturate(self.sink, self.sizes.saturating).await?;
        figures.note("events, 64 posts in flight", (most, "/s"), None, None);
        let quiet = Pace { rate: QUIET, seconds: self.sizes.seconds };
        let half = Pace { rate: most / 2.0, seconds: self.sizes.seconds };
        for (name, pace, p50, p99) in
            [("at 20 events/s", quiet, 4.0, 10.0), ("at half of the most events", half, 10.0, 25.0)]
        {
            let took = Latencies::of(statuses.pace(self.sink, pace).await?)?;
            let goal = |most| Some(Goal::AtMost(most));
            figures.note(format!("{name}: p50 to receipt"), (took.percentile(0.5), "ms"), None, goal(p50));
            figures.note(format!("{name}: p99 to receipt"), (took.percentile(0.99), "ms"), None, goal(p99));
        }
        drop(service);
        self.seed.forget().await
    }

    /// Measures that the rate and the memory stay the same with larger backlogs.
    async fn large(&self, sustained: &Drained, figures: &mut Figures) -> anyhow::Result<()> {
        let addresses = self.seed.addresses(self.sink, 1).await?;
        for backlog in [self.sizes.large, self.sizes.largest] {
            self.seed.backlog(&addresses, backlog).await?;
            // As many of the largest as of the other: only the backlog differs.
            let drained = self.drain(self.sizes.large).await?;
            let name = format!("backlog of {backlog}");
            let goal = Some(Goal::RatioAtLeast(0.9));
            figures.note(format!("{name}: deliveries"), (drained.rate, "/s"), Some(sustained.rate), goal);
            figures.note(format!("{name}: RSS"), (drained.resident, "MiB"), None, Some(Goal::AtMost(64.0)));
            self.seed.forget().await?;
        }
        Ok(())
    }

    /// Measures PostgreSQL's cost of claiming, with an empty and with a long log.
    async fn claims(&self, figures: &mut Figures) -> anyhow::Result<()> {
        let addresses = self.seed.addresses(self.sink, 10).await?;
        self.seed.backlog(&addresses, self.sizes.sustained).await?;
        let empty = self.claims_of(&addresses).await?;
        self.seed.forget().await?;
        self.seed.history(&addresses, self.sizes.behind).await?;
        self.seed.backlog(&addresses, self.sizes.due).await?;
        let full = self.claims_of(&addresses).await?;
        let name = format!("claiming, {} behind, {} due", self.sizes.behind, self.sizes.due);
        let goal = Some(Goal::RatioAtMost(1.2));
        figures.note(format!("{name}: PostgreSQL's time for 1,000"), (full, "ms"), Some(empty), goal);
        Ok(())
    }

    /// Returns PostgreSQL's milliseconds for claiming 1,000 deliveries while they are made.
    async fn claims_of(&self, addresses: &Addresses) -> anyhow::Result<f64> {
        say(&format!("claiming for {} addresses", addresses.count()));
        let log = ClaimLog::start(self.world).await?;
        let count = self.sizes.sustained / 2;
        self.drain(count).await?;
        Ok(log.stop().await? / float(count) * 1_000.0)
    }

    async fn drain(&self, count: u64) -> anyhow::Result<Drained> {
        Drain { world: self.world, sink: self.sink, count }.run(&self.seed).await
    }
}
