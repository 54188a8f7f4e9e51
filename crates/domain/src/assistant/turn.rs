//! A turn of the assistant as it is waited for and remembered.

use std::time::Duration;

use time::OffsetDateTime;

use super::{HandOverReason, Rule, TokenUsage};
use crate::ids::{ConversationId, MessageId, TurnId};

/// How long a customer may be left without an answer before a person is asked to give one. With a
/// [lease](crate::lease::LEASE), for somebody who has died over it, that is a minute and a half.
pub const LONGEST_WAIT: Duration = Duration::from_secs(75);
/// How long after a customer began to wait their answer is worked on at most: what is left until a minute and a half is
/// for handing over.
pub const WORKED_ON: Duration = Duration::from_secs(80);
const _: () = assert!(WORKED_ON.as_secs() > LONGEST_WAIT.as_secs());
/// How long the assistant is silent after a person has written in a conversation of its own.
pub const SILENCE: Duration = Duration::from_mins(15);
/// Turns of one conversation in a day.
pub const MOST_TURNS_A_DAY: u32 = 60;

/// A conversation whose customer waits for an answer, taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTurn {
    /// The conversation.
    pub conversation: ConversationId,
    /// How often somebody has spoken in it.
    pub heard: i64,
    /// Since when the customer waits.
    pub waiting_since: OffsetDateTime,
    /// An answer that somebody has begun to send, and until when that may take.
    pub sending: Option<(MessageId, OffsetDateTime)>,
    /// When a person of the team last wrote in it, as far as turns know.
    pub person_spoke_at: Option<OffsetDateTime>,
    /// Turns of the day in which the model was asked so far.
    pub turns_of_day: u32,
    /// Until when it is left alone by others.
    pub lease_until: OffsetDateTime,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnResult {
    /// The customer was answered.
    Answered,
    /// The customer was asked to confirm something.
    Proposed,
    /// A person was asked for.
    HandedOver(HandOverReason),
    /// Something had passed meanwhile, so that nothing was said.
    Dropped,
}

impl TurnResult {
    /// Its name in the log.
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

    /// Why a person was asked for.
    pub const fn reason(self) -> Option<HandOverReason> {
        match self {
            Self::HandedOver(reason) => Some(reason),
            Self::Answered | Self::Proposed | Self::Dropped => None,
        }
    }
}

/// A turn as the log keeps it, without a word of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// Its id.
    pub id: TurnId,
    /// Where it was.
    pub conversation: ConversationId,
    /// How it ended.
    pub result: TurnResult,
    /// The tools that were run, in order, by name.
    pub tools: Vec<&'static str>,
    /// The rules that answers broke, each time that one did.
    pub refused: Vec<Rule>,
    /// What was used of the model.
    pub usage: TokenUsage,
    /// How long it took.
    pub took: Duration,
    /// When it ended.
    pub at: OffsetDateTime,
}

/// A turn as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTurn {
    /// Its id.
    pub id: TurnId,
    /// Where it was.
    pub conversation: ConversationId,
    /// How it ended, by name.
    pub outcome: String,
    /// Why a person was asked for, by name.
    pub reason: Option<String>,
    /// The tools that were run.
    pub tools: Vec<String>,
    /// The rules that answers broke.
    pub refused: Vec<String>,
    /// What was used of the model.
    pub usage: TokenUsage,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    /// When it ended.
    pub at: OffsetDateTime,
}

/// What a day took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageOfDay {
    /// The day, in UTC.
    pub day: time::Date,
    /// Turns that ended.
    pub turns: u64,
    /// Those of them in which the customer was answered or asked to confirm something.
    pub answered: u64,
    /// Those in which a person was asked for.
    pub handed_over: u64,
    /// What was used of models.
    pub usage: TokenUsage,
}
