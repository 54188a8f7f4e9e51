//! Everything that runs on this machine for a run, and the means to make it fail.

mod clocks;
mod disk;
mod nodes;
mod relay;

pub(crate) use clocks::Clocks;
pub use clocks::faketime;
pub(crate) use disk::Disk;
pub(crate) use nodes::Nodes;
pub(crate) use relay::Relay;
