//! Parsing of what `WhatsApp` posts to the webhook.
//!
//! Parts of unexpected types are left out alone; unknown ones are named and passed over.

mod account;
mod content;
mod fields;
mod message;
mod person;
mod reading;
mod status;

pub use fields::subscribed_fields;
pub use reading::{network, read};
