//! Replies to customers, before they are sent.

use std::fmt;

use time::OffsetDateTime;

use super::Role;
use crate::{
    fence::Fence,
    ids::{ConversationId, DraftId, MemberId, MessageId},
};

/// Author of a reply to a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAuthor {
    Member(MemberId),
    Assistant,
}

impl ReplyAuthor {
    /// Returns the member as author, or the assistant for `None`.
    pub const fn of(member: Option<MemberId>) -> Self {
        match member {
            Some(member) => Self::Member(member),
            None => Self::Assistant,
        }
    }

    /// Returns the member; `None` for the assistant.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(member),
            Self::Assistant => None,
        }
    }

    /// Returns the role of this author's messages.
    pub const fn role(self) -> Role {
        match self {
            Self::Member(_) => Role::Team,
            Self::Assistant => Role::Assistant,
        }
    }
}

/// A button under a text, which a customer taps instead of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyButton {
    /// Comes back when the button is tapped; the customer does not see it.
    pub id: String,
    pub title: String,
}

/// A worded reply, kept until it was handed to the network or refused. Its `Debug` output shows the id alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedReply {
    pub id: MessageId,
    pub conversation: ConversationId,
    /// Who it is attributed to.
    pub author: ReplyAuthor,
    pub text: String,
    pub buttons: Vec<ReplyButton>,
    /// Draft that it is the summary of; withdrawn if the summary is never sent, since an unread draft cannot
    /// be confirmed.
    pub summary_of: Option<DraftId>,
    /// Time after which it is no longer worth sending.
    pub until: OffsetDateTime,
    /// Fence of the assistant's turn that proposed it; once the fence is passed, it is not sent.
    pub fence: Option<Fence>,
    /// When the conversation was handed over, for a reply that says so: once a person has answered, or the
    /// conversation is no longer with the team, it is not sent.
    pub handed_over_at: Option<OffsetDateTime>,
}

impl fmt::Debug for PreparedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedReply").field("id", &self.id).finish_non_exhaustive()
    }
}
