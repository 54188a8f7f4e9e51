//! Common dependencies of the use cases, and the check of the keys.

use std::{sync::Arc, time::Duration};

use adapter_postgres::{Database, DatabaseClock, PoolConfig, Stores};
use adapter_vault::RingVault;
use anyhow::Context;
use domain::{
    clock::Clock,
    deps::Deps,
    ids::IdSource,
    inbound::ports::{NetworkWebhook, UpdateSignals},
    signals::Signals,
    vault::{CheckKeys, CheckKeysError, KeysFound, Vault},
};
use tls_trust::Trust;

use super::TellLater;
use crate::{
    config::{Source, StoreConfig},
    system::SystemIds,
};

/// Longest wait of a request for a database connection.
const POOL_WAIT: Duration = Duration::from_secs(5);

/// Common dependencies of the use cases.
#[derive(Clone)]
pub struct Foundation {
    pub stores: Stores,
    pub vault: Arc<dyn Vault>,
    /// Clock, ids, and signals that wake nobody unless [`Self::waking`] set them.
    pub deps: Deps,
    /// Wakes nobody unless [`Self::waking`] set it.
    pub update_signals: Arc<dyn UpdateSignals>,
    /// Webhooks of networks beside Meta's.
    pub webhooks: Vec<Arc<dyn NetworkWebhook>>,
    pub trust: Trust,
    /// The clock of `deps`, where it is the database's.
    pub database_clock: Option<Arc<DatabaseClock>>,
}

impl Foundation {
    /// Opens the store. The time is the database's from [`Self::ready`] on; `machine` tells it before.
    pub fn open(config: &StoreConfig, machine: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let clock = Arc::new(DatabaseClock::over(machine));
        Ok(Self { database_clock: Some(Arc::clone(&clock)), ..Self::open_by(config, clock)? })
    }

    /// Opens the store, with a clock that knows nothing of the database's.
    pub fn open_by(config: &StoreConfig, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let vault: Arc<dyn Vault> = Arc::new(RingVault::new(&config.keys)?);
        let ids: Arc<dyn IdSource> = Arc::new(SystemIds::by(Arc::clone(&clock)));
        let pool = PoolConfig {
            url: config.database_url.clone(),
            trust: config.trust.clone(),
            size: config.pool_size,
            wait: POOL_WAIT,
        };
        let database = Database::new(&pool, Arc::clone(&vault), Arc::clone(&ids))
            .context("the database cannot be reached by MESSAGING_DATABASE_URL")?;
        let signals = Arc::new(TellLater::default());
        let deps = Deps { clock, ids, signals: signals.clone() };
        Ok(Self {
            stores: Stores::over(database),
            vault,
            deps,
            update_signals: signals,
            webhooks: Vec::new(),
            trust: config.trust.clone(),
            database_clock: None,
        })
    }

    /// Returns the same with use cases that wake `signals`.
    #[must_use]
    pub fn waking<S: Signals + UpdateSignals + 'static>(&self, signals: Arc<S>) -> Self {
        let deps = Deps { signals: signals.clone(), ..self.deps.clone() };
        Self { deps, update_signals: signals, ..self.clone() }
    }

    /// Checks that the database answers and has this version's schema. From then on its clock counts.
    pub async fn ready(&self) -> anyhow::Result<()> {
        let ready = async {
            self.stores.database.ready().await?;
            match &self.database_clock {
                Some(clock) => clock.measure(&self.stores.database).await,
                None => Ok(()),
            }
        };
        ready.await.context("the database is not ready")
    }

    /// Checks the schema, and how far the keys are known to be the database's.
    ///
    /// # Errors
    /// What is wrong with the schema, or with a key by its setting.
    pub async fn check(&self, source: &Source) -> anyhow::Result<KeysFound> {
        self.ready().await?;
        match self.check_keys().run().await {
            Ok(found) => Ok(found),
            Err(CheckKeysError::Wrong(wrong)) => Err(source.wrong_key(wrong).into()),
            Err(error) => Err(error).context("the keys cannot be checked"),
        }
    }

    pub fn check_keys(&self) -> CheckKeys {
        CheckKeys { probes: self.stores.sealed_values.clone(), vault: self.vault.clone() }
    }
}
