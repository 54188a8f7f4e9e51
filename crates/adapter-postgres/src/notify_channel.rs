//! Notifications between nodes about workspaces with due deliveries or journaled updates, sent after the
//! commit.
//!
//! On a connection of its own: a NOTIFY inside the transaction of a change would make every commit wait for
//! the flushes of all others.

use std::{
    collections::HashSet,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use diesel::ConnectionError;
use domain::{errors::StoreError, ids::WorkspaceId};
use tokio::{sync::Notify, time::sleep};
use tokio_postgres::Client;

use crate::{
    Database,
    connect::Address,
    error::failed,
    sql::{RunQueryDsl, bare, pg_notify},
};

const CHANNEL: &str = "webhook_deliveries_due";
/// Channel of updates that were journaled for another node.
const JOURNALED: &str = "updates_journaled";
/// Most workspaces in one notification, whose text is limited to 8,000 bytes.
const NAMED_AT_ONCE: usize = 200;
/// Time in which further notices are gathered for the next notification.
const GATHER: Duration = Duration::from_millis(50);
/// First pause after a lost connection; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const NOTIFY: &str = "SELECT pg_notify(:channel, :text)";

/// Receiver of workspaces in which another node has committed something.
pub type Heard = Arc<dyn Fn(WorkspaceId) + Send + Sync>;

/// Notifications to and from other nodes.
pub struct PgNotifyChannel {
    address: Address,
    /// Prefix of this node's own notifications, which it ignores.
    node: String,
    told: Mutex<Told>,
    wake: Notify,
}

#[derive(Default)]
struct Told {
    deliveries: HashSet<WorkspaceId>,
    journaled: HashSet<WorkspaceId>,
}

type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

impl PgNotifyChannel {
    pub(crate) fn new(address: Address, node: String) -> Self {
        Self { address, node, told: Mutex::default(), wake: Notify::new() }
    }

    /// Tells other nodes of due deliveries, without blocking. Calls are gathered until the next notification.
    pub fn tell(&self, workspace: WorkspaceId) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).deliveries.insert(workspace);
        self.wake.notify_one();
    }

    /// Tells other nodes of a workspace's journaled updates, like [`tell`](Self::tell).
    pub fn tell_of_updates(&self, workspace: WorkspaceId) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).journaled.insert(workspace);
        self.wake.notify_one();
    }

    /// Sends notifications, and hands those of others to `heard` (deliveries) and `journaled` (updates),
    /// until it is dropped. Reconnects after a lost connection; scans find what is missed meanwhile.
    pub async fn run(&self, heard: Option<Heard>, journaled: Option<Heard>) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.connected(heard.clone(), journaled.clone()).await {
                Ok((client, driver)) => {
                    pause = FIRST_PAUSE;
                    tokio::select! {
                        () = driver => tracing::warn!("the connection that wakes other nodes is lost"),
                        () = self.tell_others(&client) => {}
                    }
                }
                Err(error) => tracing::warn!(%error, "other nodes cannot be woken"),
            }
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    async fn connected(
        &self,
        heard: Option<Heard>,
        journaled: Option<Heard>,
    ) -> Result<(Client, Driver), ConnectionError> {
        let listen = |channel: &str, heard: &Option<Heard>| match heard {
            Some(_) => format!("; LISTEN {channel}"),
            None => String::new(),
        };
        let listen = listen(CHANNEL, &heard) + &listen(JOURNALED, &journaled);
        let node = self.node.clone();
        let hear = move |channel: &str, text: &str| {
            let heard = if channel == JOURNALED { &journaled } else { &heard };
            let (Some(heard), Some((from, ids))) = (heard, text.split_once(':')) else { return };
            if from != node {
                ids.split(',').filter_map(|id| id.parse().ok()).for_each(|workspace| heard(workspace));
            }
        };
        let (client, mut driver) = self.address.session(hear).await?;
        // Scans find anything that a notification lost in a crash was about.
        let setup = format!("SET synchronous_commit = off{listen}");
        tokio::select! {
            () = &mut driver => Err(ConnectionError::BadConnection("it broke at once".to_owned())),
            begun = client.batch_execute(&setup) => {
                begun.map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
                Ok((client, driver))
            }
        }
    }

    async fn tell_others(&self, client: &Client) {
        loop {
            self.wake.notified().await;
            for (channel, text) in self.take() {
                let (notify, values) = bare(NOTIFY, &[("channel", &channel), ("text", &text)]);
                if client.execute(notify.as_str(), &values).await.is_err() {
                    return;
                }
            }
            sleep(GATHER).await;
        }
    }

    fn take(&self) -> Vec<(&'static str, String)> {
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        let of = |channel, ids| texts(&self.node, ids).into_iter().map(move |text| (channel, text));
        of(CHANNEL, &told.deliveries).chain(of(JOURNALED, &told.journaled)).collect()
    }
}

impl Database {
    /// Returns the channel of this database.
    pub fn notify_channel(&self) -> PgNotifyChannel {
        PgNotifyChannel::new(self.address.clone(), self.ids.next().to_string())
    }

    /// Tells all nodes of due deliveries at once, before this process ends.
    pub async fn tell(&self, workspaces: &HashSet<WorkspaceId>) -> Result<(), StoreError> {
        if workspaces.is_empty() {
            return Ok(());
        }
        let mut connection = self.connection().await?;
        for text in texts("", workspaces) {
            let notify = diesel::select(pg_notify(CHANNEL, text));
            notify.execute(&mut connection).await.map_err(failed)?;
        }
        Ok(())
    }
}

fn texts(node: &str, workspaces: &HashSet<WorkspaceId>) -> Vec<String> {
    let ids: Vec<String> = workspaces.iter().map(ToString::to_string).collect();
    ids.chunks(NAMED_AT_ONCE).map(|ids| format!("{node}:{}", ids.join(","))).collect()
}
