//! Outcome of an import.

use std::collections::BTreeMap;

use super::super::name::ContactName;
use crate::phone::PhoneNumber;

/// Counts of a list's rows by their outcome; the sum is the number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows that added a person.
    pub created: u64,
    /// Rows of people who were known, or came before in the same list.
    pub known: u64,
    /// Rows that name no person.
    pub refused: u64,
}

/// People to be written, by number. Ordered, so that concurrent imports take locks in one order.
pub type People = BTreeMap<PhoneNumber, Option<ContactName>>;
