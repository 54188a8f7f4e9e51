//! Parsing of what `WhatsApp` posts to the webhook.
//!
//! It is tolerant. A part of an unexpected type is left out alone; an unknown one is named and passed over.

mod account;
mod content;
mod fields;
mod message;
mod person;
mod reading;
mod status;

pub use fields::subscribed_fields;
pub use reading::{network, read};
