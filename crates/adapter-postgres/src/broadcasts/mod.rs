//! Broadcasts, their people, and marketing opt-outs.

mod audience;
mod left_out;
mod limits;
mod listed;
mod lists;
mod marks;
mod people;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod progress;
mod row;
mod stops;
mod store;

pub(crate) use audience::is_audience;
pub(crate) use marks::{Counts, MarkKind, StatusesTold, answered, mark};

use crate::Database;

/// Broadcasts.
#[derive(Clone)]
pub struct PgBroadcasts {
    pub(crate) database: Database,
}
