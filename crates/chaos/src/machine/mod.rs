//! What runs on this machine for a run, and how it is made to fail.

mod disk;
mod nodes;
mod relay;

pub(crate) use disk::Disk;
pub(crate) use nodes::Nodes;
pub(crate) use relay::Relay;
