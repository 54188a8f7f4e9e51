//! The team's lists of conversations.

mod list;
mod seen;
mod view;

pub use list::{AskedInbox, CountInbox, ListInbox, ListInboxError};
pub use seen::{MOST_UNREAD, MarkSeen, ReadState};
pub use view::{InboxFilter, InboxOrder, View};

use time::OffsetDateTime;

use super::{Conversation, Notice};
use crate::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    ids::{ContactId, GroupId},
    messages::Role,
    phone::PhoneNumber,
    sending::closes_at,
};

/// A person as a list of conversations shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxContact {
    /// The person.
    pub id: ContactId,
    /// The team's name for them, or the one they gave.
    pub name: Option<String>,
    /// Their number, where it is known.
    pub phone: Option<PhoneNumber>,
    /// Their picture at the network.
    pub avatar_url: Option<String>,
}

/// The beginning of a conversation's newest message.
#[derive(Clone, PartialEq, Eq)]
pub struct Preview {
    /// Who wrote it.
    pub role: Role,
    /// Which person of the team, where it was one.
    pub sender_id: Option<String>,
    /// What it is.
    pub kind: PreviewKind,
    /// Its first [`PREVIEW_CHARS`] characters; empty where a file came without words.
    pub text: String,
    /// What it tells, where it is a notice whose data is kept.
    pub notice: Option<Box<Notice>>,
    /// When it was recorded.
    pub created_at: OffsetDateTime,
}

/// What a message in a list is, so that whoever shows it can say so in their own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewKind {
    /// Words.
    Text,
    /// A template, filled in.
    Template,
    /// The conversation's own notice.
    Notice,
    /// A file, with words or without, the first where there are several.
    File(AttachmentKind),
}

impl PreviewKind {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Template => "template",
            Self::Notice => "notice",
            Self::File(kind) => kind.as_str(),
        }
    }
}

/// Characters of a message that a list shows.
pub const PREVIEW_CHARS: i32 = 200;

impl std::fmt::Debug for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preview").field("role", &self.role).finish_non_exhaustive()
    }
}

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    /// The conversation.
    pub conversation: Conversation,
    /// With whom.
    pub contact: InboxContact,
    /// Its tags, by name.
    pub tags: Vec<String>,
    /// Its newest message, or its own notice; `None` when it has none.
    pub last_message: Option<Preview>,
    /// How far whoever asks has read it.
    pub read: ReadState,
    /// When its customer last wrote, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// When the customer wrote first after they were last written to; `None` when they wait for nothing.
    pub waiting_since: Option<OffsetDateTime>,
    /// The number that it runs over; a page's or an Instagram account's is none.
    pub number: Option<PhoneNumber>,
}

impl InboxRow {
    /// When the network takes a person's free words no more; `None` when the customer has never written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.conversation.channel_kind, self.customer_wrote_at)
    }
}

/// Until when a customer can be answered, and since when they wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// Over which network.
    pub channel: ChannelKind,
    /// When the customer last wrote, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// When they wrote first after they were last written to; `None` when they wait for nothing.
    pub waiting_since: Option<OffsetDateTime>,
}

impl Attention {
    /// When the network takes a person's free words no more; `None` when the customer has never written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.channel, self.customer_wrote_at)
    }
}

/// How many open conversations there are, each number up to [`MOST_COUNTED`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxCounts {
    /// That the member holds.
    pub mine: u32,
    /// That nobody holds.
    pub unassigned: u32,
    /// Of all.
    pub open: u32,
    /// Of each group.
    pub groups: Vec<(GroupId, u32)>,
}

/// What counting stops at: the number then stands for itself and all above.
pub const MOST_COUNTED: u32 = 100;
