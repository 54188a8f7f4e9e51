//! The team's lists of conversations.

mod list;
mod read_state;
mod seen;
mod view;

pub use list::{AskedInbox, CountInbox, ListInbox, ListInboxError};
pub use read_state::ReadState;
pub use seen::{MOST_UNREAD, MarkSeen};
pub use view::{InboxFilter, InboxOrder, View};

use time::OffsetDateTime;

use crate::{
    attachments::AttachmentKind,
    channels::{ChannelKind, closes_at},
    conversation::Conversation,
    ids::{ContactId, GroupId},
    messages::{Role, SystemMessage},
    phone::PhoneNumber,
};

/// A contact as a list of conversations shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxContact {
    pub id: ContactId,
    /// The team's name for them, or the one they gave.
    pub name: Option<String>,
    /// `None` if it is not known.
    pub phone: Option<PhoneNumber>,
    pub avatar_url: Option<String>,
}

/// Beginning of a conversation's newest message.
#[derive(Clone, PartialEq, Eq)]
pub struct Preview {
    pub role: Role,
    /// Team member who wrote it; `None` if none did.
    pub sender_id: Option<String>,
    pub kind: PreviewKind,
    /// First [`PREVIEW_CHARS`] characters; empty if a file came without words.
    pub text: String,
    /// Data of a system message; `None` for other messages, and where the data was not kept.
    pub system_message: Option<Box<SystemMessage>>,
    pub created_at: OffsetDateTime,
}

/// Kind of a message in a list, for display in the reader's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewKind {
    Text,
    /// A filled-in template.
    Template,
    SystemMessage,
    /// Kind of the first file of a message, which may have words as well.
    File(AttachmentKind),
}

impl PreviewKind {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Template => "template",
            Self::SystemMessage => "notice",
            Self::File(kind) => kind.as_str(),
        }
    }
}

/// Longest part of a message that a list shows, in characters.
pub const PREVIEW_CHARS: i32 = 200;

impl std::fmt::Debug for Preview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preview").field("role", &self.role).finish_non_exhaustive()
    }
}

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxRow {
    pub conversation: Conversation,
    pub contact: InboxContact,
    /// In order of their names.
    pub tags: Vec<String>,
    /// Newest message that somebody wrote; `None` if there is none.
    pub last_message: Option<Preview>,
    /// Newest message, where it is the system's: what became of the conversation since.
    pub notice: Option<Preview>,
    /// Read state of the member who asks.
    pub read: ReadState,
    /// When the customer last wrote, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// When the customer first wrote after they were last written to; `None` if they wait for nothing.
    pub waiting_since: Option<OffsetDateTime>,
    /// Number that it runs over; `None` for a page and an Instagram account.
    pub number: Option<PhoneNumber>,
}

impl InboxRow {
    /// Returns when the network stops taking free text from a person; `None` if the customer has never
    /// written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.conversation.channel_kind, self.customer_wrote_at)
    }
}

/// Time until which a customer can be answered, and since which they wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attention {
    pub channel: ChannelKind,
    /// When the customer last wrote, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// When the customer first wrote after they were last written to; `None` if they wait for nothing.
    pub waiting_since: Option<OffsetDateTime>,
}

impl Attention {
    /// Returns when the network stops taking free text from a person; `None` if the customer has never
    /// written.
    pub fn reply_closes_at(&self) -> Option<OffsetDateTime> {
        closes_at(self.channel, self.customer_wrote_at)
    }
}

/// Numbers of open conversations, each up to [`MOST_COUNTED`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxCounts {
    pub mine: u32,
    pub unassigned: u32,
    pub open: u32,
    pub groups: Vec<(GroupId, u32)>,
}

/// Number at which counting stops; it then stands for itself and all above.
pub const MOST_COUNTED: u32 = 100;
