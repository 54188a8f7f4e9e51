//! What a conversation's customer is asked to confirm.

use askama::Template;
use domain::{
    catalogue::Availability,
    consent::{CommitmentState, DraftKind, DraftState},
};

use super::InboxQuery;
use crate::{
    frame::Frame,
    moment::Moment,
    words::{Language, ProposalWords},
};

/// Something that was proposed.
#[derive(Debug, Clone)]
pub struct ProposalRow {
    /// Its id.
    pub id: String,
    /// What kind of thing.
    pub kind: DraftKind,
    /// Where it stands.
    pub state: DraftState,
    /// What became of its confirmation.
    pub outcome: Option<CommitmentState>,
    /// Until when it may be confirmed.
    pub until: Moment,
}

impl ProposalRow {
    pub(super) const fn what(&self, words: &ProposalWords) -> &'static str {
        words.kind(self.kind)
    }

    pub(super) fn says(&self, words: &ProposalWords) -> &'static str {
        self.outcome.map_or_else(|| words.state(self.state), |outcome| words.outcome(outcome))
    }

    pub(super) const fn is_open(&self) -> bool {
        matches!(self.state, DraftState::Open)
    }
}

/// A product, or one of its variants.
#[derive(Debug, Clone)]
pub struct ProductRow {
    /// The shop's id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// Its price, with what that is in.
    pub price: String,
    /// Whether there is some of it.
    pub availability: Availability,
    /// Where it is chosen.
    pub href: String,
}

impl ProductRow {
    const fn available(&self, words: &ProposalWords) -> &'static str {
        words.availability(self.availability)
    }
}

/// What was typed into a form.
#[derive(Debug, Clone, Default)]
pub struct TypedProposal {
    /// Whom it is for.
    pub name: String,
    /// Another number to call.
    pub phone: String,
    /// Street, house, landmark.
    pub line1: String,
    /// The city.
    pub city: String,
    /// The province.
    pub province: String,
    /// The customer's remark.
    pub note: String,
    /// How much of the product.
    pub quantity: String,
    /// The variant that was chosen.
    pub variant: String,
    /// The time that was chosen.
    pub slot: String,
    /// The language that the customer is asked in, by its code.
    pub language: String,
    /// What it is proposed under, so that the customer is asked once.
    pub key: String,
}

impl TypedProposal {
    /// How much, where nothing was typed: one.
    const fn quantity(&self) -> &str {
        if self.quantity.is_empty() { "1" } else { self.quantity.as_str() }
    }

    /// Whether the customer is asked in it: what was chosen, or else the page's own.
    pub fn is_in(&self, language: &Language, of_page: &Language) -> bool {
        Language::read(&self.language).unwrap_or(*of_page) == *language
    }
}

/// An order to propose.
#[derive(Template)]
#[template(path = "inbox/order.html")]
pub struct OrderPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The list that was looked at.
    pub query: &'a InboxQuery,
    /// The conversation.
    pub id: String,
    /// What was looked for.
    pub looked_for: String,
    /// What was found; `None` where nothing was looked for.
    pub found: Option<Vec<ProductRow>>,
    /// The product that was chosen, and its variants.
    pub chosen: Option<(ProductRow, Vec<ProductRow>)>,
    /// What was typed.
    pub typed: TypedProposal,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}

/// A free time.
#[derive(Debug, Clone)]
pub struct SlotRow {
    /// The system's id, with when it begins.
    pub value: String,
    /// When it begins.
    pub at: Moment,
    /// What for.
    pub service: String,
}

/// A booking to propose.
#[derive(Template)]
#[template(path = "inbox/booking.html")]
pub struct BookingPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// The list that was looked at.
    pub query: &'a InboxQuery,
    /// The conversation.
    pub id: String,
    /// The free times of the next days.
    pub slots: Vec<SlotRow>,
    /// What was typed.
    pub typed: TypedProposal,
    /// Why something was not done.
    pub refused: Option<&'a str>,
}
