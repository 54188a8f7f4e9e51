//! What is kept of a send: the intent before the network is asked, and its result.

use std::fmt;

use time::OffsetDateTime;

use crate::{
    ids::{ChannelId, ContactId, ConversationId, MemberId, MessageId, UploadId, WorkspaceId},
    messages::{Message, Progress, Role, TemplateRef},
    phone::PhoneNumber,
};

/// It is a send that is about to happen. Of a one-time code, and of anything from a send-only number, neither
/// the recipient nor the text is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// It is the id of the send and of the message, and the tag that the network echoes.
    pub id: MessageId,
    pub workspace: WorkspaceId,
    /// It is the sending number's connection.
    pub channel: ChannelId,
    /// It is the sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    /// It is the template; `None` for a plain reply.
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    /// The conversation will hold this.
    pub conversation_entry: ConversationEntry,
    pub created_at: OffsetDateTime,
}

impl Intent {
    /// This try at it.
    pub fn attempt(&self) -> SendAttempt {
        SendAttempt { id: self.id, at: self.created_at }
    }
}

/// A try at a send. What was taken back may be begun again by the same id: the time tells whose try a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendAttempt {
    /// The send.
    pub id: MessageId,
    /// When it was decided.
    pub at: OffsetDateTime,
}

/// The part of an intent that becomes a message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationEntry {
    /// It is nothing for a one-time code, or anything from a send-only number.
    Nothing,
    /// It is a template send, which may make its contact and its conversation.
    TemplateSend(TemplateSend),
    /// It is a reply into an existing conversation.
    Reply(Reply),
}

impl ConversationEntry {
    /// Returns whom the plan counts when this is sent.
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

    /// Returns the person of the team who sends it, where it is one.
    pub fn author(&self) -> Option<MemberId> {
        match self {
            Self::Nothing => None,
            Self::TemplateSend(template_send) => template_send.author,
            Self::Reply(reply) => reply.author.member(),
        }
    }

    /// Returns the role of the message that it becomes.
    pub fn role(&self) -> Role {
        self.reply().map_or(Role::Team, |reply| reply.author.role())
    }

    /// Returns the template send, where it is one.
    pub fn template_send(&self) -> Option<&TemplateSend> {
        match self {
            Self::TemplateSend(template_send) => Some(template_send),
            Self::Nothing | Self::Reply(_) => None,
        }
    }

    /// Returns the reply, where it is one.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Nothing | Self::TemplateSend(_) => None,
        }
    }
}

/// They answer a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAuthor {
    /// A person of the team answers.
    Member(MemberId),
    /// The assistant answers.
    Assistant,
}

impl ReplyAuthor {
    /// Returns the member; the assistant where there is none.
    pub const fn of(member: Option<MemberId>) -> Self {
        match member {
            Some(member) => Self::Member(member),
            None => Self::Assistant,
        }
    }

    /// Returns the person, where it is one.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(member),
            Self::Assistant => None,
        }
    }

    /// Returns the role of what they say.
    pub const fn role(self) -> Role {
        match self {
            Self::Member(_) => Role::Team,
            Self::Assistant => Role::Assistant,
        }
    }
}

/// Somebody answers in a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    pub conversation: ConversationId,
    pub contact: ContactId,
    /// It is their number; `None` where it is not known.
    pub phone: Option<PhoneNumber>,
    /// They answer.
    pub author: ReplyAuthor,
    /// The text is empty where a file goes without one.
    pub text: String,
    /// It is the file to take when the send begins. An entry that is read does not tell it: the message's
    /// files do.
    pub upload: Option<UploadId>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("conversation", &self.conversation).finish_non_exhaustive()
    }
}

/// It is a template sent to a number.
#[derive(Clone, PartialEq, Eq)]
pub struct TemplateSend {
    pub to: PhoneNumber,
    /// It is their name, used when they are new.
    pub name: Option<String>,
    /// It is the template's body with its values filled in, as the conversation shows it.
    pub content: String,
    pub author: Option<MemberId>,
}

impl fmt::Debug for TemplateSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TemplateSend(…)")
    }
}

/// It says how far a send has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// The network was, or is being, asked; nobody knows the outcome.
    InFlight,
    /// The network took it.
    Sent(Box<SendResult>),
    /// The network refused it: a reply stays in its conversation as failed.
    Refused,
}

/// It is what a send answers. The recipient is not in it: it is the one of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    pub id: MessageId,
    /// It is the sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    /// It is `None` for what is kept nowhere.
    pub contact: Option<ContactId>,
    /// It is `None` likewise.
    pub conversation: Option<ConversationId>,
    pub reference: Option<String>,
    /// It is `None` likewise.
    pub message: Option<Message>,
}

/// It is a row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    pub intent: Intent,
    pub state: SendState,
    pub progress: Progress,
}
