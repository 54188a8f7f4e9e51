//! What webhooks need from outside: the addresses, the queue, the log, and who makes the attempts.

mod addresses;
mod log;
mod queue;
mod sender;

pub use addresses::*;
pub use log::*;
pub use queue::*;
pub use sender::*;
