//! Busy connections of the service's pool, as PostgreSQL sees them.

use std::time::Duration;

use tokio::{sync::oneshot, task::JoinHandle, time::interval};

use crate::{load::float, machine::connect};

/// Interval between two looks.
const LOOK: Duration = Duration::from_millis(25);

/// Counts busy connections, including those that are in a transaction and run nothing.
const BUSY: &str = "
    SELECT count(*) FROM pg_stat_activity WHERE application_name = 'messaging-service' AND state <> 'idle'";

/// A task that polls the pool.
pub(super) struct PoolWatch {
    stop: oneshot::Sender<()>,
    looks: JoinHandle<anyhow::Result<Vec<u32>>>,
}

/// Numbers of busy connections, one for each look.
pub(super) struct Busy {
    /// Mean number of busy connections.
    pub(super) mean: f64,
    looks: Vec<u32>,
}

impl PoolWatch {
    pub(super) async fn start(database_url: &str) -> anyhow::Result<Self> {
        let client = connect(database_url).await?;
        let statement = client.prepare(BUSY).await?;
        let (stop, mut stopped) = oneshot::channel();
        let looks = tokio::spawn(async move {
            let mut looks = Vec::new();
            let mut turns = interval(LOOK);
            while stopped.try_recv().is_err() {
                turns.tick().await;
                let busy: i64 = client.query_one(&statement, &[]).await?.get(0);
                looks.push(u32::try_from(busy)?);
            }
            Ok(looks)
        });
        Ok(Self { stop, looks })
    }

    pub(super) async fn stop(self) -> anyhow::Result<Busy> {
        let _ = self.stop.send(());
        let looks = self.looks.await??;
        let sum: u64 = looks.iter().map(|busy| u64::from(*busy)).sum();
        Ok(Busy { mean: float(sum) / float(count(looks.len())), looks })
    }
}

impl Busy {
    /// Returns the share of looks at which a pool of this size had no free connection.
    pub(super) fn full(&self, pool: u32) -> f64 {
        let full = self.looks.iter().filter(|busy| **busy >= pool).count();
        float(count(full)) / float(count(self.looks.len()))
    }
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
