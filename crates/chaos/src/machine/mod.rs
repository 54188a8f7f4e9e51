//! What runs on this machine for a run, and how it is made to fail.

mod clocks;
mod disk;
mod nodes;
mod relay;

pub(crate) use clocks::Clocks;
pub use clocks::faketime;
pub(crate) use disk::Disk;
pub(crate) use nodes::Nodes;
pub(crate) use relay::Relay;
