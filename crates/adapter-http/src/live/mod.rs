//! Changes of workspaces, distributed to the browsers that listen on this node.

mod hub;
mod slots;

pub(crate) use hub::Listener;
pub use hub::LiveHub;
pub(crate) use slots::{MOST_STREAMS, StreamSlot};
