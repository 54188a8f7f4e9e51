//! The assistant: what it may say to a customer.
//!
//! The model proposes and code commits. What a model words is sent only if [`check_reply`] finds nothing in it that
//! this turn's [`Evidence`] does not bear out: prices, times, links, and claims that something was done.

mod check;
mod evidence;
mod language;
mod person;

pub use check::{Rule, check_reply};
pub use evidence::{Deed, Evidence};
pub use language::language_of;
pub use person::asks_for_a_person;
