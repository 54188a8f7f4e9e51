//! The inbox: a list of conversations, one of them, and whom it is with.

mod canned;
mod list;
mod proposals;
mod query;
mod templates;
mod thread;

pub use canned::{CannedPage, CannedRow};
pub use list::{InboxList, Row, Tab};
pub use proposals::{BookingPage, OrderPage, ProductRow, ProposalRow, SlotRow, TypedProposal};
pub use query::InboxQuery;
pub use templates::{TemplateChoicePage, TemplateForm};
pub use thread::{Bubble, Choice, Composer, File, NotDone, Outcome, Person, Thread};

use askama::Template;

use crate::frame::Frame;

/// The list, and a conversation beside it.
#[derive(Template)]
#[template(path = "inbox/page.html")]
pub struct InboxPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The list.
    pub list: InboxList<'a>,
    /// The conversation that is open.
    pub thread: Option<Thread<'a>>,
}

/// The letters that stand for a picture: of the first two words of a name.
fn initials(name: &str) -> String {
    let first = |word: &str| word.chars().find(|character| character.is_alphanumeric());
    name.split_whitespace().filter_map(first).take(2).flat_map(char::to_uppercase).collect()
}
