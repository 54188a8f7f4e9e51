//! Cost of the service, beside references from the same run. `docs/tools/benchmarks.md` says what each figure
//! is.
//!
//! The service under test is the released program, a process of its own on a private PostgreSQL that flushes
//! to the disk. Nothing here is shipped, and nothing that is shipped knows of it.

pub mod api;
pub mod assistant;
pub mod broadcast;
pub mod dashboard;
pub mod figures;
pub mod import;
pub mod inbound;
pub mod load;
pub mod machine;
pub mod phones;
pub mod reference;
pub mod say;
pub mod search;
pub mod send;
mod session;
pub mod systems;
pub mod webhooks;
pub mod world;
