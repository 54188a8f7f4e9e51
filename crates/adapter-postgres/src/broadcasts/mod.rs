//! Broadcasts, their people, and who wants no marketing.

mod people;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod progress;
mod row;
mod stops;
mod store;

use crate::Database;

/// Broadcasts.
#[derive(Clone)]
pub struct PgBroadcasts {
    pub(crate) database: Database,
}
