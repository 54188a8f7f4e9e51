//! The simulator over real loopback HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test support: a helper that fails fails the test"
)]

mod control;
mod faults;
mod graph;
mod pages;
mod people;
mod phones;
mod sends;
mod statuses;
mod support;
mod templates;
