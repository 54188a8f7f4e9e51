//! How many of the service's connections are busy, as PostgreSQL sees it.

use std::time::Duration;

use tokio::{sync::oneshot, task::JoinHandle, time::interval};

use crate::{load::float, machine::connect};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// One that is in a transaction is busy even while it runs nothing.
const BUSY: &str = "
    SELECT count(*) FROM pg_stat_activity WHERE application_name = 'messaging-service' AND state <> 'idle'";

/// Looks from time to time.
pub(super) struct PoolWatch {
    stop: oneshot::Sender<()>,
    looks: JoinHandle<anyhow::Result<Vec<u32>>>,
}

/// What was seen.
pub(super) struct Busy {
    /// Connections that were busy, over all looks.
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
    /// The share of looks at which a pool of this size had none free.
    pub(super) fn full(&self, pool: u32) -> f64 {
        let full = self.looks.iter().filter(|busy| **busy >= pool).count();
        float(count(full)) / float(count(self.looks.len()))
    }
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
