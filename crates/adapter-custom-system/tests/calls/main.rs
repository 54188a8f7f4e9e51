//! The ten calls against a scripted system on loopback, over real HTTP.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test support")]

mod bytes;
mod documented;
mod hostile;
mod reading;
mod requests;
mod retries;
mod server;
mod statuses;
mod support;
mod texts;
