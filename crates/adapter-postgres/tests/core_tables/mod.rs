//! Ledger, journal and webhook queue against a real PostgreSQL, a fresh database for each test.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what a test's set-up needs is there, or the test fails"
)]

mod addresses;
mod begin;
mod canary;
mod catalogue;
mod deliveries;
mod inbox;
mod journal;
mod log;
mod notify_channel;
mod plan;
mod quarantine;
mod queue;
mod record;
mod replies;
mod statuses;
mod vault;
mod world;
