//! Page of a chat with the assistant that reaches nobody.

use askama::Template;
use domain::assistant::{ByLanguage, HandOverReason, Tool, Words};

use super::{knowledge::EvidenceRow, tabs};
use crate::{frame::Frame, refused::Refused, words::AssistantWords};

/// A message of the chat.
#[derive(Debug, Clone)]
pub struct TryTurn {
    /// Whether the customer wrote it.
    pub is_customers: bool,
    pub text: String,
}

/// A step on the way to the newest answer.
#[derive(Debug, Clone)]
pub enum StepRow {
    /// A tool was run.
    Ran {
        /// Name as the model wrote it.
        tool: String,
        /// Arguments as the model wrote them.
        arguments: String,
        /// Result as the model got it.
        told: String,
    },
    /// An answer was refused.
    Refused {
        /// Text of the answer.
        text: String,
        /// Why, as the model was told.
        why: String,
    },
}

/// Acts as typed.
#[derive(Debug, Clone, Default)]
pub struct TypedActs {
    pub acts: String,
    pub evidence: String,
    /// Tag of the language that they are worded in; empty for Arabic.
    pub language: String,
}

/// A message that acts were worded as.
#[derive(Debug, Clone)]
pub struct SaidMessage {
    /// Address of the photo; the text is its caption.
    pub photo: Option<String>,
    pub text: String,
}

/// Acts in words.
#[derive(Debug, Clone)]
pub struct Worded {
    pub messages: Vec<SaidMessage>,
    pub words: Words,
    /// Name of the objection to the wording that came along.
    pub objection: Option<&'static str>,
}

/// Page of the chat.
#[derive(Template)]
#[template(path = "assistant/try.html")]
pub struct TryPage<'a> {
    pub frame: &'a Frame,
    /// Messages so far.
    pub said: Vec<TryTurn>,
    /// These messages in the form in which they are posted with the next one.
    pub history: String,
    /// Steps on the way to the newest answer.
    pub steps: Vec<StepRow>,
    /// What the newest answer refers to.
    pub evidence: Vec<EvidenceRow>,
    /// Tool by which the customer would have been asked to confirm something.
    pub proposed: Option<Tool>,
    /// Why the conversation would have been handed over to a person.
    pub hand_over: Option<HandOverReason>,
    /// Tokens that the answer took; `None` where nothing was tried.
    pub tokens: Option<u64>,
    /// Message that was typed and refused.
    pub draft: &'a str,
    pub refused: Option<Refused>,
    /// Acts that were typed in place of a message.
    pub acts: TypedActs,
    pub worded: Option<Worded>,
}

impl TryPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant/try")
    }

    /// Returns whether the fold of the acts is open.
    const fn has_acts(&self) -> bool {
        !self.acts.acts.is_empty() || self.worded.is_some()
    }

    /// Lists the languages that acts are worded in.
    fn languages(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let words = &self.frame.words().assistant;
        ByLanguage::CODES.into_iter().zip([words.hand_over_ar, words.hand_over_en, words.in_sorani])
    }
}

impl AssistantWords {
    /// Returns the words for the reason of a hand-over.
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
            HandOverReason::CannotRead => self.cannot_read,
            HandOverReason::NotCarriedOut => self.not_carried_out,
            HandOverReason::DoneOtherwise => self.done_otherwise,
            HandOverReason::SystemUnavailable => self.system_unavailable,
        }
    }
}
