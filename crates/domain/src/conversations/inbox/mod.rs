//! The team's lists of conversations.

mod list;
mod seen;
mod view;

pub use list::{AskedInbox, CountInbox, ListInbox, ListInboxError};
pub use seen::{MOST_UNREAD, MarkSeen, ReadState};
pub use view::{InboxFilter, InboxOrder, View};

use time::OffsetDateTime;

use super::{Conversation, SystemMessage};
use crate::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    ids::{ContactId, GroupId},
    messages::Role,
    phone::PhoneNumber,
    sending::closes_at,
};

/// It is a person as a list of conversations shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxContact {
    pub id: ContactId,
    /// It is the team's name for them, or the one they gave.
    pub name: Option<String>,
    /// It is their number; `None` where it is not known.
    pub phone: Option<PhoneNumber>,
    /// It is their picture at the network.
    pub avatar_url: Option<String>,
}

/// It is the beginning of a conversation's newest message.
#[derive(Clone, PartialEq, Eq)]
pub struct Preview {
    pub role: Role,
    /// Which person of the team, where it was one.
    pub sender_id: Option<String>,
    /// What it is.
    pub kind: PreviewKind,
    /// They are its first [`PREVIEW_CHARS`] characters; it is empty where a file came without words.
    pub text: String,
    /// What it tells, where it is a system message whose data is kept.
    pub system_message: Option<Box<SystemMessage>>,
    /// When it was recorded.
    pub created_at: OffsetDateTime,
}

/// It is what a message in a list is, so that whoever shows it can say so in their own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewKind {
    /// The message has words.
    Text,
    /// The message is a template, filled in.
    Template,
    SystemMessage,
    /// The message has a file, with words or without; it is the first where there are several.
    File(AttachmentKind),
}

impl PreviewKind {
    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Template => "template",
            Self::SystemMessage => "notice",
            Self::File(kind) => kind.as_str(),
        }
    }
}

/// A list shows so many characters of a message.
pub const PREVIEW_CHARS: i32 = 200;

impl std::fmt::Debug for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preview").field("role", &self.role).finish_non_exhaustive()
    }
}

/// It is a conversation as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    pub conversation: Conversation,
    pub contact: InboxContact,
    /// They are its tags, by name.
    pub tags: Vec<String>,
    /// It is its newest message, or its own system message; `None` when it has none.
    pub last_message: Option<Preview>,
    /// It says how far whoever asks has read it.
    pub read: ReadState,
    /// Its customer last wrote then, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// It says when the customer wrote first after they were last written to; `None` when they wait for
    /// nothing.
    pub waiting_since: Option<OffsetDateTime>,
    /// It is the number that it runs over; a page's or an Instagram account's is none.
    pub number: Option<PhoneNumber>,
}

impl InboxRow {
    /// Says when the network takes a person's free words no more; `None` when the customer has never written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.conversation.channel_kind, self.customer_wrote_at)
    }
}

/// It says until when a customer can be answered, and since when they wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    /// It runs over this network.
    pub channel: ChannelKind,
    /// The customer last wrote then, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// It says when they wrote first after they were last written to; `None` when they wait for nothing.
    pub waiting_since: Option<OffsetDateTime>,
}

impl Attention {
    /// Says when the network takes a person's free words no more; `None` when the customer has never written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.channel, self.customer_wrote_at)
    }
}

/// It says how many open conversations there are, each number up to [`MOST_COUNTED`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxCounts {
    /// The member holds so many.
    pub mine: u32,
    /// Nobody holds so many.
    pub unassigned: u32,
    /// There are so many in all.
    pub open: u32,
    /// Each group has so many.
    pub groups: Vec<(GroupId, u32)>,
}

/// Counting stops at it: the number then stands for itself and all above.
pub const MOST_COUNTED: u32 = 100;
