//! Adapter that calls customers' own systems by the contract that they implement.
//!
//! - [`CustomSystemClient`] makes the ten calls of the contract, each with its headers, within its bounds.
//! - Answers are read field by field: what is wrong is left out and named, and the rest is used. Numbers are
//!   read as text, so that no price is rounded.
//! - Deliberately absent: whether a system may be called now, to whom an order may be shown, and any memory
//!   of answers.

mod addresses;
mod body;
mod client;
mod json;
mod judge;
mod read;
mod room;
mod send;

pub use addresses::GuardedSystems;
pub use client::CustomSystemClient;
pub use send::{LIMITS, USER_AGENT, count_from_zero};
