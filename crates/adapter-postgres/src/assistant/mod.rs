//! The assistant: its settings, the turns that wait for it, and their outcomes.

mod hand_overs;
mod keys;
mod log;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod questions;
mod rehearsals;
mod settings;
mod speech;
mod turns;
mod waiting;

pub(crate) use speech::{
    Spoken, answer_of, answered_turn, answering_assistant, customers_waited, holds, move_turn, people_spoke,
};

use crate::Database;

/// Assistants and their turns.
#[derive(Clone)]
pub struct PgAssistants {
    pub(crate) database: Database,
}
