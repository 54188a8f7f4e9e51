//! Confirmation by the customer of what is ordered, booked or cancelled in their name.
//!
//! A [`Proposal`] is what would be sent to the system; a [`Draft`] is one that was put to a customer as a
//! [`Summary`] in our words ([`ProposeDraft`]). [`ReadAnswers`] reads what the customer writes next, by
//! [`read_answer()`]; a yes makes a commitment. [`CarryOut`](crate::fulfilment::CarryOut) carries that out:
//! it reads again what was quoted, asks the system under a key that was stored before, and tells the customer
//! and the subscribers the outcome.

mod answer;
mod ask_again;
mod commitment;
mod draft;
mod draft_kind;
mod drafts;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod ports;
mod prepared;
mod proposal;
mod propose;
mod read_answer;
mod read_answers;
pub(crate) mod receipt;
pub(crate) mod requote;
mod stored;
mod summary;
mod words;

pub use answer::Answer;
pub(crate) use ask_again::repeat_question;
pub use commitment::{Attempted, CARRIED_FOR, CommitmentState, DueCommitment};
pub use draft::{DRAFT_GOOD_FOR, Draft, DraftState, commitment_key};
pub use draft_kind::DraftKind;
pub use drafts::{MOST_LISTED, ManageDrafts};
pub use prepared::SendPrepared;
pub(crate) use prepared::{Told, is_told};
pub use proposal::{
    BookingProposal, CancellationProposal, LONGEST_NOTE, MAX_LINES, MAX_QUANTITY, OrderProposal, Proposal,
    ProposedLine,
};
pub(crate) use propose::new_draft;
pub use propose::{
    DraftRequest, ProposeDraft, ProposeError, Proposed, Proposer, READS_WITHIN, Wanted, WantedLine,
};
pub use read_answer::{DraftButton, Said, read_answer};
pub(crate) use read_answers::{AnswerByCode, MOST_MESSAGES, all_may_answer, answer_by_code, calls_off};
pub use read_answers::{BURST_GAP, LONGEST_BURST, ReadAnswers};
pub use receipt::Receipt;
pub use summary::Summary;
pub(crate) use summary::{asks_to_confirm, told_day_and_time};
