//! Walks over all sealed values, to count or reseal those sealed by another key or not bound to their place;
//! and the probe that identifies the database's keys.

mod columns;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod probe;
mod quarantine;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;
mod values;
mod walk;

use crate::Database;

/// All sealed values, and the probe that identifies their keys.
#[derive(Clone)]
pub struct PgSealedValues {
    pub(crate) database: Database,
}
