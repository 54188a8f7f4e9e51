//! Contacts over a real PostgreSQL, a fresh database for each test.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

mod adding;
mod importing;
mod jobs;
mod listing;
mod many;
mod searching;
mod world;
