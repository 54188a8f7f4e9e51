//! Reading and moving conversations and messages in a real PostgreSQL, a fresh database for each test.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

mod automations;
mod filters;
mod inbox;
mod live;
mod messages;
mod moves;
mod sweeping;
mod tags;
mod walks;
mod world;
