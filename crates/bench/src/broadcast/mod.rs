//! `bench broadcast`: the cost of a person of a broadcast beside a notice; that its audience costs no memory;
//! that others do not wait for it; and that everybody gets it once, whatever is killed.

mod audience;
mod killed;

use std::{sync::Arc, time::Instant};

use anyhow::Context;
use serde_json::Value;
use tokio::time::{Duration, sleep};

use crate::{
    figures::{Figures, Goal},
    load::{self, End, Keys, Load, Plan, float},
    machine::{Service, StatementCosts, resident_mib},
    say::say,
    send::{Kind, Sends, Sink},
    world::{Options, World},
};

/// Notices in flight, as in `bench send`.
const AT_ONCE: u32 = 64;
/// Ordinary sends in flight beside a broadcast: few, so that they do not wait for each other.
const BESIDE: u32 = 2;
const WARM_UP: u64 = 1_000;
const KEYS: usize = 4_000;
/// Polling interval.
const LOOK: Duration = Duration::from_millis(20);
/// Time without progress after which the run fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// Measures broadcasts and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let bench = Bench::new(options).await?;
    bench.rates(options, figures).await?;
    bench.by_statement(options).await?;
    bench.beside(options, figures).await?;
    bench.memory(options, figures).await?;
    drop(bench);
    killed::run(options, figures).await
}

/// Everything that the runs share.
struct Bench {
    world: World,
    sink: Sink,
    sends: Arc<Sends>,
    keys: Arc<Keys>,
}

impl Bench {
    async fn new(options: &Options) -> anyhow::Result<Self> {
        let world = World::new(options).await?;
        let [workspace, _] = &world.workspaces;
        let sink = Sink::start()?;
        world.settings.operate(&["webhook", "add", &workspace.id.to_string(), &sink.url()])?;
        let sends = Arc::new(Sends::new(&workspace.numbers));
        let keys = world.keys(workspace, KEYS).await?;
        Ok(Self { world, sink, sends, keys })
    }

    async fn serve(&self) -> anyhow::Result<Service> {
        serve(&self.world).await
    }

    /// Sends notices as `bench send` does.
    async fn notices(&self, service: &Service, in_flight: u32, end: End, count: u64) -> anyhow::Result<Load> {
        let plan = Plan {
            address: service.address,
            calls: self.sends.of(Kind::Notice, count),
            keys: Arc::clone(&self.keys),
            connections: in_flight,
            end,
        };
        load::run(&plan).await
    }

    /// Measures that a broadcast reaches as many people per second as notices do, and costs no more CPU for
    /// each.
    async fn rates(&self, options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
        let (notices, people) = if options.small { (500, 1_000) } else { (20_000, 100_000) };
        let service = self.serve().await?;
        self.sink.forget();
        self.notices(&service, AT_ONCE, End::Requests(WARM_UP), WARM_UP).await?;
        self.sink.last_events(WARM_UP).await?;
        audience::add(&self.world, "warm", WARM_UP).await?;
        self.sink.forget();
        let warm = audience::draft(&self.world, "warm").await?;
        audience::start(&self.world, &warm)?;
        self.sink.last_events(WARM_UP).await?;
        finished(&self.world, &warm).await?;
        self.world.tidy().await?;
        say(&format!("sending {notices} notices, {AT_ONCE} in flight"));
        self.sink.forget();
        let before = [service.usage()?, self.world.postgres.usage()?];
        let started = Instant::now();
        self.notices(&service, AT_ONCE, End::Requests(notices), notices).await?;
        let ended = self.sink.last_events(notices).await?;
        let after = [service.usage()?, self.world.postgres.usage()?];
        let notice_rate = float(notices) / ended.duration_since(started).as_secs_f64();
        let [notice_server, notice_postgres] =
            [after[0].since_per(before[0], notices), after[1].since_per(before[1], notices)];
        let notice_cpu = notice_server + notice_postgres;

        audience::add(&self.world, "rate", people).await?;
        self.world.tidy().await?;
        say(&format!("a broadcast to {people} people"));
        self.sink.forget();
        let broadcast = audience::draft(&self.world, "rate").await?;
        let before = [service.usage()?, self.world.postgres.usage()?];
        let started = Instant::now();
        audience::start(&self.world, &broadcast)?;
        let ended = self.sink.last_events(people).await?;
        let after = [service.usage()?, self.world.postgres.usage()?];
        let rate = float(people) / ended.duration_since(started).as_secs_f64();
        let [server, postgres] =
            [after[0].since_per(before[0], people), after[1].since_per(before[1], people)];
        let cpu = server + postgres;
        figures.note("notices at 0 ms, 64 in flight: to the last event", (notice_rate, "/s"), None, None);
        figures.note("notices: CPU of the server", (notice_server, "ms"), None, None);
        figures.note("notices: CPU of PostgreSQL", (notice_postgres, "ms"), None, None);
        figures.note("notices: CPU of both", (notice_cpu, "ms"), None, None);
        let goal = Some(Goal::RatioAtLeast(0.9));
        figures.note("broadcast at 0 ms: to the last event", (rate, "/s"), Some(notice_rate), goal);
        figures.note("broadcast: CPU of the server, each person", (server, "ms"), None, None);
        figures.note("broadcast: CPU of PostgreSQL, each person", (postgres, "ms"), None, None);
        figures.note(
            "broadcast: CPU of both, each person",
            (cpu, "ms"),
            Some(notice_cpu),
            Some(Goal::RatioAtMost(1.0)),
        );
        finished(&self.world, &broadcast).await
    }

