//! Contacts over a real PostgreSQL, a fresh database for each test.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test support")]

mod adding;
mod listing;
mod many;
mod searching;
mod world;
