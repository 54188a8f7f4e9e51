//! A turn of the assistant as it is waited for and remembered.

use std::time::Duration;

use time::OffsetDateTime;

use super::{HandOverReason, Rule, TokenUsage};
use crate::ids::{ConversationId, MessageId, TurnId};

/// It says how long a customer may be left without an answer before a person is asked to give one. With a
/// [lease](crate::lease::LEASE), for somebody who has died over it, that is within a minute and a half.
pub const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long after a customer began to wait their answer is worked on at most. What is left until a minute and a half is
/// for sending it, which a network that hangs makes as long as twenty seconds, and for handing over.
pub const WORKED_ON: Duration = Duration::from_secs(65);
const _: () = assert!(WORKED_ON.as_secs() > LONGEST_WAIT.as_secs());
/// How long the assistant is silent after a person has written in a conversation of its own.
pub const SILENCE: Duration = Duration::from_mins(15);
/// One conversation has at most so many turns in a day.
pub const MOST_TURNS_A_DAY: u32 = 60;

/// The customer of this conversation waits for an answer, and the turn was taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTurn {
    pub conversation: ConversationId,
    /// Somebody has spoken in the conversation so often.
    pub heard: i64,
    /// The customer waits since then.
    pub waiting_since: OffsetDateTime,
    /// Somebody has begun to send this answer, and may take until then.
    pub sending: Option<(MessageId, OffsetDateTime)>,
    /// It says when a person of the team last wrote in it, as far as turns know.
    pub person_spoke_at: Option<OffsetDateTime>,
    /// Turns of the day in which the model was asked so far.
    pub turns_of_day: u32,
    /// Others leave the conversation alone until then.
    pub lease_until: OffsetDateTime,
}

/// It says how a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnResult {
    Answered,
    Proposed,
    /// A person was asked for.
    HandedOver(HandOverReason),
    /// Something had passed meanwhile, so that nothing was said.
    Dropped,
}

impl TurnResult {
    /// Returns its name in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Proposed => "proposed",
            Self::HandedOver(_) => "handed_over",
            Self::Dropped => "dropped",
        }
    }

    /// Reads a line of the log: the name, and the reason where a person was asked for.
    pub fn read(name: &str, reason: Option<&str>) -> Option<Self> {
        match name {
            "answered" => Some(Self::Answered),
            "proposed" => Some(Self::Proposed),
            "dropped" => Some(Self::Dropped),
            "handed_over" => HandOverReason::read(reason?).map(Self::HandedOver),
            _ => None,
        }
    }

    /// Returns why a person was asked for, where one was.
    pub const fn reason(self) -> Option<HandOverReason> {
        match self {
            Self::HandedOver(reason) => Some(reason),
            Self::Answered | Self::Proposed | Self::Dropped => None,
        }
    }
}

/// It is a turn as the log keeps it, without a word of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    pub id: TurnId,
    pub conversation: ConversationId,
    pub result: TurnResult,
    /// These tools were run, in order, by name.
    pub tools: Vec<&'static str>,
    /// Answers broke these rules, each time that one did.
    pub refused: Vec<Rule>,
    pub usage: TokenUsage,
    pub took: Duration,
    pub at: OffsetDateTime,
}

/// It is a turn as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTurn {
    pub id: TurnId,
    pub conversation: ConversationId,
    /// It says how the turn ended, by name.
    pub outcome: String,
    /// It says why a person was asked for, by name.
    pub reason: Option<String>,
    pub tools: Vec<String>,
    /// Answers broke these rules.
    pub refused: Vec<String>,
    pub usage: TokenUsage,
    pub milliseconds: u64,
    pub at: OffsetDateTime,
}

/// It says what a day took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageOfDay {
    /// The day is one of UTC.
    pub day: time::Date,
    /// So many turns ended.
    pub turns: u64,
    /// In so many of them, the customer was answered or asked to confirm something.
    pub answered: u64,
    /// In so many, a person was asked for.
    pub handed_over: u64,
    pub usage: TokenUsage,
}
