//! Parsing of what is posted to the webhook about pages and Instagram accounts.
//!
//! It is tolerant. A part of an unexpected type is left out alone; an unknown one is named and passed over.

mod content;
mod element;
mod reading;

pub use reading::{network, read};
