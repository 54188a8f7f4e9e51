//! Rules for the moves of a conversation.

use time::{Duration, OffsetDateTime};

use super::{
    change::Change,
    moves::{Actor, Command, Move},
};
use crate::{
    clock::stamp_after,
    conversation::{Conversation, ConversationStatus, Group},
    events::{Customer, Event},
    ids::{IdSource, MemberId},
    messages::{Message, Step},
};

/// A conversation with what a decision about a command rests on, read at one moment.
#[derive(Debug, Clone)]
pub struct DecisionContext {
    pub conversation: Conversation,
    pub customer: Customer,
    /// Whether the member who holds the conversation is still on the team.
    pub holder_is_here: bool,
    /// When it was last moved; `None` if it never was.
    pub moved_at: Option<OffsetDateTime>,
    /// Whether the last message, system messages aside, is the customer's.
    pub unanswered: bool,
    /// Group that the command is about; `None` if it is about none, or about one that the workspace does not
    /// have.
    pub group: Option<Group>,
    /// Membership of the person that the command is about.
    pub member: TeamMembership,
}

/// Membership of a person in the team, and in the group that a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TeamMembership {
    /// Not, or no longer, on the team.
    NotOnTeam,
    OnTeam,
    /// On the team and in the group.
    InGroup,
}

/// Reason that a conversation does not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveRefusal {
    #[error("another person holds this conversation")]
    HeldBy(MemberId),
    #[error("this person is not on the team")]
    NotOnTeam,
    #[error("there is no such group")]
    NoSuchGroup,
    #[error("this person is not in the group")]
    NotInGroup,
    /// The conversation was closed before a rule of the workspace could assign it.
    #[error("the conversation is closed")]
    Closed,
}

/// All that a move can change of a conversation.
#[derive(Clone, PartialEq, Eq)]
struct ConversationState {
    status: ConversationStatus,
    holder: Option<MemberId>,
    group: Option<Group>,
}

impl ConversationState {
    fn of(conversation: &Conversation) -> Self {
        Self {
            status: conversation.status,
            holder: conversation.assigned_to,
            group: conversation.group.clone(),
        }
    }

    fn held_by(self, member: MemberId) -> Self {
        Self { status: ConversationStatus::Open, holder: Some(member), ..self }
    }

    fn not_held(self, status: ConversationStatus) -> Self {
        Self { status, holder: None, ..self }
    }
}

/// Decides what a move makes of the conversation; `None` if it is there already. A command that changes
/// nothing announces nothing. Pure but for the ids it takes.
pub fn decide(
    context: &DecisionContext,
    asked: &Move,
    now: OffsetDateTime,
    ids: &dyn IdSource,
) -> Result<Option<Change>, MoveRefusal> {
    let before = &context.conversation;
    let (place, steps) = context.place_after(asked)?;
    if place == ConversationState::of(before) {
        return Ok(None);
    }
    let place_is_bot = place.status == ConversationStatus::Bot && before.status != ConversationStatus::Bot;
    // A millisecond apart, and after everything announced before: receivers order events by their time.
    let now = stamp_after(before.stamped_at, now);
    let stamps = (0_i64..).map(|place| now + Duration::milliseconds(place));
    let conversation = Conversation {
        status: place.status,
        assigned_to: place.holder,
        group: place.group,
        version: before.version + 1,
        stamped_at: stamps.clone().take(steps.len()).last(),
        ..before.clone()
    };
    let told =
        |(step, at): (&Step, OffsetDateTime)| step.system_message(before, &conversation, &asked.by, at, ids);
    let system_messages: Vec<Message> = steps.iter().zip(stamps.clone()).map(told).collect();
    let events = steps.iter().filter_map(|step| step.event()).zip(stamps).map(|(kind, at)| {
        Event::conversation_moved(kind, conversation.clone(), asked.by.reason(), context.customer.clone(), at)
    });
    Ok(Some(Change {
        before_version: before.version,
        before_last_message_at: before.last_message_at,
        step: None,
        returns_unanswered: place_is_bot && context.unanswered,
        at: now,
        events: events.collect(),
        says: None,
        conversation,
        system_messages,
    }))
}

