//! Rules, what messages set off by them, and conversations in which nothing happens.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod quiet;
mod rules;
mod set_off;
mod triggers;

pub(crate) use set_off::{SetOff, rules_in_force, set_off};

use crate::Database;

/// Rules, what messages set off by them, and conversations that went quiet.
#[derive(Clone)]
pub struct PgAutomations {
    pub(crate) database: Database,
}
