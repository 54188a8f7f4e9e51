//! What runs on this machine for a bench, and what it uses.

mod postgres;
mod process;
mod service;
mod statements;

pub use postgres::{PrivatePostgres, connect};
pub use process::{Usage, resident_mib};
pub use service::{Service, ServiceSettings};
pub use statements::StatementCosts;
