//! Data of system messages: what a conversation says of its own moves.

use serde::{Deserialize, Serialize};

use crate::ids::MemberId;

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
    /// Who had the conversation before, if a person gave it to a member or the assistant, or closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Had>,
}

/// Who has a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Had {
    Assistant,
    Member(MemberId),
    /// Nobody yet: it waits for a person.
    Nobody,
    /// Nobody any more: it is closed.
    Closed,
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

/// Job that tidies up conversations in which nothing happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sweeper {
    /// Closes conversations in which nobody writes any more.
    IdleClose,
    /// Gives conversations back to the assistant in which the customer waits for a person.
    UnansweredReturn,
}

impl Sweeper {
    pub const ALL: [Self; 2] = [Self::IdleClose, Self::UnansweredReturn];

    /// Returns the name, which events give as their reason.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IdleClose => "idle_close",
            Self::UnansweredReturn => "unanswered_return",
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
}
