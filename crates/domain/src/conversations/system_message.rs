//! What a conversation says of its own moves, in the words that events use, so that no language is favoured.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{Actor, Conversation, Sweeper};
use crate::{
    ids::{IdSource, MemberId, MessageId},
    messages::{Context, Marks, Message, Role},
    webhooks::EventType,
};

/// It is one thing that a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A person has it, or it waits for one.
    Assigned,
    /// It is finished.
    Closed,
    /// The assistant has it back.
    Returned,
    /// It went to a group.
    SentToGroup,
    /// It is in no group any more.
    TakenOutOfGroups,
    /// Nobody holds it any more.
    LetGo,
}

/// It is what a line tells, as data: for who words it in the language of whoever reads. Who did it is the
/// message's sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemMessage {
    pub kind: Step,
    /// It says who has the conversation since; `None` where it waits for a person, and for what gives it to
    /// nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<MemberId>,
    /// The group that it went to was called so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// It says why, where no person did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// This moved a conversation that no person did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A rule of the workspace moved it, by what the rule was called.
    Automation(String),
    /// A sweeper moved it.
    Sweeper(Sweeper),
    /// The assistant moved it; the text is the name of an [`crate::assistant::HandOverReason`].
    Assistant(String),
}

impl Cause {
    fn of(by: &Actor) -> Option<Self> {
        match by {
            Actor::Member(_) => None,
            Actor::Automation { name } => Some(Self::Automation(name.clone())),
            Actor::Sweeper(sweeper) => Some(Self::Sweeper(*sweeper)),
            Actor::Assistant { need } => Some(Self::Assistant(need.clone())),
        }
    }
}

impl Step {
    pub const ALL: [Self; 6] = [
        Self::Assigned,
        Self::Closed,
        Self::Returned,
        Self::SentToGroup,
        Self::TakenOutOfGroups,
        Self::LetGo,
    ];

    /// Returns its name, with which the line begins.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Closed => "closed",
            Self::Returned => "returned",
            Self::SentToGroup => "sent_to_group",
            Self::TakenOutOfGroups => "taken_out_of_groups",
            Self::LetGo => "let_go",
        }
    }

    /// Returns the event that tells of it; `None` where the world is not told.
    pub const fn event(self) -> Option<EventType> {
        match self {
            // Whoever it is assigned to: nobody, where it waits for one.
            Self::Assigned | Self::LetGo => Some(EventType::ConversationAssigned),
            Self::Closed => Some(EventType::ConversationClosed),
            Self::Returned => Some(EventType::ConversationReturned),
            Self::SentToGroup => Some(EventType::ConversationSentToGroup),
            Self::TakenOutOfGroups => None,
        }
    }

    /// Returns the conversation's own line about it: its name, the group's, and the reason unless a person
    /// did it, such as `closed`, `sent_to_group: Sales` or `assigned (ai_escalation: wants a refund)`.
    pub(super) fn system_message(
        self,
        conversation: &Conversation,
        by: &Actor,
        now: OffsetDateTime,
        ids: &dyn IdSource,
    ) -> Message {
        let mut content = self.as_str().to_owned();
        if let (Self::SentToGroup, Some(group)) = (self, &conversation.group) {
            content = format!("{content}: {}", group.name);
        }
        if by.member().is_none() {
            content = format!("{content} ({})", by.reason());
        }
        let to = if self == Self::Assigned { conversation.assigned_to } else { None };
        let group = conversation.group.as_ref().filter(|_| self == Self::SentToGroup);
        let group = group.map(|group| group.name.clone());
        let told = SystemMessage { kind: self, to, group, cause: Cause::of(by) };
        Message {
            id: MessageId::new(ids),
            conversation: conversation.id,
            role: Role::System,
            sender_id: by.member().map(|member| member.to_string()),
            content,
            attachments: Vec::new(),
            transcription: None,
            created_at: now,
            sent_at: None,
            meta: None,
            context: Context::default(),
            marks: Marks::default(),
            system_message: Some(Box::new(told)),
        }
    }
}
