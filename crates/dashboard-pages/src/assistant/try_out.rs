//! A chat with the assistant that reaches nobody.

use askama::Template;
use domain::assistant::{HandOverReason, Rule, Tool};

use super::tabs;
use crate::{frame::Frame, words::AssistantWords};

/// Something that was said.
#[derive(Debug, Clone)]
pub struct TryTurn {
    /// Whether the customer said it.
    pub is_customers: bool,
    /// What.
    pub text: String,
}

/// How the newest answer came about.
#[derive(Debug, Clone)]
pub enum StepRow {
    /// A tool was run.
    Ran {
        /// Its name, as the model wrote it.
        tool: String,
        /// The arguments, as the model wrote them.
        arguments: String,
        /// What the model was told.
        told: String,
    },
    /// An answer was refused.
    Refused {
        /// What it said.
        text: String,
        /// What it broke.
        rules: Vec<Rule>,
    },
}

/// The chat.
#[derive(Template)]
#[template(path = "assistant/try.html")]
pub struct TryPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// What was said so far.
    pub said: Vec<TryTurn>,
    /// The same as the next message is sent with it.
    pub history: String,
    /// How the newest answer came about.
    pub steps: Vec<StepRow>,
    /// By which tool the customer would have been asked to confirm something.
    pub proposed: Option<Tool>,
    /// Why a person would have been asked for.
    pub hand_over: Option<HandOverReason>,
    /// Tokens that it took; `None` where nothing was tried.
    pub tokens: Option<u64>,
    /// What was typed and not taken.
    pub draft: &'a str,
    /// Why it was not tried.
    pub refused: Option<&'a str>,
}

impl TryPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 3] {
        tabs(self.frame, "/dashboard/settings/assistant/try")
    }
}

impl AssistantWords {
    /// What an answer broke.
    pub const fn rule(&self, rule: &Rule) -> &'static str {
        match rule {
            Rule::Numbers => self.broke_numbers,
            Rule::Times => self.broke_times,
            Rule::Claims => self.broke_claims,
            Rule::Links => self.broke_links,
            Rule::Language => self.broke_language,
            Rule::Internals => self.broke_internals,
            Rule::Empty => self.broke_empty,
            Rule::Length => self.broke_length,
        }
    }

    /// Why a person is asked for.
    pub const fn reason(&self, reason: &HandOverReason) -> &'static str {
        match reason {
            HandOverReason::Asked => self.customer_asked,
            HandOverReason::ModelAsked => self.needs_person,
            HandOverReason::UnsafeAnswer => self.unsafe_answer,
            HandOverReason::ModelDown => self.model_unavailable,
            HandOverReason::ModelTimedOut => self.model_timed_out,
            HandOverReason::Exhausted => self.turn_exhausted,
            HandOverReason::CapReached => self.cap_reached,
            HandOverReason::Unanswered => self.unanswered,
            HandOverReason::AnswerUnconfirmed => self.answer_unconfirmed,
            HandOverReason::CannotAnswer => self.cannot_answer,
            HandOverReason::NotCarriedOut => self.not_carried_out,
            HandOverReason::DoneOtherwise => self.done_otherwise,
            HandOverReason::SystemUnavailable => self.system_unavailable,
        }
    }
}
