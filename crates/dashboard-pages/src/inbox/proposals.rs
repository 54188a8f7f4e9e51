//! Pages to propose an order or a booking for the customer to confirm.

use askama::Template;
use domain::{
    consent::{CommitmentState, DraftKind, DraftState, MAX_QUANTITY},
    phone::{PhoneNumber, Region},
    systems::Availability,
    text::{is_blank, latin_digits},
};

use super::InboxQuery;
use crate::{
    frame::Frame,
    moment::Moment,
    refused::Refused,
    words::{Language, ProposalWords},
};

/// A draft that was proposed.
#[derive(Debug, Clone)]
pub struct ProposalRow {
    pub id: String,
    pub kind: DraftKind,
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
    /// Id in the shop.
    pub id: String,
    pub title: String,
    /// Price with its currency.
    pub price: String,
    pub availability: Availability,
    /// Path that chooses it.
    pub href: String,
}

impl ProductRow {
    const fn available(&self, words: &ProposalWords) -> &'static str {
        words.availability(self.availability)
    }
}

/// Typed values of a form.
#[derive(Debug, Clone, Default)]
pub struct TypedProposal {
    /// Name of the recipient.
    pub name: String,
    /// Another number to call.
    pub phone: String,
    /// Street, house, landmark.
    pub line1: String,
    pub city: String,
    pub province: String,
    pub note: String,
    pub quantity: String,
    pub variant: String,
    pub slot: String,
    /// Code of the language that the customer is asked in.
    pub language: String,
    /// Idempotency key of the proposal, so that the customer is asked once.
    pub key: String,
}

impl TypedProposal {
    /// Returns the quantity; one where nothing was typed.
    const fn quantity(&self) -> &str {
        if self.quantity.is_empty() { "1" } else { self.quantity.as_str() }
    }

    /// Returns the first field of a refused order that cannot be accepted, by its name in the form and on the
    /// page.
    pub fn wrong_of_order(&self, region: Region, words: &ProposalWords) -> Option<NamedField> {
        let quantity = latin_digits(&self.quantity).parse::<u32>();
        let fits = quantity.is_ok_and(|quantity| (1..=MAX_QUANTITY).contains(&quantity));
        first([
            (!fits, ("quantity", words.quantity)),
            (is_blank(&self.name), ("name", words.name)),
            (self.has_wrong_phone(region), ("phone", words.phone)),
            (is_blank(&self.line1), ("line1", words.line1)),
            (is_blank(&self.city), ("city", words.city)),
            (is_blank(&self.province), ("province", words.province)),
            (self.has_unplanned_phone(region), ("phone", words.phone)),
        ])
    }

    /// Returns the same of a booking.
    pub fn wrong_of_booking(&self, region: Region, words: &ProposalWords) -> Option<NamedField> {
        first([
            (is_blank(&self.slot), ("slot", words.slot)),
            (is_blank(&self.name), ("name", words.name)),
            (self.has_wrong_phone(region), ("phone", words.phone)),
            (self.has_unplanned_phone(region), ("phone", words.phone)),
        ])
    }

    fn has_wrong_phone(&self, region: Region) -> bool {
        !is_blank(&self.phone) && PhoneNumber::parse_known(&self.phone, region).is_err()
    }

    /// Returns whether no numbering plan has the number. A contact may have it all the same, so that it
    /// counts as wrong only where nothing else is.
    fn has_unplanned_phone(&self, region: Region) -> bool {
        !is_blank(&self.phone) && PhoneNumber::parse(&self.phone, region).is_err()
    }

    /// Returns whether the customer is asked in `language`: the chosen one, or else the page's.
    pub fn is_in(&self, language: &Language, of_page: &Language) -> bool {
        !self.is_in_sorani() && Language::read(&self.language).unwrap_or(*of_page) == *language
    }

    /// Returns whether the customer is asked in Sorani, which pages are not in.
    pub fn is_in_sorani(&self) -> bool {
        self.language == "ckb"
    }
}

/// Name of a field in the form, and its name on the page.
type NamedField = (&'static str, &'static str);

/// Returns the first field that is wrong.
fn first<const FIELDS: usize>(fields: [(bool, NamedField); FIELDS]) -> Option<NamedField> {
    fields.into_iter().find_map(|(is_wrong, field)| is_wrong.then_some(field))
}

/// Page to propose an order.
#[derive(Template)]
#[template(path = "inbox/order.html")]
pub struct OrderPage<'a> {
    pub frame: &'a Frame,
    /// Filter of the list that was looked at.
    pub query: &'a InboxQuery,
    /// Id of the conversation.
    pub id: String,
    pub looked_for: String,
    /// Products found; `None` where nothing was searched for.
    pub found: Option<Vec<ProductRow>>,
    /// Chosen product, and its variants.
    pub chosen: Option<(ProductRow, Vec<ProductRow>)>,
    pub typed: TypedProposal,
    pub refused: Option<Refused>,
}

/// A free time.
#[derive(Debug, Clone)]
pub struct SlotRow {
    /// The system's id, with the beginning.
    pub value: String,
    /// When it begins.
    pub at: Moment,
    pub service: String,
}

/// Page to propose a booking.
#[derive(Template)]
#[template(path = "inbox/booking.html")]
pub struct BookingPage<'a> {
    pub frame: &'a Frame,
    /// Filter of the list that was looked at.
    pub query: &'a InboxQuery,
    /// Id of the conversation.
    pub id: String,
    /// Free times of the next days.
    pub slots: Vec<SlotRow>,
    pub typed: TypedProposal,
    pub refused: Option<Refused>,
}

#[cfg(test)]
mod tests {
    use domain::phone::Region;

    use super::TypedProposal;
    use crate::words::Language;

    fn typed() -> TypedProposal {
        TypedProposal {
            name: "Sara".to_owned(),
            line1: "14".to_owned(),
            city: "Karrada".to_owned(),
            province: "Baghdad".to_owned(),
            quantity: "٢".to_owned(),
            slot: "2026-11-21T10:00:00Z 7".to_owned(),
            ..TypedProposal::default()
        }
    }

    #[test]
    fn the_first_field_that_cannot_be_taken_is_named() {
        let words = &Language::English.words().proposals;
        let (quantity, name) = (Some(("quantity", words.quantity)), Some(("name", words.name)));
        let phone = Some(("phone", words.phone));
        for (form, order, booking) in [
            (typed(), None, None),
            (TypedProposal { quantity: "0".to_owned(), ..typed() }, quantity, None),
            (TypedProposal { quantity: "many".to_owned(), ..typed() }, quantity, None),
            (TypedProposal { name: " ".to_owned(), ..typed() }, name, name),
            (TypedProposal { phone: "nobody".to_owned(), ..typed() }, phone, phone),
            (TypedProposal { phone: "+5215512345678".to_owned(), ..typed() }, phone, phone),
            (
                TypedProposal { phone: "+5215512345678".to_owned(), name: String::new(), ..typed() },
                name,
                name,
            ),
            (TypedProposal { city: String::new(), ..typed() }, Some(("city", words.city)), None),
            (TypedProposal { slot: String::new(), ..typed() }, None, Some(("slot", words.slot))),
        ] {
            assert_eq!(form.wrong_of_order(Region::default(), words), order, "{form:?}");
            assert_eq!(form.wrong_of_booking(Region::default(), words), booking, "{form:?}");
        }
    }
}
