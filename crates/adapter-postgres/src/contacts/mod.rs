//! Contacts: adding, naming, counting and finding them.

mod alias;
mod conversations;
mod count;
mod directory;
mod imports;
mod list;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod row;
mod signals;
mod store;
mod unnamed;

pub(crate) use alias::current_contact;
pub(crate) use count::{count, recount, searchable, uncount};
pub(crate) use list::{MATCHING, counted, pattern};
pub(crate) use row::{ContactRow, with_contact};

use crate::Database;

/// Contacts.
#[derive(Clone)]
pub struct PgContacts {
    pub(crate) database: Database,
}
