//! System messages: what a conversation says of its own moves, in the words of events, so that no language is
//! favoured.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{Actor, Conversation, Sweeper};
use crate::{
    ids::{IdSource, MemberId, MessageId},
    messages::{Context, Marks, Message, Role},
    webhooks::EventType,
};

/// One effect of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Given to a member, or waiting for one.
    Assigned,
    Closed,
    /// Given back to the assistant.
    Returned,
    SentToGroup,
    /// Out of any group.
    TakenOutOfGroups,
    /// Held by nobody any more.
    LetGo,
}

/// Data of a system message, for whoever words it in the reader's language. Who did it is the sender of the
/// message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemMessage {
    pub kind: Step,
    /// Member who has the conversation since; `None` if it waits for a person, and for steps that give it to
    /// nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<MemberId>,
    /// Name that the group had then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Why, if no person did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// Cause of a move that no person made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Rule of the workspace, by the name that it had then.
    Automation(String),
    Sweeper(Sweeper),
    /// Name of the assistant's [`HandOverReason`](crate::assistant::HandOverReason).
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

    /// Returns the name, with which the text of the system message begins.
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

    /// Returns the event that tells of the step; `None` if none does.
    pub const fn event(self) -> Option<EventType> {
        match self {
            // The event has the new holder, or none if it waits for one.
            Self::Assigned | Self::LetGo => Some(EventType::ConversationAssigned),
            Self::Closed => Some(EventType::ConversationClosed),
            Self::Returned => Some(EventType::ConversationReturned),
            Self::SentToGroup => Some(EventType::ConversationSentToGroup),
            Self::TakenOutOfGroups => None,
        }
    }

    /// Composes the system message. Its text is the step's name, the group's, and the reason unless a person
    /// did it, such as `closed`, `sent_to_group: Sales` or `assigned (ai_escalation: needs_person)`.
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
