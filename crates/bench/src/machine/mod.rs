//! Processes that run on this machine for a bench, and their resource usage.

mod postgres;
mod process;
mod service;
mod statements;

pub use postgres::{PrivatePostgres, connect};
pub use process::{Usage, resident_mib};
pub use service::{Service, ServiceSettings};
pub use statements::StatementCosts;
