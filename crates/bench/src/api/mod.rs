//! `bench api`: cost of the reads, with a million contacts.

mod measure;
mod names;
mod routes;
pub(crate) mod seed;

use std::time::Duration;

use anyhow::Context;

use self::{
    measure::{Cost, Measured, Recorded, record},
    routes::{Caller, DEPTHS, Route},
    seed::Samples,
};
use crate::{
    figures::{Figures, Goal, aligned, short},
    load::{Connection, Keys},
    machine::{Service, resident_mib},
    say::say,
    world::{Options, Workspace, World},
};

/// Depth of the deep pages, as a share of the contacts: page 10,000 of 50 rows with a million.
const DEPTH: (usize, usize) = (500_000, 5_000);
/// Least throughput, as a share of `pgbench`'s.
const OF_PGBENCH: f64 = 0.9;
/// Highest cost in a workspace of ten times the size, as a multiple of the other's.
const TEN_TIMES: f64 = 1.1;
/// Highest cost of a deep page, as a multiple of the first page's.
const DEEPER: f64 = 1.3;
/// API keys of each workspace: enough for a minute of the fastest route.
const KEYS: usize = 4_000;
/// Measured starts of the service; the figure is their median.
const STARTS: usize = 5;
/// Idle time of the service before its memory is measured.
const IDLE: Duration = Duration::from_secs(3);

/// Measures every read and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    let world = World::new(options).await?;
    let contacts = if options.small { seed::CONTACTS / 100 } else { seed::CONTACTS };
    seed::fill(&world, contacts, seed::MESSAGES).await?;
    let [large, tenth] = &world.workspaces;
    let (large_keys, tenth_keys) = (world.keys(large, KEYS).await?, world.keys(tenth, KEYS).await?);

    start(&world, &large_keys, figures).await?;
    let service = Service::start(&world.settings).await?;
    let rows = if options.small { DEPTH.1 } else { DEPTH.0 };
    let callers = [large_keys, tenth_keys].map(|keys| Caller { address: service.address, keys });
    let [caller, tenth_caller] = &callers;
    tokio::time::sleep(IDLE).await;
    figures.note(
        "serve, idle: RSS",
        (resident_mib(service.process())?, "MiB"),
        None,
        Some(Goal::AtMost(40.0)),
    );

    let (two_letters, share) = names::two_letters_in_a_fifth(&names::common());
    say(&format!("`{two_letters}` is in {:.1} % of the names", share * 100.0));
    let routes = reads(&world, large, caller, rows).await?;
    let tenth_routes = reads(&world, tenth, tenth_caller, rows / 10).await?;
    let recorded = record(&world, caller, &routes).await?;
    let mut measured = Vec::new();
    for ((route, tenth_route), recorded) in routes.iter().zip(&tenth_routes).zip(&recorded) {
        say(&format!("measuring: {}", route.name));
        let both = [(caller, route), (tenth_caller, tenth_route)];
        measured.push(measure::route(&world, &service, both, recorded, options.length()).await?);
    }
    let resident = resident_mib(service.process())?;
    figures.note("serve, after all of it: RSS", (resident, "MiB"), None, None);
    say(&table(&routes, &recorded, &measured));
    for ((route, recorded), measured) in routes.iter().zip(&recorded).zip(&measured) {
        note(figures, route, recorded, measured);
    }
    note_depths(figures, &routes, &measured);
    Ok(())
}

async fn reads(
    world: &World,
    workspace: &Workspace,
    caller: &Caller,
    rows: usize,
) -> anyhow::Result<Vec<Route>> {
    routes::of_workspace(caller, &Samples::of(&world.database, workspace.id).await?, rows).await
}

/// Measures the time from the start of the process to the first answer.
async fn start(world: &World, keys: &std::sync::Arc<Keys>, figures: &mut Figures) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let started = std::time::Instant::now();
        let service = Service::start(&world.settings).await?;
        let mut connection = Connection::open(service.address).await?;
        routes::get(&mut connection, "/v1/me", keys.take().next()).await?;
        times.push(started.elapsed().as_secs_f64() * 1_000.0);
    }
    times.sort_by(f64::total_cmp);
    let median = *times.get(STARTS / 2).context("no start")?;
    figures.note("serve: start to first answer", (median, "ms"), None, Some(Goal::AtMost(300.0)));
    Ok(())
}

fn note(figures: &mut Figures, route: &Route, recorded: &Recorded, measured: &Measured) {
    let name = route.name;
    let goal = route.throughput.then_some(Goal::RatioAtLeast(OF_PGBENCH));
    figures.note(
        format!("{name}: throughput at 16, beside pgbench"),
        (measured.cost.rate, "/s"),
        Some(measured.pgbench.rate),
        goal,
    );
    let bare = Some(measured.bare);
    figures.note(
        format!("{name}: throughput at 16, beside a bare route"),
        (measured.cost.rate, "/s"),
        bare,
        None,
    );
    figures.note(format!("{name}: p50 at 10"), (measured.p50, "ms"), None, None);
    figures.note(format!("{name}: p99 at 10"), (measured.p99, "ms"), None, Some(Goal::AtMost(route.p99)));
    figures.note(format!("{name}: CPU of the server"), (measured.cost.server, "ms"), None, None);
    let pgbench = Some(measured.pgbench.cpu);
    figures.note(format!("{name}: CPU of PostgreSQL"), (measured.cost.postgres, "ms"), pgbench, None);
    let trips = f64::from(recorded.round_trips);
    figures.note(
        format!("{name}: database round trips"),
        (trips, "round trips"),
        None,
        Some(Goal::AtMost(2.0)),
    );
    let goal = route.same.then_some(Goal::RatioAtMost(TEN_TIMES));
    let tenth = Some(measured.tenth.cpu());
    figures.note(
        format!("{name}: CPU beside a workspace a tenth as large"),
        (measured.cost.cpu(), "ms"),
        tenth,
        goal,
    );
}

/// Notes the cost of each deep page beside its first page's.
fn note_depths(figures: &mut Figures, routes: &[Route], measured: &[Measured]) {
    let cost = |name: &str| {
        let place = routes.iter().position(|route| route.name == name)?;
        measured.get(place).map(|measured| measured.cost.cpu())
    };
    for (first, deep) in DEPTHS {
        if let (Some(first), Some(cost)) = (cost(first), cost(deep)) {
            let goal = Some(Goal::RatioAtMost(DEEPER));
            figures.note(format!("{deep}: CPU beside the first page"), (cost, "ms"), Some(first), goal);
        }
    }
}

fn table(routes: &[Route], recorded: &[Recorded], measured: &[Measured]) -> String {
    let head = [
        "read",
        "p50 ms",
        "p99 ms",
        "/s",
        "CPU ms: server",
        "PostgreSQL",
        "pgbench /s",
        "of it",
        "its CPU ms",
        "bare /s",
        "of it",
        "a tenth: CPU ms",
        "trips",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for ((route, recorded), measured) in routes.iter().zip(recorded).zip(measured) {
        let Measured { p50, p99, cost, tenth, pgbench, bare } = measured;
        let Cost { rate, server, postgres } = cost;
        rows.push([
            route.name.to_owned(),
            short(*p50),
            short(*p99),
            short(*rate),
            short(*server),
            short(*postgres),
            short(pgbench.rate),
            short(rate / pgbench.rate),
            short(pgbench.cpu),
            short(*bare),
            short(rate / bare),
            short(tenth.cpu()),
            recorded.round_trips.to_string(),
        ]);
    }
    aligned(&rows)
}
