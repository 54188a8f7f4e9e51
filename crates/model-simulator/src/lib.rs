//! A stand-in for a language model: it speaks the `OpenAI` form of `/chat/completions` and answers a shop's
//! customers by rules, in Arabic and English.
//!
//! Lets the assistant be tested without a key and without a network. `docs/tools/model-simulator.md`
//! describes what it understands, its control routes and its faults.
//!
//! Invariants: it sees the request alone, as a model would; it calls only tools that the request offers; it
//! says prices and states as a tool returned them in this turn; it misbehaves only where a [`Fault`] was
//! switched on.

mod answer;
mod config;
mod control;
mod core;
mod faults;
mod hostile;
mod mind;
mod script;
mod server;
mod spoil;
mod wire;

pub use config::Config;
pub use faults::{ALL, Fault};
pub use script::{Script, ScriptedCall};
pub use server::ModelSimulator;
pub use simulator_kit::NotStarted as Error;
