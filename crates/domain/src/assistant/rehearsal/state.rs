//! A run through the questions, and where it stands.

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    fingerprint::Fingerprint,
    question::TestQuestion,
    result::{QuestionResult, Verdict},
};
use crate::ids::{MemberId, RehearsalId};

/// Runs that are kept, newest first.
pub const SHOWN_REHEARSALS: u32 = 20;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RehearsalState {
    Running,
    Finished,
    /// A member stopped it.
    Stopped,
    /// Another took its place, since the settings were changed.
    Replaced,
    /// The day's tokens are nearly spent: customers need the rest.
    TokensSpent,
    /// The model, or the workspace's system, could not be asked several times in a row.
    Unavailable,
    /// The subscription is paused.
    Paused,
}

impl RehearsalState {
    pub const ALL: [Self; 7] = [
        Self::Running,
        Self::Finished,
        Self::Stopped,
        Self::Replaced,
        Self::TokensSpent,
        Self::Unavailable,
        Self::Paused,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Replaced => "replaced",
            Self::TokensSpent => "tokens_spent",
            Self::Unavailable => "unavailable",
            Self::Paused => "paused",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A run through questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    pub id: RehearsalId,
    /// Who began it; `None` for an operator, or for the service after a change of an operator's.
    pub member: Option<MemberId>,
    pub state: RehearsalState,
    /// What answers rested on when it began.
    pub fingerprint: Fingerprint,
    /// Questions to ask.
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
    pub not_answered: u32,
    pub created_at: OffsetDateTime,
    /// Time of the last progress.
    pub changed_at: OffsetDateTime,
}

impl Rehearsal {
    /// Returns how many questions have a result.
    pub const fn asked(&self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.not_answered)
    }
}

/// A question and what came of it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedQuestion {
    pub question: TestQuestion,
    /// `None` until it is asked, and once it was changed since.
    pub result: Option<QuestionResult>,
}

/// The last results in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsalSummary {
    pub questions: usize,
    pub passed: usize,
    pub failed: usize,
    /// Time of the newest result; `None` if no question has one.
    #[serde(with = "crate::clock::timestamp::option")]
    pub at: Option<OffsetDateTime>,
    /// Whether a question has no result, or one of other settings.
    pub is_out_of_date: bool,
}

impl RehearsalSummary {
    /// Sums the results up; `None` without questions.
    pub fn of(questions: &[AskedQuestion], now: &Fingerprint) -> Option<Self> {
        let results = || questions.iter().filter_map(|asked| asked.result.as_ref());
        let count = |verdict| results().filter(|result| result.verdict == verdict).count();
        let is_current =
            |asked: &AskedQuestion| asked.result.as_ref().is_some_and(|result| result.fingerprint == *now);
        (!questions.is_empty()).then(|| Self {
            questions: questions.len(),
            passed: count(Verdict::Passed),
            failed: count(Verdict::Failed),
            at: results().map(|result| result.at).max(),
            is_out_of_date: !questions.iter().all(is_current),
        })
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::{AskedQuestion, Fingerprint, QuestionResult, RehearsalState, RehearsalSummary};
    use crate::{
        assistant::{
            AssistantSettings,
            rehearsal::{TestQuestion, Verdict, WrittenQuestion},
        },
        ids::TestQuestionId,
        testing::{SequentialIds, a_moment},
    };

    #[test]
    fn a_state_is_read_by_its_name() {
        for state in RehearsalState::ALL {
            assert_eq!(RehearsalState::read(state.as_str()), Some(state));
        }
        assert_eq!(RehearsalState::read("lost"), None);
    }

    #[test]
    fn results_are_out_of_date_once_one_is_missing_or_of_other_settings() {
        let now = Fingerprint::of(&AssistantSettings::default(), &[], None);
        let before = Fingerprint::of(&AssistantSettings::default(), &[], Some("another model"));
        let ids = SequentialIds::default();
        let asked = |result: Option<(Verdict, &Fingerprint, i64)>| AskedQuestion {
            question: TestQuestion {
                id: TestQuestionId::new(&ids),
                content: WrittenQuestion::of("كم السعر؟"),
                created_at: a_moment(),
                changed_at: a_moment(),
            },
            result: result.map(|(verdict, fingerprint, minute)| QuestionResult {
                verdict,
                ..QuestionResult::interrupted(a_moment() + Duration::minutes(minute), fingerprint.clone())
            }),
        };
        assert_eq!(RehearsalSummary::of(&[], &now), None);
        for (questions, passed, minute, is_out_of_date) in [
            (vec![asked(None)], 0, None, true),
            (vec![asked(Some((Verdict::Passed, &now, 1)))], 1, Some(1), false),
            (vec![asked(Some((Verdict::Passed, &before, 1)))], 1, Some(1), true),
            (
                vec![asked(Some((Verdict::Passed, &now, 1))), asked(Some((Verdict::Failed, &now, 2)))],
                1,
                Some(2),
                false,
            ),
            (vec![asked(Some((Verdict::Passed, &now, 1))), asked(None)], 1, Some(1), true),
        ] {
            let summary = RehearsalSummary::of(&questions, &now).unwrap();
            let at = minute.map(|minute| a_moment() + Duration::minutes(minute));
            assert_eq!(
                (summary.passed, summary.at, summary.is_out_of_date),
                (passed, at, is_out_of_date),
                "{questions:?}"
            );
        }
    }
}
