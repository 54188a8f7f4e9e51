//! Moves of conversations: who asks for them, and what they ask.

use std::borrow::Cow;

use time::OffsetDateTime;

use crate::{
    ids::{GroupId, MemberId},
    messages::Sweeper,
};

/// Who asks for a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A team member.
    Member(MemberId),
    /// A rule of the workspace.
    Automation {
        /// The workspace's name for the rule.
        name: String,
    },
    Sweeper(Sweeper),
    /// The assistant, which needs a person.
    Assistant {
        /// Name of the [`HandOverReason`](crate::assistant::HandOverReason).
        need: String,
    },
}

impl Actor {
    /// Returns the `reason` of events (docs/use/rest-api.md, "Names of events").
    pub fn reason(&self) -> Cow<'static, str> {
        match self {
            Self::Member(_) => "manual".into(),
            Self::Automation { name } => format!("automation:{name}").into(),
            Self::Sweeper(sweeper) => sweeper.as_str().into(),
            Self::Assistant { need } => format!("ai_escalation: {need}").into(),
        }
    }

    /// Returns the team member, if the actor is one.
    pub const fn member(&self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(*member),
            Self::Automation { .. } | Self::Sweeper(_) | Self::Assistant { .. } => None,
        }
    }
}

/// Change that is asked of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// A member takes it for themself, unless another holds it.
    Take(MemberId),
    /// A member gets it; a person may give it to them even out of another's hands.
    Assign(MemberId),
    /// A person is needed: this member, or whoever is first.
    HandOver(Option<MemberId>),
    /// The assistant, if it answers, needs a person: of this group, or whoever is first.
    Escalate(Option<GroupId>),
    Close,
    /// Closes if nobody has written in it or moved it after `since`.
    CloseIdle {
        /// Last moment that counts as idle.
        since: OffsetDateTime,
    },
    /// The assistant gets it back.
    Return,
    /// The assistant gets it back if it is open, its last message is the customer's, and nobody has written
    /// in it or moved it after `since`.
    ReturnUnanswered {
        /// Last moment that counts as too long ago.
        since: OffsetDateTime,
    },
    /// A group gets it in its inbox; a person who does so releases it for the group.
    SendToGroup(GroupId),
    /// A member of a group gets it, and the group with them.
    SendToMember(GroupId, MemberId),
    TakeOutOfGroups,
    /// The member who held it has left the team, or got it by a move that is undone, and it waits for another
    /// person.
    LetGo(MemberId),
}

impl Command {
    /// Returns the member that the command is about.
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

/// A command, and who gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub by: Actor,
    pub command: Command,
}

impl Move {
    /// Returns a command of a team member.
    pub const fn manual(member: MemberId, command: Command) -> Self {
        Self { by: Actor::Member(member), command }
    }
}
