//! The surfaces over real loopback HTTP, with mocked ports behind the use cases.

mod admin;
mod admission;
mod attachments;
mod bad_bodies;
mod contacts;
#[expect(clippy::expect_used, clippy::indexing_slicing, reason = "test support")]
#[path = "../../../../tests/support/contract.rs"]
mod contract;
mod conversations;
mod inbound;
mod log;
mod me;
mod messages;
mod openapi;
mod pages;
mod sending;
mod service;
mod strictness;
mod templates;
mod wire;
