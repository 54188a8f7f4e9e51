//! Every store port over PostgreSQL.
//!
//! One type, [`PgStore`], implements the ports; each folder has the rows and statements of one noun. No business
//! rule lives here: a statement is guarded by what the core decided on, and a lost race is
//! [`StoreError::Stale`](domain::errors::StoreError::Stale).

mod error;
mod pool;
mod sql;

pub use pool::{PgStore, PoolConfig};
