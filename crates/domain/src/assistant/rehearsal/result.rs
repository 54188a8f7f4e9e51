//! What came of a question, and whether that is what its owner demands.

use std::time::Duration;

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    fingerprint::Fingerprint,
    judge::holds,
    question::{Expected, WrittenQuestion},
};
use crate::assistant::{
    answer::{TurnEnding, TurnOutcome},
    model::TokenUsage,
    reason::HandOverReason,
    speech::Message,
    toolbox::Tool,
    turn::{TurnResult, Words},
};

/// Most characters that are kept of an answer.
const LONGEST_REPLY: usize = 4_000;

/// Whether an answer is what its owner demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    /// Nothing can be said of the assistant: its model or the workspace's system could not be asked, the
    /// day's tokens were spent, or the question was interrupted.
    NotAnswered,
}

impl Verdict {
    pub const ALL: [Self; 3] = [Self::Passed, Self::Failed, Self::NotAnswered];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotAnswered => "not_answered",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}

/// Result of a question, as the page keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionResult {
    pub verdict: Verdict,
    /// What came of it; dropped if it was interrupted time and again.
    pub ended: TurnResult,
    /// Whether that is what was expected.
    pub is_as_expected: bool,
    /// Texts that the answer must hold and does not.
    pub missing: Vec<String>,
    /// Texts that it must not hold and does.
    pub forbidden: Vec<String>,
    /// Answer as the customer would get it; empty without one.
    pub reply: String,
    /// Names of the acts of the answer.
    pub acts: Vec<String>,
    /// Names of the tools that were asked, in order; the last of a proposal is what it proposes.
    pub tools: Vec<String>,
    /// Whose wording would have gone out; `None` without an answer.
    pub words: Option<Words>,
    pub usage: TokenUsage,
    pub milliseconds: u64,
    pub at: OffsetDateTime,
    pub fingerprint: Fingerprint,
}

/// Returns whether a hand-over for this reason says nothing of the assistant.
const fn is_outage(reason: HandOverReason) -> bool {
    matches!(
        reason,
        HandOverReason::ModelDown
            | HandOverReason::ModelTimedOut
            | HandOverReason::CapReached
            | HandOverReason::SystemUnavailable
    )
}

impl QuestionResult {
    /// Judges what came of a question.
    pub(super) fn judge(
        question: &WrittenQuestion,
        outcome: TurnOutcome,
        (took, at): (Duration, OffsetDateTime),
        fingerprint: Fingerprint,
    ) -> Self {
        let (ended, proposed, reply) = match outcome.ending {
            TurnEnding::Reply { messages } => (TurnResult::Answered, None, Some(text_of(&messages))),
            TurnEnding::Proposed(proposed, _) => (TurnResult::Proposed, Some(proposed), None),
            TurnEnding::HandOver(reason) => (TurnResult::HandedOver(reason), None, None),
        };
        let is_as_expected = is_expected(question.expected, ended, proposed);
        let text = reply.as_deref().unwrap_or_default();
        let missing = |must: &&String| reply.is_some() && !holds(text, must);
        let missing: Vec<_> = question.must.iter().filter(missing).cloned().collect();
        let forbidden: Vec<_> = question.must_not.iter().filter(|not| holds(text, not)).cloned().collect();
        let verdict = match ended {
            TurnResult::HandedOver(reason) if is_outage(reason) => Verdict::NotAnswered,
            _ if is_as_expected && missing.is_empty() && forbidden.is_empty() => Verdict::Passed,
            _ => Verdict::Failed,
        };
        Self {
            verdict,
            ended,
            is_as_expected,
            missing,
            forbidden,
            reply: text.replace('\0', "").chars().take(LONGEST_REPLY).collect(),
            acts: outcome.said.acts,
            tools: outcome.tools.iter().map(|tool| tool.as_str().to_owned()).collect(),
            words: outcome.said.words,
            usage: outcome.usage,
            milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            at,
            fingerprint,
        }
    }

    /// Makes the result of a question whose processes ended before its answer came.
    pub(super) fn interrupted(at: OffsetDateTime, fingerprint: Fingerprint) -> Self {
        Self {
            verdict: Verdict::NotAnswered,
            ended: TurnResult::Dropped,
            is_as_expected: false,
            missing: Vec::new(),
            forbidden: Vec::new(),
            reply: String::new(),
            acts: Vec::new(),
            tools: Vec::new(),
            words: None,
            usage: TokenUsage::default(),
            milliseconds: 0,
            at,
            fingerprint,
        }
    }

    /// Returns the reason of a hand-over.
    pub const fn reason(&self) -> Option<HandOverReason> {
        match self.ended {
            TurnResult::HandedOver(reason) => Some(reason),
            TurnResult::Answered | TurnResult::Proposed | TurnResult::Dropped => None,
        }
    }

    /// Returns the name of the tool of a proposal.
    pub fn proposal(&self) -> Option<&str> {
        self.tools.last().filter(|_| self.ended == TurnResult::Proposed).map(String::as_str)
    }
}

fn text_of(messages: &[Message]) -> String {
    messages.iter().filter_map(Message::text).collect::<Vec<_>>().join("\n\n")
}

