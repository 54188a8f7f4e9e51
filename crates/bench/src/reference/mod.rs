//! What figures are compared with: `pgbench` running what the service runs, and a bare route of the framework.

mod bare;
mod pgbench;
mod tap;
mod value;

pub use bare::Bare;
pub use pgbench::{Pgbench, Rate, Script};
pub use tap::{Executed, Tap};
