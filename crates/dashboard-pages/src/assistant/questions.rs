//! Page of the questions that the assistant is tested with.

use askama::Template;
use domain::assistant::{
    TurnResult,
    rehearsal::{Expected, HandOversOfWeek, QuestionResult, Rehearsal, RehearsalSummary, TestQuestion},
};

use super::tabs;
use crate::{
    frame::Frame,
    moment::Moment,
    refused::Refused,
    words::{AssistantWords, RehearsalWords},
};

/// A question as typed.
#[derive(Debug, Clone, Default)]
pub struct TypedQuestion {
    pub text: String,
    /// Name of what should come of it; empty for an answer.
    pub expects: String,
    /// Texts that the answer must hold, one per line.
    pub must: String,
    /// Texts that it must not hold, one per line.
    pub must_not: String,
}

impl From<&TestQuestion> for TypedQuestion {
    fn from(question: &TestQuestion) -> Self {
        let content = &question.content;
        Self {
            text: content.text.clone(),
            expects: content.expected.as_str().to_owned(),
            must: content.must.join("\n"),
            must_not: content.must_not.join("\n"),
        }
    }
}

/// A question of the list.
#[derive(Debug, Clone)]
pub struct QuestionRow {
    pub id: String,
    pub form: TypedQuestion,
    /// Whether the form is what was typed and refused.
    pub is_typed: bool,
    /// `None` until it is asked.
    pub result: Option<QuestionResult>,
    /// Whether the result is one of other settings.
    pub is_out_of_date: bool,
}

/// A run of the history.
#[derive(Debug, Clone)]
pub struct RunRow {
    pub run: Rehearsal,
    /// Name of who began it; `None` for the service and its operators.
    pub by: Option<String>,
    pub is_out_of_date: bool,
}

/// Page of the questions.
#[derive(Template)]
#[template(path = "assistant/questions.html")]
pub struct QuestionsPage<'a> {
    pub frame: &'a Frame,
    /// `None` without questions.
    pub summary: Option<RehearsalSummary>,
    pub questions: Vec<QuestionRow>,
    /// Newest first.
    pub runs: Vec<RunRow>,
    pub week: HandOversOfWeek,
    /// Question that was typed to be added, and refused.
    pub draft: TypedQuestion,
    /// Questions that were pasted, and refused.
    pub pasted: String,
    pub refused: Option<Refused>,
}

impl QuestionsPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant/questions")
    }

    const fn w(&self) -> &'static RehearsalWords {
        &self.frame.words().rehearsals
    }

    const fn a(&self) -> &'static AssistantWords {
        &self.frame.words().assistant
    }

    /// Returns the run that is under way.
    fn running(&self) -> Option<&Rehearsal> {
        let mut runs = self.runs.iter().map(|row| &row.run);
        runs.find(|run| run.state == domain::assistant::rehearsal::RehearsalState::Running)
    }

    /// Lists what may be expected: name, label, and whether it is chosen.
    fn expectations<'f>(
        &self,
        form: &'f TypedQuestion,
    ) -> impl Iterator<Item = (&'static str, &'static str, bool)> + use<'f> {
        let (words, chosen) = (self.w(), form.expects.as_str());
        let is_chosen = move |expected: Expected| expected.as_str() == chosen;
        Expected::ALL
            .into_iter()
            .map(move |expected| (expected.as_str(), words.expected(&expected), is_chosen(expected)))
    }

    /// Returns what came of a question in words: an answer says it by itself.
    fn came_of(&self, result: &QuestionResult) -> Option<String> {
        Some(match result.ended {
            TurnResult::Answered => return None,
            TurnResult::Proposed => {
                let tool = result.proposal().unwrap_or_default();
                format!("{}: {}", self.a().would_propose, self.a().tool_named(tool))
            }
            TurnResult::HandedOver(reason) => {
                format!("{}: {}", self.a().would_ask, self.a().reason(&reason))
            }
            TurnResult::Dropped => self.w().interrupted.to_owned(),
        })
    }

    /// Returns the time of a result or run.
    fn moment(at: &time::OffsetDateTime) -> Moment {
        Moment::from(*at)
    }
}
