//! What a cluster of Citus alone can show: what the hottest ways cost there, and what a stopped worker harms.
//!
//! `cargo xtask citus` runs it with `MESSAGING_TEST_DATABASE_URL` leading to a coordinator; `cargo test`
//! leaves it out.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends at its first surprise"
)]

#[expect(dead_code, unused_imports, reason = "the other tests need all of it")]
mod support;

#[path = "sharded/cluster.rs"]
mod cluster;
#[path = "sharded/plain_before.rs"]
mod plain_before;
#[path = "sharded/relay.rs"]
mod relay;
#[path = "sharded/stopped_worker.rs"]
mod stopped_worker;
#[path = "sharded/ways.rs"]
mod ways;
