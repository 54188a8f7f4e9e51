//! What could not be read or handled, for an operator to look over, replay and drop.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{JournalEntry, ReceiveUpdates, ports::Quarantine, receive::Post};
use crate::{channels::ChannelKind, errors::StoreError, ids::WorkspaceId};

/// How many are looked at together while all are replayed.
const PAGE: u32 = 100;

/// Something in the quarantine, from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Its number; a later one came here later.
    pub id: i64,
    /// The network that it came from; `None` where it does not say so, and for what an older release kept.
    pub network: Option<ChannelKind>,
    /// Whose update it is; `None` for a whole post.
    pub workspace: Option<WorkspaceId>,
    /// Why it is here, without quoting it.
    pub reason: String,
    /// When the network posted it.
    pub received_at: OffsetDateTime,
    /// Its size as it is kept.
    pub bytes: u64,
}

/// Something in the quarantine, opened. It does not print: it holds what people write.
pub enum QuarantinedItem {
    /// A post, all or a part of which could not be read. Its signature was checked before it was kept.
    Post(Vec<u8>),
    /// An update that was tried often enough, as if it had not been tried.
    Update(Box<JournalEntry>),
    /// It cannot be opened, for this reason: its key is missing, or it is spoiled.
    Sealed(String),
}

/// What became of something that was replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Updates that went to the journal.
    pub journaled: usize,
    /// Updates that are not ours or of no use here.
    pub passed_over: usize,
    /// Why it stays in the quarantine; `None` when it has left.
    pub stays: Option<String>,
}

/// Looks over, replays and drops what is in the quarantine.
pub struct ManageQuarantine {
    /// The quarantine.
    pub quarantine: Arc<dyn Quarantine>,
    /// Reads kept posts like fresh ones.
    pub receive: Arc<ReceiveUpdates>,
}

impl ManageQuarantine {
    /// Up to `limit` that came here after the one with the number `after`, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
        self.quarantine.list(after, limit).await
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
