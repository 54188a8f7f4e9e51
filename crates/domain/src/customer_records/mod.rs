//! What a system knows of a customer and lets them hear, and the leads that it is told of.

mod capture_lead;
mod customer;
mod lead;
mod look_up;
pub mod ports;
mod push_leads;

pub use capture_lead::{CaptureLead, CaptureLeadError, LeadOutcome, LeadRequest};
pub use customer::ConversationCustomer;
pub use lead::{AfterTry, DueLead, LONGEST_NEED, LeadState, MOST_TRIES, TOLD_WITHIN};
pub use look_up::{LookUpCustomer, LookUpError};
pub use push_leads::PushLeads;

use std::fmt;

use crate::{ids::ConversationId, phone::PhoneNumber, systems::ExternalId, text::PlainText};

/// So many fields are read of a record.
pub const MAX_FIELDS: usize = 30;
/// So many characters are read of a field's text.
pub const LONGEST_FIELD: usize = 300;
/// So many characters are read of a field's label, and of a name.
pub const LONGEST_LABEL: usize = 200;

/// A system lets a customer hear this of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerRecord {
    /// It is the system's id.
    pub id: Option<ExternalId>,
    pub name: Option<PlainText>,
    /// They are label and value, in the system's order, [`MAX_FIELDS`] at most.
    pub fields: Vec<(PlainText, FieldValue)>,
}

/// It is one thing that a system says of a customer. It is not printed.
#[derive(Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// It is a text, [`LONGEST_FIELD`] characters at most; `None` where it is blank.
    Text(Option<PlainText>),
    /// It is a number, digit for digit as it was written.
    Number(String),
    /// It is yes or no.
    Bool(bool),
    /// The system says nothing.
    Null,
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FieldValue(…)")
    }
}

/// It is somebody who would like to hear from the business, as a system is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadPush {
    /// It is their name, where they gave one.
    pub name: Option<PlainText>,
    /// It is their verified number.
    pub phone: PhoneNumber,
    /// They would like this.
    pub note: Option<PlainText>,
    /// They said so in this conversation.
    pub conversation: ConversationId,
}

#[cfg(test)]
mod tests {
    use super::{FieldValue, PlainText};

    #[test]
    fn what_a_system_says_of_a_customer_is_not_printed() {
        let values = [FieldValue::Number("4077".to_owned()), FieldValue::Text(PlainText::read("4077", 9))];
        assert!(!format!("{values:?}").contains("4077"));
    }
}
