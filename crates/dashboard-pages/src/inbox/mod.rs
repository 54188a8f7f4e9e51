//! Pages of the inbox: a list of conversations, one of them, and its person.

mod canned;
mod conversation;
mod linked;
mod list;
mod proposals;
mod query;
mod search;
mod templates;

pub use canned::{CannedPage, CannedRow};
pub use conversation::{Bubble, Choice, Composer, File, Person, ShownConversation};
pub use list::{InboxList, Row, Tab};
pub use proposals::{BookingPage, OrderPage, ProductRow, ProposalRow, SlotRow, TypedProposal};
pub use query::InboxQuery;
pub use search::{MatchRow, SearchPage};
pub use templates::{Addressee, TemplateChoicePage, TemplateForm};

use askama::Template;

use crate::frame::Frame;

/// Page of the list, with a conversation beside it.
#[derive(Template)]
#[template(path = "inbox/page.html")]
pub struct InboxPage<'a> {
    pub frame: &'a Frame,
    pub list: InboxList<'a>,
    pub conversation: Option<ShownConversation<'a>>,
}

/// Returns the letters that stand for a picture: the first ones of a name's first two words.
fn initials(name: &str) -> String {
    let first = |word: &str| word.chars().find(|character| character.is_alphanumeric());
    name.split_whitespace().filter_map(first).take(2).flat_map(char::to_uppercase).collect()
}
