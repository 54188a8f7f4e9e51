//! What a customer has to say yes to before anything is ordered, booked or cancelled in their name.
//!
//! A [`Proposal`] is what would be sent; a [`Draft`] is one that was put to a customer as a [`Summary`] in words of
//! ours; [`read_answer`] says whether what the customer wrote next is a yes. Nothing here sends anything.

mod answer;
mod draft;
mod proposal;
mod stored;
mod summary;
mod words;

pub use answer::{Answer, DraftButton, Said, read_answer};
pub use draft::{DRAFT_GOOD_FOR, Draft, DraftKind, DraftState, commitment_key};
pub use proposal::{
    BookingProposal, CancellationProposal, LONGEST_NOTE, MAX_LINES, MAX_QUANTITY, OrderProposal, Proposal,
    ProposedLine,
};
pub use summary::{Language, Summary};
