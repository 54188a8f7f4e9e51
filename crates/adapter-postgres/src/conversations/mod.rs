//! Conversations: lists and look-ups, moves and tags; `inbox` has the team's lists.

mod alias;
mod context;
mod inbox;
mod lock;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod receipts;
mod row;
mod store;
mod tags;

pub(crate) use alias::current_conversation;
pub(crate) use lock::{lock_conversation, stamp};
pub(crate) use receipts::wrote;
pub(crate) use row::{ConversationRow, group_name, last_role};

use crate::Database;

/// Conversations, their tags, and the team's inbox.
#[derive(Clone)]
pub struct PgConversations {
    pub(crate) database: Database,
}
