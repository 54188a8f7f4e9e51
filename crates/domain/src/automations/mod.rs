//! Automations of a workspace: rules that a customer's message sets off, and sweepers that tidy up when
//! nothing happens.
//!
//! `rule` is what a team writes, `words` and `hours` are its conditions, `plan` decides what a message sets
//! off, and `run` does it, each step once. `sweep` closes and returns conversations in which nothing happens.
//! `manage` is how owners change all of it.

mod error;
mod hours;
mod manage;
mod plan;
pub mod ports;
mod rule;
mod run;
mod settings;
mod sweep;
mod words;

pub use error::{AutomationError, MOST_AUTOMATIONS};
pub use hours::{InvalidHours, OpeningHours, QuietHours, Span, Week};
pub use manage::{AutomationDraft, ManageAutomations};
pub use plan::{PlannedStep, Trigger, plan};
pub use rule::{Action, Automation, AutomationName, Conditions, FIRST_NAMES, InvalidRule, ReplyText, Rule};
pub use run::{NotDone, RunAutomations, TriggerRound};
pub use settings::{InvalidMinutes, Minutes, Settings};
pub use sweep::{Sweep, Swept};
pub use words::{InvalidWords, Words};
