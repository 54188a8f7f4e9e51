//! The assistant: a language model that answers customers, and the rules that hold it.
//!
//! The model proposes and code commits. The model words answers and chooses what to read with ([`Tool`]); it has no way
//! to a write, and none to look up a phone. What it words may be sent only if [`check_reply`] finds nothing in it that
//! this turn's [`Evidence`] does not bear out: prices, times, links, and claims that something was done.

mod answer;
mod brief;
mod check;
mod evidence;
mod language;
mod model;
mod person;
pub mod ports;
mod reason;
mod results;
mod run_tools;
mod toolbox;

pub use answer::{AnswerCustomer, TurnEnding, TurnOutcome};
pub use brief::{Speaker, TurnBrief};
pub use check::{Rule, check_reply};
pub use evidence::{Deed, Evidence};
pub use language::language_of;
pub use model::{ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall, ToolDescription};
pub use person::asks_for_a_person;
pub use reason::HandOverReason;
pub use results::ToolOutcome;
pub use run_tools::RunTools;
pub use toolbox::{Tool, ToolCallError, ToolRequest};
