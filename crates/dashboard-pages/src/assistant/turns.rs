//! Page of the assistant's turns, and of what they took.

use askama::Template;
use domain::assistant::{TurnResult, Words};

use super::{knowledge::EvidenceRow, tabs};
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
    /// Names of the acts of the answer.
    pub acts: Vec<String>,
    /// What they refer to.
    pub evidence: Vec<EvidenceRow>,
    /// Whose wording was sent; `None` without an answer.
    pub words: Option<Words>,
    /// Kind of the objection to the model's wording.
    pub objection: Option<String>,
    /// Names of the rules that answers broke before they were acts.
    pub refused: Vec<String>,
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
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant/turns")
    }
}

impl AssistantWords {
    /// Returns the words for an act; the name itself for one of a later release.
    pub fn act<'a>(&'a self, name: &'a str) -> &'a str {
        match name {
            "quote" => self.quote,
            "list" => self.list,
            "compare" => self.compare,
            "closest" => self.closest,
            "not_found" => self.not_found,
            "total" => self.total,
            "multiple" => self.multiple,
            "decline_offer" => self.decline_offer,
            "discount" => self.discount,
            "order_status" => self.order_status,
            "record" => self.record,
            "slots" => self.slots,
            "no_slots" => self.no_slots,
            "cite" => self.cite,
            "propose_order" | "propose_booking" | "propose_cancellation" => self.propose,
            "how_to_order" => self.how_to_order,
            "under_way" => self.under_way,
            "ask" | "clarify" | "confirm_understanding" => self.asked,
            "greet" | "thank" | "apologise" | "wait" | "you_are_welcome" | "bye" => self.courtesy,
            "who_i_am" | "not_a_person" => self.who_i_am,
            "cannot" => self.cannot,
            "lead" => self.lead,
            "hand_over" => self.hand_over,
            name => name,
        }
    }

    /// Returns the words for whose wording was sent.
    pub const fn whose(&self, words: &Words) -> &'static str {
        match words {
            Words::Code => self.codes_words,
            Words::Model => self.models_words,
        }
    }

    /// Returns the words for why a model's wording was not sent; the name itself for one of a later release.
    pub fn objection<'a>(&'a self, name: &'a str) -> &'a str {
        match name {
            "too_long" | "longer" => self.against_length,
            "empty" => self.broke_empty,
            "reserved" => self.against_reserved,
            "number" => self.against_facts,
            "sign" | "word" => self.against_words,
            "left_out" => self.against_left_out,
            name => name,
        }
    }

    /// Returns the words for a rule that an answer broke before answers were acts.
    pub fn rule_named<'a>(&'a self, name: &'a str) -> &'a str {
        match name {
            "numbers" => self.broke_numbers,
            "times" => self.broke_times,
            "claims" => self.broke_claims,
            "links" => self.broke_links,
            "language" => self.broke_language,
            "internals" => self.broke_internals,
            "empty" => self.broke_empty,
            "length" => self.broke_length,
            name => name,
        }
    }

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
