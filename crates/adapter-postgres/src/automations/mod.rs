//! Rules, the messages that trigger them, and quiet conversations.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod quiet;
mod rules;
mod set_off;
mod triggers;

pub(crate) use set_off::{SetOff, rules_in_force, set_off};

use crate::Database;

/// Rules, the messages that trigger them, and quiet conversations.
#[derive(Clone)]
pub struct PgAutomations {
    pub(crate) database: Database,
}
