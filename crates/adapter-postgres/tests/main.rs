//! The ports over a real PostgreSQL, a fresh database for each test.

mod contacts;
mod conversations;
mod core_tables;
mod stores;
