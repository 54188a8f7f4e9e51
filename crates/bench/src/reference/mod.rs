//! References for the figures: `pgbench` running the service's statements, and a bare route of the framework.

mod bare;
mod pgbench;
mod tap;
mod value;

pub use bare::Bare;
pub use pgbench::{Pgbench, Rate, Script};
pub use tap::{Executed, Tap};
