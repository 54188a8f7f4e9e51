//! State that every route shares: the world, the faults, the log, and the runtime that posts webhooks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use url::Url;

use crate::chats::Chats;
use crate::config::Config;
use crate::error::Error;
use crate::faults::FaultSet;
use crate::files::Files;
use crate::ids::Ids;
use crate::log::Log;
use crate::posts::{Batch, Pending, Poster};
use crate::world::World;

/// State of the simulator. A lock is never held across an await.
pub(crate) struct Core {
    pub(crate) config: Config,
    pub(crate) base_url: Url,
    pub(crate) ids: Ids,
    pub(crate) poster: Poster,
    world: Mutex<World>,
    faults: Mutex<FaultSet>,
    log: Mutex<Log>,
    files: Mutex<Files>,
    chats: Mutex<Chats>,
    batch: Mutex<Batch>,
    callback: Mutex<Option<Url>>,
    retries: Mutex<Vec<Duration>>,
    runtime: Handle,
    pending: watch::Sender<usize>,
    unanswered: watch::Sender<usize>,
}

impl Core {
    pub(crate) fn new(config: Config, base_url: Url, seed: u64, runtime: Handle) -> Result<Self, Error> {
        let ids = Ids::new(seed);
        let world = World::new(&config.accounts, &config.pages, &ids).map_err(Error::Invalid)?;
        if let Some(url) = &config.webhook_url {
            check_callback(url)?;
        }
        Ok(Self {
            poster: Poster::new(&config)?,
            world: Mutex::new(world),
            faults: Mutex::default(),
            log: Mutex::new(Log::new(config.keep)),
            files: Mutex::new(Files::new(config.keep)),
            chats: Mutex::new(Chats::new(config.keep)),
            batch: Mutex::default(),
            callback: Mutex::new(config.webhook_url.clone()),
            retries: Mutex::new(config.webhook_retries.clone()),
            pending: watch::Sender::new(0),
            unanswered: watch::Sender::new(0),
            config,
            base_url,
            ids,
            runtime,
        })
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultSet> {
        lock(&self.faults)
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    pub(crate) fn files(&self) -> MutexGuard<'_, Files> {
        lock(&self.files)
    }

    pub(crate) fn chats(&self) -> MutexGuard<'_, Chats> {
        lock(&self.chats)
    }

    pub(crate) fn batch(&self) -> MutexGuard<'_, Batch> {
        lock(&self.batch)
    }

    pub(crate) fn set_callback(&self, url: Option<Url>) -> Result<(), Error> {
        if let Some(url) = &url {
            check_callback(url)?;
        }
        *lock(&self.callback) = url;
        Ok(())
    }

    /// Returns the callback of an account's or a page's webhooks of a field; `None` if nobody is to get them.
    pub(crate) fn callback(&self, owner_id: &str, field: &str) -> Option<Url> {
        let own = {
            let world = self.world();
            match world.page(owner_id) {
                Some(page) => {
                    page.subscription.as_ref().filter(|fields| fields.hold(field))?;
                    None
                }
                None => world.account(owner_id)?.subscription.clone()?.callback,
            }
        };
        own.or_else(|| self.app_callback())
    }

    pub(crate) fn set_retries(&self, pauses: Vec<Duration>) {
        *lock(&self.retries) = pauses;
    }

    /// Returns the pauses before the 2nd, 3rd … attempt at a webhook.
    pub(crate) fn retries(&self) -> Vec<Duration> {
        lock(&self.retries).clone()
    }

    /// Returns the callback for the webhooks of every account without an own one.
    pub(crate) fn app_callback(&self) -> Option<Url> {
        lock(&self.callback).clone()
    }

    /// Resets everything but the callback to the start.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        let world =
            World::new(&self.config.accounts, &self.config.pages, &self.ids).map_err(Error::Invalid)?;
        *self.world() = world;
        *self.faults() = FaultSet::default();
        *self.log() = Log::new(self.config.keep);
        *self.files() = Files::new(self.config.keep);
        *self.chats() = Chats::new(self.config.keep);
        *self.batch() = Batch::default();
        Ok(())
    }

    /// Runs a task on the runtime that posts the webhooks, even if the caller goes away.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.runtime.spawn(task)
    }

    /// Marks something that will be posted.
    pub(crate) fn begin_pending(&self) -> Pending {
        Pending::begin(&self.pending)
    }

    /// Marks a webhook that was posted and not accepted yet.
    pub(crate) fn await_answer(&self) -> Pending {
        Pending::begin(&self.unanswered)
    }

    /// Waits until nothing is pending and every webhook was answered with 200 or given up.
    pub(crate) async fn acknowledged(self: &Arc<Self>) {
        self.settled().await;
        let mut unanswered = self.unanswered.subscribe();
        let _closed = unanswered.wait_for(|waiting| *waiting == 0).await.is_err();
    }

    /// Waits until nothing is pending: every status has had its first attempt.
    pub(crate) async fn settled(self: &Arc<Self>) {
        // The sender lives in `self`: waiting cannot fail.
        let mut pending = self.pending.subscribe();
        let _closed = pending.wait_for(|pending| *pending == 0).await.is_err();
    }
}

/// Checks that a callback is plain HTTP: the simulator trusts no certificate.
pub(crate) fn check_callback(url: &Url) -> Result<(), Error> {
    if url.scheme() == "http" && url.has_host() {
        return Ok(());
    }
    Err(Error::invalid(format!("the callback must be an http URL, not {url}")))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