    /// Prints the most expensive statements of a person of a broadcast.
    async fn by_statement(&self, options: &Options) -> anyhow::Result<()> {
        let people = if options.small { 500 } else { 5_000 };
        audience::add(&self.world, "statements", people).await?;
        let Some(costs) = StatementCosts::start(&self.world.database).await? else {
            say("PostgreSQL came without pg_stat_statements: what each statement costs is not told");
            return Ok(());
        };
        let service = self.serve().await?;
        self.world.tidy().await?;
        self.sink.forget();
        let broadcast = audience::draft(&self.world, "statements").await?;
        costs.forget().await?;
        audience::start(&self.world, &broadcast)?;
        self.sink.last_events(people).await?;
        say("a person of a broadcast, the dearest statements of each:");
        say(&costs.table(float(people)).await?);
        finished(&self.world, &broadcast).await?;
        drop(service);
        costs.stop().await
    }

    /// Measures how long ordinary sends wait beside a broadcast. Both runs have the same people in the
    /// database, nothing in its background, and as many sends before them: only the broadcast differs.
    async fn beside(&self, options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
        let people = if options.small { 1_000 } else { 200_000 };
        audience::add(&self.world, "beside", people).await?;
        let service = self.serve().await?;
        self.world.tidy().await?;
        self.notices(&service, BESIDE, End::Requests(WARM_UP), WARM_UP).await?;
        say("ordinary sends, alone");
        let alone = self.notices(&service, BESIDE, End::After(options.length()), 1_000_000).await?;
        let broadcast = audience::draft(&self.world, "beside").await?;
        self.world.tidy().await?;
        audience::start(&self.world, &broadcast)?;
        audience::began(&self.world, &broadcast).await?;
        self.notices(&service, BESIDE, End::Requests(WARM_UP), WARM_UP).await?;
        say("ordinary sends, beside a broadcast");
        let before = audience::sent(&self.world, &broadcast).await?;
        let beside = self.notices(&service, BESIDE, End::After(options.length()), 1_000_000).await?;
        let sent = audience::sent(&self.world, &broadcast).await?.saturating_sub(before);
        let (state, _) = audience::shown(&self.world, &broadcast)?;
        audience::end(&self.world, &broadcast)?;
        anyhow::ensure!(
            state == "running" || options.small,
            "the broadcast was {state} before it was looked at"
        );
        for (name, share, goal) in [("p50", 0.5, None), ("p99", 0.99, Some(Goal::RatioAtMost(1.2)))] {
            let reference = alone.percentile(share);
            let value = (beside.percentile(share), "ms");
            figures.note(format!("ordinary sends beside a broadcast: {name}"), value, Some(reference), goal);
        }
        figures.note("ordinary sends beside a broadcast", (beside.rate(), "/s"), Some(alone.rate()), None);
        let rate = float(sent) / beside.seconds;
        let goal = (!options.small).then_some(Goal::AtLeast(1.0));
        figures.note("a broadcast beside ordinary sends", (rate, "/s"), None, goal);
        Ok(())
    }

    /// Measures the memory with a thousand and with a million people, and the time until the first is written
    /// to.
    async fn memory(&self, options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
        let mut resident = Vec::new();
        for people in [1_000, if options.small { 10_000 } else { 1_000_000 }] {
            let tag = format!("of {people}");
            audience::add(&self.world, &tag, people).await?;
            self.world.analyze().await?;
            let service = self.serve().await?;
            let broadcast = audience::draft(&self.world, &tag).await?;
            let started = Instant::now();
            audience::start(&self.world, &broadcast)?;
            audience::began(&self.world, &broadcast).await?;
            let began = started.elapsed().as_secs_f64();
            let goal = Some(Goal::AtMost(2.0));
            figures.note(
                format!("broadcast to {people}: until the first is written to"),
                (began, "s"),
                None,
                goal,
            );
            let mut most: f64 = 0.0;
            let until = Instant::now() + options.length() * 4;
            while Instant::now() < until {
                most = most.max(resident_mib(service.process())?);
                sleep(LOOK).await;
            }
            let (state, _) = audience::shown(&self.world, &broadcast)?;
            if state == "running" {
                audience::end(&self.world, &broadcast)?;
            }
            resident.push(most);
            let reference = resident.first().copied().filter(|_| resident.len() > 1);
            let goal = reference.map(|_| Goal::RatioAtMost(1.2));
            figures.note(format!("broadcast to {people}: RSS, most"), (most, "MiB"), reference, goal);
        }
        Ok(())
    }
}

async fn serve(world: &World) -> anyhow::Result<Service> {
    let service = Service::start(&world.settings).await?;
    let webhook = format!("http://{}/networks/meta/webhook", service.address);
    world.simulator.set_webhook_url(Some(webhook.parse()?))?;
    Ok(service)
}

async fn finished(world: &World, broadcast: &str) -> anyhow::Result<()> {
    let waiting = Instant::now();
    loop {
        let (state, told) = audience::shown(world, broadcast)?;
        match state.as_str() {
            "finished" => return Ok(()),
            "running" if waiting.elapsed() < PATIENCE => sleep(LOOK * 10).await,
            _ => anyhow::bail!("a broadcast is {state}: {told}"),
        }
    }
}

/// Returns a field of a command's output.
fn field<'v>(told: &'v Value, name: &str) -> anyhow::Result<&'v str> {
    told.get(name).and_then(Value::as_str).with_context(|| format!("no `{name}` in {told}"))
}
