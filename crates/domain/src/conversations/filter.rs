//! Filter of a list of conversations.

use std::fmt::Display;

use time::OffsetDateTime;

use crate::{
    conversation::ConversationStatus,
    ids::{ContactId, GroupId},
};

/// Filter of conversations: those that pass every part that is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationFilter {
    pub status: Option<ConversationStatus>,
    pub contact: Option<ContactId>,
    pub group: Option<GroupId>,
    pub since: Option<OffsetDateTime>,
}

impl ConversationFilter {
    /// Returns the name under which cursors of the filtered list are signed.
    pub(super) fn list(&self) -> String {
        fn part(value: Option<impl Display>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let status = part(self.status.map(ConversationStatus::as_str));
        let since = part(self.since.map(OffsetDateTime::unix_timestamp_nanos));
        format!("conversations/{status}/{}/{}/{since}", part(self.contact), part(self.group))
    }
}
