//! Parsing of what is posted to the webhook about pages and Instagram accounts.
//!
//! Parts of unexpected types are left out alone; unknown ones are named and passed over.

mod content;
mod element;
mod reading;

pub use reading::{network, read};
