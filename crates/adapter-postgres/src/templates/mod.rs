//! Templates as last read from the networks.

mod row;
mod store;

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

pub(crate) use row::named;

use crate::Database;

/// Templates as last read from the networks.
#[derive(Clone)]
pub struct PgTemplates {
    pub(crate) database: Database,
}
