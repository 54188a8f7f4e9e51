//! How far a member has read a conversation.

use time::OffsetDateTime;

/// Extent to which a member has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadState {
    /// When the newest message that they have seen was recorded; `None` if they have seen none.
    pub seen_at: Option<OffsetDateTime>,
    /// Number of later messages of the customer, among the [`MOST_UNREAD`](super::MOST_UNREAD) newest.
    pub unread: u32,
}
