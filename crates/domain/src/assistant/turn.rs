//! Turns of the assistant: those that are due, and the log of those that ended.

use std::time::Duration;

use time::OffsetDateTime;

use super::{
    cost::{Cost, Spent},
    model::TokenUsage,
    reason::HandOverReason,
};
use crate::ids::{ConversationId, MessageId, TurnId};

/// Longest time a customer waits before a person is asked to answer. With a [lease](crate::lease::LEASE) that
/// a dead process has left, that is within a minute and a half.
pub const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Longest time after a customer began to wait in which their answer is worked on. The rest of a minute and a
/// half is for sending it, which a network that hangs makes as long as twenty seconds, and for handing over.
pub const WORKED_ON: Duration = Duration::from_secs(65);
const _: () = assert!(WORKED_ON.as_secs() > LONGEST_WAIT.as_secs());
/// Silence of the assistant after a team member has written in one of its conversations.
pub const SILENCE: Duration = Duration::from_mins(15);
/// Most turns of one conversation in a day.
pub const MOST_TURNS_A_DAY: u32 = 60;

/// A claimed turn: the customer of the conversation waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTurn {
    pub conversation: ConversationId,
    /// Number of times that somebody has spoken in the conversation; a change of the settings counts, too.
    pub heard: i64,
    pub waiting_since: OffsetDateTime,
    /// An answer whose sending was begun, and the end of the time that it may take.
    pub sending: Option<(MessageId, OffsetDateTime)>,
    /// When a team member last wrote in the conversation; `None` if turns know of no such time.
    pub person_spoke_at: Option<OffsetDateTime>,
    /// Messages that last told the customer that an answer takes a moment or that a person will answer. They
    /// answer nothing, whenever they go out.
    pub notices: Vec<MessageId>,
    /// Turns of the day so far in which the model was asked.
    pub turns_of_day: u32,
    pub lease_until: OffsetDateTime,
}

/// Outcome of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnResult {
    Answered,
    Proposed,
    HandedOver(HandOverReason),
    /// Nothing was said, since something had passed the fence.
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

    /// Parses a row of the log: the name, and the reason of a hand-over.
    pub fn read(name: &str, reason: Option<&str>) -> Option<Self> {
        match name {
            "answered" => Some(Self::Answered),
            "proposed" => Some(Self::Proposed),
            "dropped" => Some(Self::Dropped),
            "handed_over" => HandOverReason::read(reason?).map(Self::HandedOver),
            _ => None,
        }
    }

    /// Returns the reason of a hand-over.
    pub const fn reason(self) -> Option<HandOverReason> {
        match self {
            Self::HandedOver(reason) => Some(reason),
            Self::Answered | Self::Proposed | Self::Dropped => None,
        }
    }
}

/// Whose wording of an answer was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    Code,
    Model,
}

impl Words {
    /// Returns its name in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Model => "model",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        [Self::Code, Self::Model].into_iter().find(|words| words.as_str() == name)
    }
}

/// A turn as the log keeps it, without a word of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    pub id: TurnId,
    pub conversation: ConversationId,
    pub result: TurnResult,
    /// In order.
    pub tools: Vec<&'static str>,
    /// Names of the acts of the answer, in order.
    pub acts: Vec<String>,
    /// Ids of the evidence that the acts refer to, each with its kind before it, such as `product:12`; of an
    /// order only `order`.
    pub evidence: Vec<String>,
    /// `None` without an answer.
    pub words: Option<Words>,
    /// Kind of the objection to the model's wording; `None` without a wording, or without an objection.
    pub objection: Option<String>,
    pub usage: TokenUsage,
    pub took: Duration,
    pub at: OffsetDateTime,
}

/// A turn as the log lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTurn {
    pub id: TurnId,
    pub conversation: ConversationId,
    /// Name of the [`TurnResult`].
    pub outcome: String,
    /// Name of the [`HandOverReason`]; `None` without a hand-over.
    pub reason: Option<String>,
    pub tools: Vec<String>,
    pub acts: Vec<String>,
    pub evidence: Vec<String>,
    /// Name of whose [`Words`] were sent; `None` without an answer.
    pub words: Option<String>,
    pub objection: Option<String>,
    /// Rules that answers broke, in turns of a version that judged prose.
    pub refused: Vec<String>,
    pub usage: TokenUsage,
    pub milliseconds: u64,
    pub at: OffsetDateTime,
}

/// Turns and tokens of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageOfDay {
    /// In UTC.
    pub day: time::Date,
    pub turns: u64,
    /// Turns that answered the customer or asked them to confirm something.
    pub answered: u64,
    pub handed_over: u64,
    pub usage: TokenUsage,
    /// What the tokens cost by the prices of their time.
    pub cost: Cost,
}

impl UsageOfDay {
    pub const fn spent(&self) -> Spent {
        let TokenUsage { read_tokens, written_tokens } = self.usage;
        Spent { tokens: read_tokens.saturating_add(written_tokens), cost: self.cost }
    }
}
