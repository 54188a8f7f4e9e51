//! The inbox: a list of conversations, one of them, and whom it is with.

mod canned;
mod conversation;
mod list;
mod proposals;
mod query;
mod search;
mod templates;

pub use canned::{CannedPage, CannedRow};
pub use conversation::{Bubble, Choice, Composer, File, NotDone, Outcome, Person, ShownConversation};
pub use list::{InboxList, Row, Tab};
pub use proposals::{BookingPage, OrderPage, ProductRow, ProposalRow, SlotRow, TypedProposal};
pub use query::InboxQuery;
pub use search::{MatchRow, SearchPage};
pub use templates::{Addressee, TemplateChoicePage, TemplateForm};

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
    pub conversation: Option<ShownConversation<'a>>,
}

/// The letters that stand for a picture: of the first two words of a name.
fn initials(name: &str) -> String {
    let first = |word: &str| word.chars().find(|character| character.is_alphanumeric());
    name.split_whitespace().filter_map(first).take(2).flat_map(char::to_uppercase).collect()
}
