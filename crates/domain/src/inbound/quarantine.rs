//! Quarantine of posts and updates that could not be parsed or handled: an operator inspects, replays and
//! discards them.

use std::sync::Arc;

use super::{
    ports::Quarantine,
    quarantined::{Quarantined, QuarantinedItem},
    receive::{Post, ReceiveUpdates},
};
use crate::errors::StoreError;

/// Items listed together while all are replayed.
const PAGE: u32 = 100;

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
            Some(QuarantinedItem::Post { webhook, payload }) => match self.receive.webhook(&webhook) {
                Some(webhook) => self.receive.read(webhook, &payload).await?,
                None => Post { unreadable: Some(format!("no webhook `{webhook}` here")), ..Post::default() },
            },
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
