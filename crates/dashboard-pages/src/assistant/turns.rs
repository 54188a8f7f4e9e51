//! Page of the assistant's turns, and of what they took.

use askama::Template;
use domain::assistant::{Rule, TurnResult};

use super::tabs;
use crate::{frame::Frame, moment::Moment, words::AssistantWords};

/// A turn that has ended.
#[derive(Debug, Clone)]
pub struct TurnRow {
    /// When it ended.
    pub at: Moment,
    pub conversation: String,
    pub result: TurnResult,
    /// Names of the tools that were run.
    pub tools: Vec<String>,
    pub refused: Vec<Rule>,
    /// Tokens read and written.
    pub tokens: u64,
    /// Duration in milliseconds.
    pub took: u64,
}

/// Totals of a day.
#[derive(Debug, Clone)]
pub struct DayRow {
    pub day: String,
    /// Turns that ended.
    pub turns: u64,
    /// Turns with an answer.
    pub answered: u64,
    /// Turns that were handed over to a person.
    pub handed_over: u64,
    /// Tokens read and written.
    pub tokens: u64,
}

/// Page of turns and days.
#[derive(Template)]
#[template(path = "assistant/turns.html")]
pub struct TurnsPage<'a> {
    pub frame: &'a Frame,
    /// Newest first.
    pub turns: Vec<TurnRow>,
    /// Path of the page with earlier turns.
    pub earlier: Option<String>,
    /// Newest first; empty on pages with earlier turns.
    pub days: Vec<DayRow>,
    pub daily_tokens: u64,
    /// Whether today has taken most of its tokens.
    pub is_nearly_spent: bool,
}

impl TurnsPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 3] {
        tabs(self.frame, "/dashboard/settings/assistant/turns")
    }
}

impl AssistantWords {
    /// Returns the words for the result of a turn.
    pub const fn outcome(&self, result: &TurnResult) -> &'static str {
        match result {
            TurnResult::Answered => self.answered,
            TurnResult::Proposed => self.proposed,
            TurnResult::HandedOver(_) => self.handed_over,
            TurnResult::Dropped => self.dropped,
        }
    }
}
