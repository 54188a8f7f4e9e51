//! Speech: an answer is a list of acts with references into the turn's evidence, and code words it.
//!
//! Nothing here asks a port. [`Telling::say`] refuses acts whose references are not in the [`Evidence`], and
//! words the others by a [`Phrasebook`]: no number, title, state or link is in its text that the evidence
//! does not hold.

mod act;
mod answer;
mod apologies;
mod evidence;
mod evidence_file;
mod figures;
mod introduction;
mod judge;
mod messages;
mod phrase;
mod phrasebook;
mod references;
mod refusal;
mod render;
mod rotation;
mod schema;
mod spoken;
#[cfg(test)]
mod tests;
mod voice;
mod written;

pub use act::{Act, Concern, OrderPart, Question, QuotePart, Topic, TotalLine};
pub use answer::{Answer, LONGEST_ANSWER};
pub use evidence::{DraftSummary, Evidence, OwnersFact, OwnersPassage, Range};
pub use evidence_file::EvidenceError;
pub use judge::{LONGEST_WORDING, Objection, is_courtesy, judge, judge_courtesy};
pub use messages::{Message, Speech};
pub use phrase::Phrase;
pub use phrasebook::{LONGEST_WORDING_LINE, Phrasebook, WordingError, WordingFault};
pub use refusal::{ActError, AnswerError, Refusal};
pub use render::{MOST_ACTS, Telling};
pub use rotation::Rotation;
pub use schema::schema;
pub use spoken::Fact;
pub use voice::{Register, Voice};
pub use written::{Amount, Id};