fn is_expected(expected: Expected, ended: TurnResult, proposed: Option<Tool>) -> bool {
    match (expected, ended) {
        (Expected::Any, _)
        | (Expected::Answer, TurnResult::Answered)
        | (Expected::HandOver, TurnResult::HandedOver(_)) => true,
        _ => proposed.is_some() && proposed == expected.proposal(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Expected, Fingerprint, QuestionResult, Verdict, WrittenQuestion};
    use crate::{
        assistant::{
            AssistantSettings, HandOverReason, Said, Sent, TokenUsage, Tool, TurnEnding, TurnOutcome,
            TurnResult, speech::Message,
        },
        testing::a_moment,
    };

    fn judged(question: &WrittenQuestion, ending: TurnEnding) -> QuestionResult {
        let tools = match &ending {
            TurnEnding::Proposed(tool, _) => vec![Tool::SearchProducts, *tool],
            _ => vec![Tool::SearchProducts],
        };
        let usage = TokenUsage { read_tokens: 10, written_tokens: 2 };
        let outcome = TurnOutcome { ending, tools, usage, said: Said::default(), steps: Vec::new() };
        let fingerprint = Fingerprint::of(&AssistantSettings::default(), &[], None);
        QuestionResult::judge(question, outcome, (Duration::from_millis(7), a_moment()), fingerprint)
    }

    fn says(texts: &[&str]) -> TurnEnding {
        TurnEnding::Reply { messages: texts.iter().map(|text| Message::Text((*text).to_owned())).collect() }
    }

    #[test]
    fn what_is_missing_and_what_stands_there_all_the_same_is_named() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let question = WrittenQuestion {
            must: texts(&["25,000", "بغداد"]),
            must_not: texts(&["مجانا", "غداً"]),
            ..WrittenQuestion::of("شكد التوصيل؟")
        };
        let good = judged(&question, says(&["نوصل لبغداد", "بـ ٢٥٬٠٠٠ دينار"]));
        assert_eq!((good.verdict, good.reply.as_str()), (Verdict::Passed, "نوصل لبغداد\n\nبـ ٢٥٬٠٠٠ دينار"));
        assert_eq!((good.milliseconds, good.tools.as_slice()), (7, &["searchProducts".to_owned()][..]));
        let bad = judged(&question, says(&["التوصيل مجاناً لبغداد"]));
        assert_eq!(bad.verdict, Verdict::Failed);
        assert_eq!((bad.missing, bad.forbidden), (texts(&["25,000"]), texts(&["مجانا"])));
    }

    #[test]
    fn what_should_happen_is_judged_and_an_outage_is_no_failure() {
        let hands_over = TurnEnding::HandOver;
        for (expected, ending, verdict) in [
            (Expected::Answer, says(&["هلا"]), Verdict::Passed),
            (Expected::Answer, hands_over(HandOverReason::ModelAsked), Verdict::Failed),
            (Expected::Answer, TurnEnding::Proposed(Tool::PlaceOrder, Sent::Yes), Verdict::Failed),
            (Expected::HandOver, hands_over(HandOverReason::Asked), Verdict::Passed),
            (Expected::HandOver, says(&["هلا"]), Verdict::Failed),
            (Expected::ProposeOrder, TurnEnding::Proposed(Tool::PlaceOrder, Sent::Yes), Verdict::Passed),
            (Expected::ProposeOrder, TurnEnding::Proposed(Tool::CancelOrder, Sent::Yes), Verdict::Failed),
            (
                Expected::ProposeBooking,
                TurnEnding::Proposed(Tool::BookAppointment, Sent::Yes),
                Verdict::Passed,
            ),
            (Expected::ProposeCancellation, says(&["هلا"]), Verdict::Failed),
            (Expected::Any, hands_over(HandOverReason::UnsafeAnswer), Verdict::Passed),
            (Expected::HandOver, hands_over(HandOverReason::ModelDown), Verdict::NotAnswered),
            (Expected::Any, hands_over(HandOverReason::ModelTimedOut), Verdict::NotAnswered),
            (Expected::Answer, hands_over(HandOverReason::CapReached), Verdict::NotAnswered),
            (Expected::Answer, hands_over(HandOverReason::SystemUnavailable), Verdict::NotAnswered),
        ] {
            let question = WrittenQuestion { expected, ..WrittenQuestion::of("اريد اطلب") };
            let result = judged(&question, ending.clone());
            assert_eq!(result.verdict, verdict, "{expected:?} {ending:?}");
            let proposal = matches!(ending, TurnEnding::Proposed(..));
            assert_eq!(result.proposal().is_some(), proposal, "{ending:?}");
        }
    }

    #[test]
    fn a_verdict_is_read_by_its_name_and_an_interrupted_question_has_none_of_the_assistant() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::read(verdict.as_str()), Some(verdict));
        }
        let result = QuestionResult::interrupted(
            a_moment(),
            Fingerprint::of(&AssistantSettings::default(), &[], None),
        );
        assert_eq!((result.verdict, result.ended), (Verdict::NotAnswered, TurnResult::Dropped));
    }
}
