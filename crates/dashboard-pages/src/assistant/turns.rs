//! What the assistant did, and what it took.

use askama::Template;
use domain::assistant::{Rule, TurnResult};

use super::tabs;
use crate::{frame::Frame, moment::Moment, words::AssistantWords};

/// A turn that has ended.
#[derive(Debug, Clone)]
pub struct TurnRow {
    /// When.
    pub at: Moment,
    /// In which conversation.
    pub conversation: String,
    /// What became of it.
    pub result: TurnResult,
    /// The names of the tools that were run.
    pub tools: Vec<String>,
    /// The rules that answers broke.
    pub refused: Vec<Rule>,
    /// Tokens, read and written.
    pub tokens: u64,
    /// Milliseconds.
    pub took: u64,
}

/// What a day took.
#[derive(Debug, Clone)]
pub struct DayRow {
    /// The day.
    pub day: String,
    /// Turns that ended.
    pub turns: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Those in which a person was asked for.
    pub handed_over: u64,
    /// Tokens, read and written.
    pub tokens: u64,
}

/// Turns and days.
#[derive(Template)]
#[template(path = "assistant/turns.html")]
pub struct TurnsPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// Newest first.
    pub turns: Vec<TurnRow>,
    /// The page with earlier ones.
    pub earlier: Option<String>,
    /// Newest first; empty on pages with earlier turns.
    pub days: Vec<DayRow>,
    /// Tokens that a day may take.
    pub daily_tokens: u64,
    /// Whether today has taken most of them.
    pub is_nearly_spent: bool,
}

impl TurnsPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 3] {
        tabs(self.frame, "/dashboard/settings/assistant/turns")
    }
}

impl AssistantWords {
    /// What became of a turn.
    pub const fn outcome(&self, result: &TurnResult) -> &'static str {
        match result {
            TurnResult::Answered => self.answered,
            TurnResult::Proposed => self.proposed,
            TurnResult::HandedOver(_) => self.handed_over,
            TurnResult::Dropped => self.dropped,
        }
    }
}
