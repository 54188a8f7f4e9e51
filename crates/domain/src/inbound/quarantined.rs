//! Posts and updates that were set aside.

use time::OffsetDateTime;

use super::JournalEntry;
use crate::{channels::ChannelKind, ids::WorkspaceId};

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
    Post {
        /// Name of the webhook that it came by.
        webhook: String,
        payload: Vec<u8>,
    },
    /// An update whose attempts were used up, with its attempts back at 0.
    Update(Box<JournalEntry>),
    /// An item that cannot be opened, for this reason: its key is missing, or it is corrupt.
    Sealed(String),
}
