//! Quarantine of posts and updates that could not be parsed or handled: an operator inspects, replays and
//! discards them.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{JournalEntry, ReceiveUpdates, ports::Quarantine, receive::Post};
use crate::{channels::ChannelKind, errors::StoreError, ids::WorkspaceId};

/// Items listed together while all are replayed.
const PAGE: u32 = 100;

/// Summary of an item in the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Ascending number: a later item has a higher one.
    pub id: i64,
    pub network: Option<ChannelKind>,
    /// `None` for a whole post.
    pub workspace: Option<WorkspaceId>,
    /// Reason why it is here, quoting nothing of it.
    pub reason: String,
    pub received_at: OffsetDateTime,
    /// Size as stored.
    pub bytes: u64,
}

/// An opened item. Without `Debug`, since it holds what people write.
pub enum QuarantinedItem {
    /// A post, all or part of which could not be parsed; its signature was checked before it was stored.
    Post(Vec<u8>),
    /// An update whose attempts were used up, with its attempts back at 0.
    Update(Box<JournalEntry>),
    /// An item that cannot be opened, for this reason: its key is missing, or it is corrupt.
    Sealed(String),
}

/// Outcome of replaying an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    pub journaled: usize,
    /// Number of updates that are not ours or of no use here.
    pub passed_over: usize,
    /// Reason why the item stays in the quarantine; `None` if it has left.
    pub stays: Option<String>,
}

/// Operator's access to the quarantine.
pub struct ManageQuarantine {
    pub quarantine: Arc<dyn Quarantine>,
    pub receive: Arc<ReceiveUpdates>,
}

impl ManageQuarantine {
    /// Lists up to `limit` items with numbers above `after`, oldest first.
    pub async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
        self.quarantine.list(after, limit).await
    }

    /// Returns the number of items.
    pub async fn size(&self) -> Result<u64, StoreError> {
        self.quarantine.size().await
    }

    /// Parses a stored post again and journals its updates, or puts an update back into the journal; `None`
    /// if the item is not there. What was handled before is not handled twice.
    pub async fn replay(&self, id: i64) -> Result<Option<Replayed>, StoreError> {
        let post = match self.quarantine.open(id).await? {
            None => return Ok(None),
            Some(QuarantinedItem::Post(raw)) => self.receive.read(&raw).await?,
            Some(QuarantinedItem::Update(entry)) => Post { entries: vec![*entry], ..Post::default() },
            Some(QuarantinedItem::Sealed(reason)) => Post { unreadable: Some(reason), ..Post::default() },
        };
        if !self.quarantine.replay(id, &post.entries, post.unreadable.clone()).await? {
            return Ok(None);
        }
        self.receive.wake(&post.entries);
        let Post { entries, passed_over, unreadable, .. } = post;
        Ok(Some(Replayed { journaled: entries.len(), passed_over, stays: unreadable }))
    }

    /// Replays everything, oldest first, each item in a transaction of its own, and reports the number of
    /// items done after each.
    ///
    /// # Errors
    /// On an error of the store, what was replayed before stays replayed.
    pub async fn replay_all(&self, mut tell: impl FnMut(usize)) -> Result<Vec<(i64, Replayed)>, StoreError> {
        let mut done = Vec::new();
        let mut after = 0;
        loop {
            let page = self.list(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(done) };
            after = last.id;
            for kept in page {
                done.extend(self.replay(kept.id).await?.map(|replayed| (kept.id, replayed)));
                tell(done.len());
            }
        }
    }

    /// Deletes an item for good; `false` if it is not there.
    pub async fn discard(&self, id: i64) -> Result<bool, StoreError> {
        self.quarantine.discard(id).await
    }
}
