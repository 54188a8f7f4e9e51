//! Webhook addresses and their backlogs, written past the service. Only `seed.sql` knows its tables.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use anyhow::Context;
use data_encoding::HEXLOWER;
use domain::vault::SealContext;
use time::OffsetDateTime;
use tokio::time::sleep;
use tokio_postgres::{Client, binary_copy::BinaryCopyInWriter, types::Type};
use uuid::{Builder, Uuid};

use super::{
    bodies::{EVENT, body},
    sink::Sink,
};
use crate::{say::done, world::World};

/// Most addresses of one workspace (docs/use/webhooks.md, "Register an address").
const OF_ONE_WORKSPACE: usize = 10;
/// Deliveries committed together.
const BATCH: u64 = 50_000;

/// Polling interval while waiting for the log's days.
const LOOK: Duration = Duration::from_millis(50);

/// The statements, each behind a line that names it.
const STATEMENTS: &str = include_str!("seed.sql");

/// Writer of addresses and deliveries.
pub(super) struct Seed<'a> {
    world: &'a World,
}

pub(super) struct Addresses(Vec<(Uuid, Uuid)>);

impl Addresses {
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

impl<'a> Seed<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        Self { world }
    }

    fn client(&self) -> &Client {
        &self.world.database
    }

    async fn run(&self, name: &str) -> anyhow::Result<()> {
        self.client().batch_execute(statement(name)?).await.with_context(|| format!("seeding: {name}"))
    }

    /// Creates addresses, each a host of its own, ten to a workspace.
    pub(super) async fn addresses(&self, sink: &Sink, count: u16) -> anyhow::Result<Addresses> {
        let mut addresses = Vec::new();
        let mut workspace = Uuid::nil();
        for number in 0..count {
            if addresses.len() % OF_ONE_WORKSPACE == 0 {
                workspace = new_id();
                self.client().execute(statement("workspace")?, &[&workspace]).await?;
            }
            addresses.push((workspace, self.address(workspace, &sink.url(number)).await?));
        }
        Ok(Addresses(addresses))
    }

    /// Creates addresses of one new workspace, more than it may have.
    pub(super) async fn hostile(&self, urls: impl Iterator<Item = String>) -> anyhow::Result<Addresses> {
        let workspace = new_id();
        self.client().execute(statement("workspace")?, &[&workspace]).await?;
        let mut addresses = Vec::new();
        for url in urls {
            addresses.push((workspace, self.address(workspace, &url).await?));
        }
        Ok(Addresses(addresses))
    }

    async fn address(&self, workspace: Uuid, url: &str) -> anyhow::Result<Uuid> {
        let id = new_id();
        let secret = format!("whsec_{}", HEXLOWER.encode(&[7; 32]));
        let sealed = self.world.seal(
            secret.as_bytes(),
            &SealContext::new("webhook_addresses.secret_sealed", workspace.into(), id, ""),
        )?;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&workspace, &id, &url, &EVENT, &sealed];
        self.client().execute(statement("address")?, &values).await?;
        Ok(id)
    }

    /// Lists the milliseconds of each recorded attempt at these addresses.
    pub(super) async fn durations(&self, addresses: &Addresses) -> anyhow::Result<Vec<i64>> {
        let workspaces: Vec<Uuid> = addresses.0.iter().map(|(workspace, _)| *workspace).collect();
        let rows = self.client().query(statement("durations")?, &[&workspaces]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Empties the queue.
    pub(super) async fn owe_nothing(&self) -> anyhow::Result<()> {
        self.run("owe nothing").await
    }

    /// Writes due deliveries to the addresses in turn, their bodies sealed as the service seals them.
    pub(super) async fn backlog(&self, addresses: &Addresses, count: u64) -> anyhow::Result<()> {
        let started = Instant::now();
        self.run("staging").await?;
        let mut left = count;
        let mut turn = addresses.0.iter().cycle();
        while left > 0 {
            let batch = left.min(BATCH);
            self.stage(turn.by_ref().take(usize::try_from(batch)?)).await?;
            self.run("owe").await?;
            left -= batch;
        }
        self.settle().await?;
        done(&format!("{count} deliveries owed"), started);
        Ok(())
    }

    async fn stage<'b>(&self, addresses: impl Iterator<Item = &'b (Uuid, Uuid)>) -> anyhow::Result<()> {
        let sink = self.client().copy_in(statement("copy")?).await?;
        let types = [Type::UUID, Type::UUID, Type::UUID, Type::TEXT, Type::BYTEA, Type::TIMESTAMPTZ];
        let mut rows = pin!(BinaryCopyInWriter::new(sink, &types));
        for (workspace, address) in addresses {
            let (id, now) = (new_id(), now());
            let body = body(id, *workspace, now)?;
            let sealed = self.world.seal(
                body.as_bytes(),
                &SealContext::new("delivery_log.body_sealed", (*workspace).into(), id, ""),
            )?;
            rows.as_mut().write(&[workspace, &id, address, &EVENT, &sealed, &now]).await?;
        }
        rows.finish().await?;
        Ok(())
    }

    /// Writes deliveries of today that were already made. Nobody reads their bodies, which are short
    /// placeholders.
    pub(super) async fn history(&self, addresses: &Addresses, count: i64) -> anyhow::Result<()> {
        let started = Instant::now();
        let (workspaces, ids): (Vec<Uuid>, Vec<Uuid>) = addresses.0.iter().copied().unzip();
        self.client().execute(statement("history")?, &[&workspaces, &ids, &count, &EVENT]).await?;
        self.settle().await?;
        done(&format!("{count} deliveries behind"), started);
        Ok(())
    }

    /// Does the work of autovacuum and of the next checkpoint, so that they do not run while something is
    /// measured.
    async fn settle(&self) -> anyhow::Result<()> {
        for statement in ["vacuum queue", "vacuum log", "checkpoint"] {
            self.run(statement).await?;
        }
        Ok(())
    }

    /// Waits until the running service has created the log's days.
    pub(super) async fn days(&self) -> anyhow::Result<()> {
        while !self.client().query_one(statement("has_days")?, &[]).await?.get::<_, bool>(0) {
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Counts the deliveries in the queue.
    pub(super) async fn queued(&self) -> anyhow::Result<u64> {
        let queued: i64 = self.client().query_one(statement("queued")?, &[]).await?.get(0);
        Ok(u64::try_from(queued)?)
    }

    /// Empties the queue and the log.
    pub(super) async fn forget(&self) -> anyhow::Result<()> {
        self.run("forget").await
    }
}

fn statement(name: &str) -> anyhow::Result<&'static str> {
    let (_, rest) = STATEMENTS.split_once(&format!("-- {name}\n")).with_context(|| format!("no {name}"))?;
    Ok(rest.split("\n-- ").next().unwrap_or(rest))
}

fn now() -> OffsetDateTime {
    #[expect(clippy::disallowed_methods, reason = "what is owed is due now, by the service's own clock")]
    let now = OffsetDateTime::now_utc();
    now
}

/// Returns ids in the order of their creation, as the service's are.
fn new_id() -> Uuid {
    #[expect(clippy::disallowed_methods, reason = "ten random bytes")]
    let random = Uuid::new_v4().into_bytes();
    let millis = u64::try_from(now().unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    let mut tail = [0; 10];
    tail.copy_from_slice(random.get(6..).unwrap_or(&[0; 10]));
    Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
}
