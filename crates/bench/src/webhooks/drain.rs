//! The service, started on a committed backlog.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::{seed::Seed, sink::Sink};
use crate::{
    load::float,
    machine::{Service, resident_mib},
    say::say,
    world::World,
};

/// Interval between two looks at the memory and the queue.
const LOOK: Duration = Duration::from_millis(50);

pub(super) struct Drain<'a> {
    pub(super) world: &'a World,
    pub(super) sink: &'a Sink,
    /// Number of deliveries; if the backlog has more, the rest stays.
    pub(super) count: u64,
}

pub(super) struct Drained {
    /// Deliveries per second, from the start of the process until they were recorded.
    pub(super) rate: f64,
    /// CPU time of the service per delivery, in milliseconds.
    pub(super) server: f64,
    pub(super) postgres: f64,
    /// Highest memory of the process that was seen, in MiB.
    pub(super) resident: f64,
}

impl Drain<'_> {
    pub(super) async fn run(&self, seed: &Seed<'_>) -> anyhow::Result<Drained> {
        let queued = seed.queued().await?;
        say(&format!("delivering {} of {queued}", self.count));
        self.sink.forget();
        let before = self.world.postgres.usage()?;
        let started = Instant::now();
        let service = Service::start(&self.world.settings).await?;
        let (mut resident, mut looked) = (0.0_f64, Instant::now());
        let look = || {
            if looked.elapsed() >= LOOK {
                resident = resident.max(resident_mib(service.process())?);
                looked = Instant::now();
            }
            anyhow::Ok(())
        };
        self.sink.came(self.count, look).await?;
        let mut delivered = self.sink.deliveries();
        let mut ended = Instant::now();
        // A part of a backlog may end anywhere; a whole one ends when its last attempt is recorded.
        while queued <= self.count && seed.queued().await? > 0 {
            sleep(LOOK).await;
            ended = Instant::now();
            delivered = queued;
        }
        let server = service.usage()?.since_per(crate::machine::Usage::default(), delivered);
        let postgres = self.world.postgres.usage()?.since_per(before, delivered);
        let rate = float(delivered) / ended.duration_since(started).as_secs_f64();
        Ok(Drained { rate, server, postgres, resident })
    }
}
