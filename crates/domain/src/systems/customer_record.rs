//! What a system knows of a customer, and the leads that it is told of.

use std::fmt;

use crate::{external_id::ExternalId, ids::ConversationId, phone::PhoneNumber, text::PlainText};

/// Most fields read of a record.
pub const MAX_FIELDS: usize = 30;
/// Characters read of a field's text.
pub const LONGEST_FIELD: usize = 300;
/// Characters read of a field's label, and of a name.
pub const LONGEST_LABEL: usize = 200;

/// Record that a system lets a customer hear of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerRecord {
    pub id: Option<ExternalId>,
    pub name: Option<PlainText>,
    /// Labels and values, in the system's order, [`MAX_FIELDS`] at most.
    pub fields: Vec<(PlainText, FieldValue)>,
}

/// Value of a field. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// [`LONGEST_FIELD`] characters at most; `None` if blank.
    Text(Option<PlainText>),
    /// Digit for digit as it was written.
    Number(String),
    Bool(bool),
    Null,
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FieldValue(…)")
    }
}

/// A lead, as a system is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadPush {
    pub name: Option<PlainText>,
    /// Verified number.
    pub phone: PhoneNumber,
    /// Their wish.
    pub note: Option<PlainText>,
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
