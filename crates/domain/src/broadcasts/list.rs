//! Lists of people to write to, as stored.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::{ids::BroadcastListId, phone::PhoneNumber, text::fold_for_search};

/// A person's cells in a list, by the columns' titles.
pub type ColumnValues = BTreeMap<String, String>;

/// Uploaded list of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastList {
    pub id: BroadcastListId,
    pub name: String,
    /// Titles of the columns, the number's apart.
    pub columns: Vec<String>,
    pub people: u64,
    /// Whether all of it has arrived; nothing is sent to half a list.
    pub complete: bool,
    pub created_at: OffsetDateTime,
}

/// Entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNumber {
    pub id: uuid::Uuid,
    /// Unique within the list.
    pub phone: PhoneNumber,
    pub values: ColumnValues,
}

/// Returns a person's cell in a column, whatever the spelling of its title.
pub(super) fn value_of<'v>(values: &'v ColumnValues, column: &str) -> Option<&'v str> {
    let exact = values.get(column);
    let folded = || {
        let wanted = fold_for_search(column);
        values.iter().find(|(title, _)| fold_for_search(title) == wanted).map(|(_, value)| value)
    };
    exact.or_else(folded).map(String::as_str)
}
