//! Nothing is half there: every event, every field of a contact, every network and every setting of a workspace shows
//! wherever one has to show.
//!
//! `docs/change/contributing.md` tells how to add one. Each check is a function over data: what there is, and
//! what is said of it in each place. So the tests hand it made-up things that are only half there, and expect
//! it to say what is missing.
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
