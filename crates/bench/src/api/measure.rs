//! Measuring one read: its statements, its cost, and the cost of the references.

use std::{sync::Arc, time::Duration};

use super::routes::{Caller, Route};
use crate::{
    load::{self, Connection, End, Gets, Keys, Load, Plan},
    machine::{Service, Usage},
    reference::{Bare, Rate, Script, Tap},
    world::World,
};

/// Requests of a read that are recorded, and so scripts of its reference.
const HEARD: usize = 32;
/// Connections while throughput is measured.
const BUSY: u32 = 16;
/// Connections while latency is measured.
const CALM: u32 = 10;
/// Warm-up of caches and prepared statements before measuring.
const WARM_UP: Duration = Duration::from_millis(500);

/// Statements that a read executes.
pub(super) struct Recorded {
    scripts: Vec<Script>,
    pub(super) round_trips: u32,
    /// Body of the first answer.
    answer: Vec<u8>,
    options: String,
}

pub(super) struct Cost {
    /// Requests per second with 16 connections.
    pub(super) rate: f64,
    /// CPU time of the service, in milliseconds.
    pub(super) server: f64,
    /// CPU time of PostgreSQL, in milliseconds.
    pub(super) postgres: f64,
}

impl Cost {
    /// Returns the CPU time of both together.
    pub(super) fn cpu(&self) -> f64 {
        self.server + self.postgres
    }
}

pub(super) struct Measured {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) cost: Cost,
    /// The cost in a workspace a tenth as large.
    pub(super) tenth: Cost,
    /// The reference run of `pgbench`.
    pub(super) pgbench: Rate,
    /// Requests per second of the bare route.
    pub(super) bare: f64,
}

/// Records the statements of each read, on a service of its own that does nothing else.
pub(super) async fn record(
    world: &World,
    caller: &Caller,
    routes: &[Route],
) -> anyhow::Result<Vec<Recorded>> {
    let tap = Tap::start(world.server()).await?;
    let settings = world.settings.with("DATABASE_URL", world.database_url_at(tap.address));
    let service = Service::start(&settings.with("ROLES", "api")).await?;
    let mut connection = Connection::open(service.address).await?;
    let mut recorded = Vec::new();
    for route in routes {
        // The first request prepares the statements.
        let (mut scripts, mut round_trips, mut answer) = (Vec::new(), 0, Vec::new());
        let first = route.paths.iter().take(1);
        let paths = first.chain(route.paths.iter().cycle().take(HEARD));
        for (number, path) in paths.enumerate() {
            let request = get(path, caller.keys.take().next());
            tap.take()?;
            let got = connection.ask(&request).await?;
            if got.status != 200 {
                anyhow::bail!("`{path}` was answered with {}", got.status);
            }
            let heard = tap.take()?;
            if number > 0 {
                scripts.push(Script::of(&format!("r{number}"), &heard.executed));
                round_trips = round_trips.max(heard.round_trips);
                got.body.clone_into(&mut answer);
            }
        }
        recorded.push(Recorded { scripts, round_trips, answer, options: tap.session_options() });
    }
    Ok(recorded)
}

fn get(path: &str, key: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n").into_bytes()
}

/// Measures a read in both workspaces, and its references.
pub(super) async fn route(
    world: &World,
    service: &Service,
    [(caller, route), (tenth_caller, tenth_route)]: [(&Caller, &Route); 2],
    recorded: &Recorded,
    length: Duration,
) -> anyhow::Result<Measured> {
    let own = cost(world, service, caller, &route.paths, length).await?;
    let tenth = cost(world, service, tenth_caller, &tenth_route.paths, length).await?;
    let calm = load(caller, &route.paths, CALM, length).await?;

    let usage = || world.postgres.usage();
    let pgbench = world.pgbench(&recorded.options).run(&recorded.scripts, length, usage).await?;

    let bare = Bare::start(recorded.answer.clone())?;
    let nobody = Caller { address: bare.address, keys: Keys::none() };
    let bare_load = load(&nobody, &["/".to_owned()], BUSY, length).await?;
    bare.stop().await;
    Ok(Measured {
        p50: calm.percentile(0.5),
        p99: calm.percentile(0.99),
        cost: own,
        tenth,
        pgbench,
        bare: bare_load.rate(),
    })
}

/// Measures the cost of a request with 16 connections.
async fn cost(
    world: &World,
    service: &Service,
    caller: &Caller,
    paths: &[String],
    length: Duration,
) -> anyhow::Result<Cost> {
    load(caller, paths, BUSY, WARM_UP).await?;
    let usage = || -> anyhow::Result<[Usage; 2]> { Ok([service.usage()?, world.postgres.usage()?]) };
    let [server, postgres] = usage()?;
    let busy = load(caller, paths, BUSY, length).await?;
    let [server_after, postgres_after] = usage()?;
    Ok(Cost {
        rate: busy.rate(),
        server: server_after.since_per(server, busy.requests),
        postgres: postgres_after.since_per(postgres, busy.requests),
    })
}

async fn load(caller: &Caller, paths: &[String], connections: u32, length: Duration) -> anyhow::Result<Load> {
    let plan = Plan {
        address: caller.address,
        calls: Arc::new(Gets(paths.to_vec())),
        keys: Arc::clone(&caller.keys),
        connections,
        end: End::After(length),
    };
    load::run(&plan).await
}
