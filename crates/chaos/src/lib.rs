//! The service under load while its nodes, database, connections, disk and clocks fail at random.
//!
//! Clients send and repeat their keys, customers write on three networks, receivers fail. A seed decides what
//! fails when. At the end all records are reconciled: what the network accepted, what the API shows, what the
//! receivers were told. [`run`] returns a [`Report`], whose faults should all be zero. `docs/tools/chaos.md`
//! says how to read it.

mod api;
mod books;
mod calm;
mod load;
mod machine;
mod options;
mod report;
mod run;
mod storm;
mod upgrade;
mod world;

pub use machine::faketime;
pub use options::Options;
pub use report::Report;
pub use run::run;
