//! What a conversation says of its own moves, in the words that events use, so that no language is favoured.

use time::OffsetDateTime;

use super::{Actor, Conversation};
use crate::{
    ids::{IdSource, MessageId},
    messages::{Context, Marks, Message, Role},
    webhooks::EventType,
};

/// One thing that a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Step {
    /// Every step.
    pub const ALL: [Self; 6] = [
        Self::Assigned,
        Self::Closed,
        Self::Returned,
        Self::SentToGroup,
        Self::TakenOutOfGroups,
        Self::LetGo,
    ];

    /// Its name, with which the notice begins.
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

    /// The event that tells of it; `None` where the world is not told.
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

    /// The conversation's own line about it: its name, the group's, and the reason unless a person did it, such as
    /// `closed`, `sent_to_group: Sales` or `assigned (ai_escalation: wants a refund)`.
    pub(super) fn notice(
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
        Message {
            id: MessageId::new(ids),
            conversation: conversation.id,
            role: Role::System,
            sender_id: by.member().map(|member| member.to_string()),
            content,
            attachments: Vec::new(),
            transcription: None,
            created_at: now,
            meta: None,
            context: Context::default(),
            marks: Marks::default(),
        }
    }
}
