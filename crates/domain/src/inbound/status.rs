//! Applying a status to the message it is about.

use std::sync::Arc;

use super::{StatusUpdate, ports::SentMessages};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::{Announcement, NetworkMessageId, Progress},
    sending::{LedgerEntry, Recorder, SendState},
    signals::Signals,
    webhooks::{Customer, Event},
};

/// How often a lost race is decided again.
const TRIES: usize = 8;

/// A send, and the person it went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The ledger's row.
    pub entry: LedgerEntry,
    /// The person; `None` for what is kept nowhere.
    pub customer: Option<Customer>,
}

/// A status taken in.
#[derive(Debug, Clone)]
pub struct StatusChange {
    /// Whose message it is.
    pub workspace: WorkspaceId,
    /// The message.
    pub id: MessageId,
    /// Where it was when this was decided: the guard.
    pub before: Progress,
    /// Where it is now.
    pub after: Progress,
    /// Why it failed; `None` for what is kept nowhere.
    pub kept_error: Option<String>,
    /// What is announced.
    pub events: Vec<Event>,
}

/// What became of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It is taken in, or there was nothing to take in.
    Done,
    /// It may be about a send whose answer is still being written down: ask again later.
    Early,
    /// It is about no message of ours.
    Foreign,
}

/// Applies statuses.
pub struct ApplyStatus {
    /// Sent messages.
    pub messages: Arc<dyn SentMessages>,
    /// Settles a send whose answer never came.
    pub recorder: Arc<Recorder>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// To wake the sender of webhooks.
    pub signals: Arc<dyn Signals>,
}

impl ApplyStatus {
    /// Takes in one status. A send that is still in flight is settled first: any status proves that the
    /// network took it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId, status: &StatusUpdate) -> Result<Applied, StoreError> {
        for _ in 1..TRIES {
            match self.try_once(workspace, status).await {
                Err(StoreError::Stale) => {}
                applied => return applied,
            }
        }
        self.try_once(workspace, status).await
    }

    async fn try_once(&self, workspace: WorkspaceId, status: &StatusUpdate) -> Result<Applied, StoreError> {
        let tag = status.tag.as_deref().and_then(|tag| tag.parse::<MessageId>().ok());
        let Some(mut found) = self.messages.find(workspace, tag, &status.network_id).await? else {
            return Ok(if tag.is_some() { Applied::Foreign } else { Applied::Early });
        };
        if found.entry.state == SendState::InFlight {
            let settled = self.recorder.run(&found.entry.intent, &status.network_id).await?;
            let again = self.messages.find(workspace, tag, &status.network_id).await?;
            let (Some(_), Some(again)) = (settled, again) else { return Ok(Applied::Foreign) };
            found = again;
        }
        if found.entry.state == SendState::Refused {
            return Ok(Applied::Done);
        }
        let (after, announcement) = found.entry.progress.advance(status.status, status.at);
        if announcement == Announcement::Nothing {
            return Ok(Applied::Done);
        }
        let announced = announcement == Announcement::Announced;
        let change = StatusChange {
            workspace,
            id: found.entry.intent.id,
            before: found.entry.progress,
            after,
            kept_error: status.error.clone().filter(|_| found.customer.is_some()),
            events: announced.then(|| self.event(&found, status, &status.network_id)).into_iter().collect(),
        };
        self.messages.commit(&change).await?;
        if announced {
            self.signals.deliveries_due(workspace);
        }
        Ok(Applied::Done)
    }

    fn event(&self, found: &SentMessage, status: &StatusUpdate, network_id: &NetworkMessageId) -> Event {
        Event::message_status(found, status, network_id, self.clock.now())
    }
}
