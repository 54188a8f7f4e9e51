//! What is kept of a send: the intent before the network is asked, and its result.

use std::fmt;

use time::OffsetDateTime;

use crate::{
    ids::{ChannelId, ContactId, ConversationId, MemberId, MessageId, UploadId, WorkspaceId},
    messages::{Message, Progress, Role, TemplateRef},
    phone::PhoneNumber,
};

/// A send that is about to happen. Of a one-time code, and of anything from a send-only number, neither the
/// recipient nor the text is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The send, the message, and the tag that the network echoes.
    pub id: MessageId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The sending number's connection.
    pub channel: ChannelId,
    /// The sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    /// The template; `None` for a plain reply.
    pub template: Option<TemplateRef>,
    /// The caller's own id.
    pub reference: Option<String>,
    /// What the conversation will hold.
    pub conversation_entry: ConversationEntry,
    /// When it was decided.
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
    /// Nothing: a one-time code, or anything from a send-only number.
    Nothing,
    /// A notice, which may make its contact and its conversation.
    TemplateSend(TemplateSend),
    /// A reply into an existing conversation.
    Reply(Reply),
}

impl ConversationEntry {
    /// Whom the plan counts when this is sent.
    pub fn person(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::TemplateSend(notice) => Some(notice.to.as_str().to_owned()),
            Self::Reply(reply) => Some(match &reply.phone {
                Some(phone) => phone.as_str().to_owned(),
                None => reply.contact.to_string(),
            }),
        }
    }

    /// The person of the team who sends it, where it is one.
    pub fn author(&self) -> Option<MemberId> {
        match self {
            Self::Nothing => None,
            Self::TemplateSend(notice) => notice.author,
            Self::Reply(reply) => reply.author.member(),
        }
    }

    /// The role of the message that it becomes.
    pub fn role(&self) -> Role {
        self.reply().map_or(Role::Team, |reply| reply.author.role())
    }

    /// The notice, where it is one.
    pub fn notice(&self) -> Option<&TemplateSend> {
        match self {
            Self::TemplateSend(notice) => Some(notice),
            Self::Nothing | Self::Reply(_) => None,
        }
    }

    /// The reply, where it is one.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Nothing | Self::TemplateSend(_) => None,
        }
    }
}

/// Who answers a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAuthor {
    /// A person of the team.
    Member(MemberId),
    /// The assistant.
    Assistant,
}

impl ReplyAuthor {
    /// Whoever is not on the team is the assistant.
    pub const fn of(member: Option<MemberId>) -> Self {
        match member {
            Some(member) => Self::Member(member),
            None => Self::Assistant,
        }
    }

    /// The person, where it is one.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(member),
            Self::Assistant => None,
        }
    }

    /// The role of what they say.
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
    /// The conversation.
    pub conversation: ConversationId,
    /// To whom.
    pub contact: ContactId,
    /// Their number, where it is known.
    pub phone: Option<PhoneNumber>,
    /// Who answers.
    pub author: ReplyAuthor,
    /// The text; empty where a file goes without one.
    pub text: String,
    /// The file to take when the send begins. An entry that is read does not tell it: the message's files do.
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
    /// To whom.
    pub to: PhoneNumber,
    /// Their name, used when they are new.
    pub name: Option<String>,
    /// The template's body with its values filled in, as the conversation shows it.
    pub content: String,
    /// Who sends it, where it is a person of the team and not a program.
    pub author: Option<MemberId>,
}

impl fmt::Debug for TemplateSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TemplateSend(…)")
    }
}

/// How far a send has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// The network was, or is being, asked; nobody knows the outcome.
    InFlight,
    /// The network took it.
    Sent(Box<SendResult>),
    /// The network refused it: a reply stays in its conversation as failed.
    Refused,
}

/// What a send answers. The recipient is not in it: it is the one of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    /// The send.
    pub id: MessageId,
    /// The sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    /// The person; `None` for what is kept nowhere.
    pub contact: Option<ContactId>,
    /// The conversation; `None` likewise.
    pub conversation: Option<ConversationId>,
    /// The caller's own id.
    pub reference: Option<String>,
    /// The message; `None` likewise.
    pub message: Option<Message>,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What was intended.
    pub intent: Intent,
    /// How far it has come.
    pub state: SendState,
    /// What the network has reported since.
    pub progress: Progress,
}
