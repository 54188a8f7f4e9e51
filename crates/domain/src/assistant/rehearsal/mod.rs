//! Rehearsals: questions of the owner's that the assistant answers without any effect, and what its answers
//! have to hold.

mod fingerprint;
#[cfg(test)]
pub(crate) mod fixtures;
mod hand_overs;
mod judge;
mod manage;
pub mod ports;
mod question;
mod result;
mod run;
mod runs;
mod state;

pub use fingerprint::Fingerprint;
pub use hand_overs::{HandOversOfWeek, HandedOver, ReadHandOvers, SHOWN_HAND_OVERS};
pub use manage::{ManageQuestions, QuestionError};
pub use question::{
    Expected, LONGEST_DEMAND, LONGEST_QUESTION, MOST_DEMANDS, MOST_QUESTIONS, QuestionRule, TestQuestion,
    WrittenQuestion,
};
pub use result::{QuestionResult, Verdict};
pub use run::{RehearsalStep, RunRehearsals};
pub use runs::{ManageRehearsals, RehearsalError};
pub use state::{AskedQuestion, Rehearsal, RehearsalState, RehearsalSummary, SHOWN_REHEARSALS};
