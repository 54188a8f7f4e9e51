//! Who moves a conversation, and where to.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::ids::{GroupId, MemberId};

/// It is a job that tidies conversations up when nothing happens in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sweeper {
    /// It closes conversations in which nobody writes any more.
    IdleClose,
    /// Gives conversations back to the assistant in which the customer waits for a person.
    UnansweredReturn,
}

impl Sweeper {
    pub const ALL: [Self; 2] = [Self::IdleClose, Self::UnansweredReturn];

    /// Returns its name, which events give as their reason.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IdleClose => "idle_close",
            Self::UnansweredReturn => "unanswered_return",
        }
    }
}

/// An actor moves a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person of the team moves it.
    Member(MemberId),
    /// A rule of the workspace moves it.
    Automation {
        /// The workspace calls the rule so.
        name: String,
    },
    /// A sweeper moves it.
    Sweeper(Sweeper),
    /// The assistant moves it, and asks for a person.
    Assistant {
        /// It says why, in the assistant's words.
        need: String,
    },
}

impl Actor {
    /// Returns the `reason` of events (docs/rest-api.md, "Names of events").
    pub fn reason(&self) -> Cow<'static, str> {
        match self {
            Self::Member(_) => "manual".into(),
            Self::Automation { name } => format!("automation:{name}").into(),
            Self::Sweeper(sweeper) => sweeper.as_str().into(),
            Self::Assistant { need } => format!("ai_escalation: {need}").into(),
        }
    }

    /// Returns the person, where it is one.
    pub const fn member(&self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(*member),
            Self::Automation { .. } | Self::Sweeper(_) | Self::Assistant { .. } => None,
        }
    }
}

/// It says where a conversation is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// A person takes it for themself, unless another holds it.
    Take(MemberId),
    /// It is given to a person; by a person also out of another's hands.
    Assign(MemberId),
    /// It needs a person: this one, or whoever is first.
    HandOver(Option<MemberId>),
    /// The assistant, whose it is, needs a person: of this group, or whoever is first.
    Escalate(Option<GroupId>),
    /// It is finished.
    Close,
    /// It is finished if nobody has written in it or moved it after `since`.
    CloseIdle {
        /// It is the last moment that counts as idle.
        since: OffsetDateTime,
    },
    /// It goes back to the assistant.
    Return,
    /// An open conversation goes back to the assistant if its last message is the customer's, and nobody has written in
    /// it or moved it after `since`.
    ReturnUnanswered {
        /// It is the last moment that counts as too long ago.
        since: OffsetDateTime,
    },
    /// It goes into a group's inbox; a person who does so lets go of it for the group.
    SendToGroup(GroupId),
    /// It goes straight to one member of a group.
    SendToMember(GroupId, MemberId),
    /// It belongs to no group any more.
    TakeOutOfGroups,
    /// Who holds it has left the team: it waits for another person.
    LetGo(MemberId),
}

impl Command {
    /// Returns the person that the command is about.
    pub const fn member(&self) -> Option<MemberId> {
        match self {
            Self::Take(member)
            | Self::Assign(member)
            | Self::HandOver(Some(member))
            | Self::SendToMember(_, member)
            | Self::LetGo(member) => Some(*member),
            Self::HandOver(None)
            | Self::Escalate(_)
            | Self::Close
            | Self::CloseIdle { .. }
            | Self::Return
            | Self::ReturnUnanswered { .. }
            | Self::SendToGroup(_)
            | Self::TakeOutOfGroups => None,
        }
    }

    /// Returns the group that the command is about.
    pub const fn group(&self) -> Option<GroupId> {
        match self {
            Self::SendToGroup(group) | Self::SendToMember(group, _) | Self::Escalate(Some(group)) => {
                Some(*group)
            }
            _ => None,
        }
    }
}

/// It is a command and who gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub by: Actor,
    pub command: Command,
}

impl Move {
    /// Says that a person of the team wants something done.
    pub const fn manual(member: MemberId, command: Command) -> Self {
        Self { by: Actor::Member(member), command }
    }
}
