//! Completeness: every event, every field of a contact, every network and every setting of a workspace is
//! everywhere where one has to be.
//!
//! `docs/change/adding.md` tells how to add one. Each check is a function over data: what exists, and
//! what each place says of it. So the tests give it made-up data that are incomplete, and expect it to say
//! what is missing.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test ends at its first surprise"
)]

mod codes;
mod contacts;
#[path = "../support/contract.rs"]
#[expect(dead_code, reason = "of the document's tests only some are needed here")]
mod contract;
mod events;
mod fields;
mod networks;
mod settings;
mod tables;
