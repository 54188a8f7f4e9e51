//! Ports of webhooks: the addresses, the queue, the log, and the sender of attempts.

mod addresses;
mod log;
mod message_lives;
mod queue;
mod sender;

pub use addresses::*;
pub use log::*;
pub use message_lives::*;
pub use queue::*;
pub use sender::*;