impl DecisionContext {
    /// Returns the state that a command leads to, and the steps to tell of if that is another state. The
    /// whole table of transitions is here.
    fn place_after(&self, asked: &Move) -> Result<(ConversationState, &'static [Step]), MoveRefusal> {
        use ConversationStatus::{Bot, Closed, Open};
        let here = ConversationState::of(&self.conversation);
        let by_person = asked.by.member().is_some();
        Ok(match asked.command {
            Command::Take(member) | Command::HandOver(Some(member)) => {
                self.on_team()?;
                self.free_for(member)?;
                (here.held_by(member), &[Step::Assigned])
            }
            Command::Assign(member) => {
                self.on_team()?;
                self.giveable(member, &asked.by)?;
                (here.held_by(member), &[Step::Assigned])
            }
            Command::HandOver(None) if here.status != Open => (here.not_held(Open), &[Step::Assigned]),
            Command::Escalate(None) if here.status == Bot => (here.not_held(Open), &[Step::Assigned]),
            Command::Escalate(Some(_)) if here.status == Bot => {
                let group = Some(self.group()?);
                let steps: &[Step] = if here.group == group {
                    &[Step::Assigned]
                } else {
                    &[Step::SentToGroup, Step::Assigned]
                };
                (ConversationState { group, ..here.not_held(Open) }, steps)
            }
            Command::Close => (here.not_held(Closed), &[Step::Closed]),
            Command::CloseIdle { since } if self.quiet(since) => (here.not_held(Closed), &[Step::Closed]),
            Command::Return => (here.not_held(Bot), &[Step::Returned]),
            Command::ReturnUnanswered { since }
                if here.status == Open && self.unanswered && self.quiet(since) =>
            {
                (here.not_held(Bot), &[Step::Returned])
            }
            Command::SendToGroup(_) => {
                let group = Some(self.group()?);
                // A person who sends it releases it for the group; a rule takes nothing out of a person's
                // hands.
                let holder = if by_person { None } else { here.holder };
                (ConversationState { holder, group, ..here }, &[Step::SentToGroup])
            }
            Command::SendToMember(_, member) => {
                let group = Some(self.group()?);
                self.on_team()?;
                if self.member != TeamMembership::InGroup {
                    return Err(MoveRefusal::NotInGroup);
                }
                self.giveable(member, &asked.by)?;
                (ConversationState { group, ..here.held_by(member) }, &[Step::SentToGroup, Step::Assigned])
            }
            Command::TakeOutOfGroups => {
                (ConversationState { group: None, ..here }, &[Step::TakenOutOfGroups])
            }
            Command::LetGo(member) if here.holder == Some(member) => (here.not_held(Open), &[Step::LetGo]),
            Command::HandOver(None)
            | Command::Escalate(_)
            | Command::CloseIdle { .. }
            | Command::ReturnUnanswered { .. }
            | Command::LetGo(_) => (here, &[]),
        })
    }

    fn on_team(&self) -> Result<(), MoveRefusal> {
        if self.member == TeamMembership::NotOnTeam { Err(MoveRefusal::NotOnTeam) } else { Ok(()) }
    }

    fn group(&self) -> Result<Group, MoveRefusal> {
        self.group.clone().ok_or(MoveRefusal::NoSuchGroup)
    }

    /// Checks that nobody else holds it. A member who has left the team holds nothing.
    fn free_for(&self, member: MemberId) -> Result<(), MoveRefusal> {
        match self.conversation.assigned_to {
            Some(holder) if holder != member && self.holder_is_here => Err(MoveRefusal::HeldBy(holder)),
            _ => Ok(()),
        }
    }

    /// Checks that it may be given to `member`: a person may give any conversation to anybody; a rule only
    /// one that nobody else holds and that is not closed.
    fn giveable(&self, member: MemberId, by: &Actor) -> Result<(), MoveRefusal> {
        if by.member().is_some() {
            return Ok(());
        }
        if self.conversation.status == ConversationStatus::Closed {
            return Err(MoveRefusal::Closed);
        }
        self.free_for(member)
    }

    /// Returns whether nobody has written in it or moved it after `since`.
    fn quiet(&self, since: OffsetDateTime) -> bool {
        self.conversation.last_message_at <= since && self.moved_at.is_none_or(|at| at <= since)
    }
}

#[cfg(test)]
mod tests;
