//! System messages: what a conversation says of its own moves, in the words of events, so that no language is
//! favoured.

use time::OffsetDateTime;

use super::moves::Actor;
use crate::{
    conversation::{Conversation, ConversationStatus},
    events::EventType,
    ids::{IdSource, MessageId},
    messages::{Cause, Context, Had, Marks, Message, Role, Step, SystemMessage},
};

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

impl Had {
    fn of(conversation: &Conversation) -> Self {
        match (conversation.status, conversation.assigned_to) {
            (ConversationStatus::Bot, _) => Self::Assistant,
            (ConversationStatus::Closed, _) => Self::Closed,
            (ConversationStatus::Open, Some(member)) => Self::Member(member),
            (ConversationStatus::Open, None) => Self::Nobody,
        }
    }
}

impl Step {
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
        before: &Conversation,
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
        let is_undone = by.member().is_some() && before.group == conversation.group;
        let is_undone = is_undone && matches!(self, Self::Assigned | Self::Closed | Self::Returned);
        let before = is_undone.then(|| Had::of(before));
        let told = SystemMessage { kind: self, to, group, cause: Cause::of(by), before };
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
