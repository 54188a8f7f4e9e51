//! Filter of a list of contacts.

use super::search::Search;
use crate::phone::PhoneNumber;

/// Filter of contacts: those who pass every part that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactFilter {
    pub phone: Option<PhoneNumber>,
    pub search: Option<Search>,
}

impl ContactFilter {
    /// Returns the name under which cursors of the filtered list are signed, the same for every spelling of
    /// the filter.
    pub(super) fn list(&self) -> String {
        let phone = self.phone.as_ref().map(PhoneNumber::as_str).unwrap_or_default();
        let parts = self.search.as_ref().map(Search::parts).unwrap_or_default();
        format!("contacts/{phone}/{}", parts.join("\n"))
    }
}
