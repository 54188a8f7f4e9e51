//! Counts of updates that this version does not support, for owners and operators to see.

use time::Date;

/// Most fields counted separately for one workspace and day; what comes beyond them is counted together.
pub const MOST_FIELDS: usize = 50;
/// Number of past days that are shown.
pub const SHOWN_FOR_DAYS: u16 = 14;

/// Number of updates with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadCount {
    pub field: String,
    pub updates: u32,
}

/// A field that came lately and that this version does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadField {
    pub field: String,
    /// First of the days on which it came, among those that are shown.
    pub since: Date,
    pub updates: u64,
}

impl UnreadCount {
    /// Counts the names, each once.
    pub(crate) fn of<'a>(fields: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
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
