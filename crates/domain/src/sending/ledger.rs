//! Records of a send: the intent before the network is asked, and its result.

use std::fmt;

use time::OffsetDateTime;

use crate::{
    ids::{ChannelId, ContactId, ConversationId, MemberId, MessageId, UploadId, WorkspaceId},
    messages::{Message, Progress, ReplyAuthor, Role, TemplateRef},
    phone::PhoneNumber,
};

/// A send that is about to happen. For a one-time code, and for anything from a send-only number, it contains
/// neither the recipient nor the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// Id of the send and of its message, and the tag that the network echoes.
    pub id: MessageId,
    pub workspace: WorkspaceId,
    pub channel: ChannelId,
    /// Sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    /// `None` for a plain reply.
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    pub conversation_entry: ConversationEntry,
    pub created_at: OffsetDateTime,
}

impl Intent {
    /// Returns this attempt at the send.
    pub fn attempt(&self) -> SendAttempt {
        SendAttempt { id: self.id, at: self.created_at }
    }
}

/// One attempt at a send. A send that was released may be begun again by the same id: the time tells whose
/// attempt a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendAttempt {
    pub id: MessageId,
    /// Creation time of the intent.
    pub at: OffsetDateTime,
}

/// Part of an intent that becomes a message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationEntry {
    /// For a one-time code, or anything from a send-only number.
    Nothing,
    /// May create its contact and its conversation.
    TemplateSend(TemplateSend),
    Reply(Reply),
}

impl ConversationEntry {
    /// Returns the recipient as the plan counts them: by number, or by contact id if there is none.
    pub fn person(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::TemplateSend(template_send) => Some(template_send.to.as_str().to_owned()),
            Self::Reply(reply) => Some(match &reply.phone {
                Some(phone) => phone.as_str().to_owned(),
                None => reply.contact.to_string(),
            }),
        }
    }

    /// Returns the team member who sends it, if any.
    pub fn author(&self) -> Option<MemberId> {
        match self {
            Self::Nothing => None,
            Self::TemplateSend(template_send) => template_send.author,
            Self::Reply(reply) => reply.author.member(),
        }
    }

    /// Returns the role of the resulting message.
    pub fn role(&self) -> Role {
        self.reply().map_or(Role::Team, |reply| reply.author.role())
    }

    /// Returns the template send, if it is one.
    pub fn template_send(&self) -> Option<&TemplateSend> {
        match self {
            Self::TemplateSend(template_send) => Some(template_send),
            Self::Nothing | Self::Reply(_) => None,
        }
    }

    /// Returns the reply, if it is one.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Nothing | Self::TemplateSend(_) => None,
        }
    }
}

/// A reply in a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    pub conversation: ConversationId,
    pub contact: ContactId,
    pub phone: Option<PhoneNumber>,
    pub author: ReplyAuthor,
    /// Empty for a file without a text.
    pub text: String,
    /// File to take when the send begins. `None` in an entry that was loaded: the message's attachments name
    /// the file.
    pub upload: Option<UploadId>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("conversation", &self.conversation).finish_non_exhaustive()
    }
}

/// A template sent to a number.
#[derive(Clone, PartialEq, Eq)]
pub struct TemplateSend {
    pub to: PhoneNumber,
    /// Recipient's name, used for a new contact.
    pub name: Option<String>,
    /// Template body with its values filled in, as the conversation shows it.
    pub content: String,
    pub author: Option<MemberId>,
}

impl fmt::Debug for TemplateSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TemplateSend(…)")
    }
}

/// State of a send in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// The network was, or is being, asked; the outcome is unknown.
    InFlight,
    Sent(Box<SendResult>),
    /// The network refused it; a reply stays in its conversation as failed.
    Refused,
}

/// Answer to a send. The recipient is left out, since the request names it.
///
/// `contact`, `conversation` and `message` are `None` if the send is kept in no conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    pub id: MessageId,
    /// Sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    pub contact: Option<ContactId>,
    pub conversation: Option<ConversationId>,
    pub reference: Option<String>,
    pub message: Option<Message>,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    pub intent: Intent,
    pub state: SendState,
    pub progress: Progress,
}
