//! What could not be read or handled, for an operator to look over, replay and drop.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{JournalEntry, ReceiveUpdates, ports::Quarantine, receive::Post};
use crate::{channels::ChannelKind, errors::StoreError, ids::WorkspaceId};

/// So many are looked at together while all are replayed.
const PAGE: u32 = 100;

/// It is in the quarantine, and is shown from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// A later one has a higher number.
    pub id: i64,
    pub network: Option<ChannelKind>,
    /// It is `None` for a whole post.
    pub workspace: Option<WorkspaceId>,
    /// It says why it is here, without quoting it.
    pub reason: String,
    /// The network posted it then.
    pub received_at: OffsetDateTime,
    /// It has so many bytes as it is kept.
    pub bytes: u64,
}

/// It is something in the quarantine, opened. It does not print: it holds what people write.
pub enum QuarantinedItem {
    /// It is a post, all or a part of which could not be read. Its signature was checked before it was kept.
    Post(Vec<u8>),
    /// It is an update that was tried often enough, as if it had not been tried.
    Update(Box<JournalEntry>),
    /// It cannot be opened, for this reason: its key is missing, or it is spoiled.
    Sealed(String),
}

/// It says what became of something that was replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// So many updates went to the journal.
    pub journaled: usize,
    /// So many updates are not ours or of no use here.
    pub passed_over: usize,
    /// It says why it stays in the quarantine; `None` when it has left.
    pub stays: Option<String>,
}

/// It looks over, replays and drops what is in the quarantine.
pub struct ManageQuarantine {
    pub quarantine: Arc<dyn Quarantine>,
    /// It reads kept posts like fresh ones.
    pub receive: Arc<ReceiveUpdates>,
}

impl ManageQuarantine {
    /// Returns up to `limit` that came here after the one with the number `after`, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
        self.quarantine.list(after, limit).await
    }

    /// Counts what is there.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn size(&self) -> Result<u64, StoreError> {
        self.quarantine.size().await
    }

    /// Reads a kept post again and journals what it says, or puts an update back into the journal. What was
    /// handled before is handled once all the same. `None` when it is not there.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Replays everything, oldest first, each in a transaction of its own, and tells how many it was after each.
    ///
    /// # Errors
    /// Those of the store; what was replayed before stays so.
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

    /// Throws it away for good; `false` when it is not there.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn discard(&self, id: i64) -> Result<bool, StoreError> {
        self.quarantine.discard(id).await
    }
}
