//! What networks send that this version does not read: counted, so that owners and operators see it.

use time::Date;

/// Most fields that are told apart of one workspace on one day; what comes beyond them is counted together.
pub const MOST_FIELDS: usize = 50;
/// Days that are looked at when it is shown.
pub const SHOWN_FOR_DAYS: u16 = 14;

/// How often a field came at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadCount {
    pub field: String,
    pub updates: u32,
}

/// A field that came lately, and that this version does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadField {
    pub field: String,
    /// The first of the days on which it came.
    pub since: Date,
    pub updates: u64,
}

impl UnreadCount {
    /// Counts names, each once.
    pub(super) fn of<'a>(fields: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut counts: Vec<Self> = Vec::new();
        for field in fields {
            match counts.iter_mut().find(|count| count.field == field) {
                Some(count) => count.updates = count.updates.saturating_add(1),
                None => counts.push(Self { field: field.to_owned(), updates: 1 }),
            }
        }
        counts
    }
}
