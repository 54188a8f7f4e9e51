//! The ports over a real PostgreSQL, a fresh database for each test.
#![expect(clippy::unwrap_used, reason = "test support")]

mod access;
mod accounts;
mod bounds;
mod channels;
mod migrations;
mod owners;
mod pages;
mod pool;
mod schema;
mod sessions;
mod support;
mod templates;
mod workspaces;
