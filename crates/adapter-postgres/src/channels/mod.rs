//! Accounts at the networks, their numbers and pages, and their routes.

mod account;
mod health;
mod hold;
mod list;
mod never;
mod number;
mod page;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod routes;
mod standing;
mod store;

pub(crate) use health::{NewAlert, alert as add_alerts};
pub(crate) use number::connected;
pub(crate) use standing::read_standing;

use crate::Database;

/// Accounts at the networks, and their numbers and pages.
#[derive(Clone)]
pub struct PgChannels {
    pub(crate) database: Database,
}
