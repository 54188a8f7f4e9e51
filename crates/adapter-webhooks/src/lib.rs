//! Signs events and delivers them to customers' addresses.
//!
//! - [`signature`]: the header that proves where a delivery comes from, made and checked.
//! - [`diagnosis`]: why such a header does not hold, for whoever writes a receiver.
//! - [`standard`]: the headers of the Standard Webhooks specification, for addresses that opt in.
//! - [`WebhookSender`]: one attempt, from the signature to the end of the answer, within one time limit.
//! - [`GuardedAddresses`]: judges an address when it is registered, by the rules of the calls themselves.
//! - [`Dispatcher`]: takes what is due, workspace by workspace, and keeps attempts under way.
//!
//! What a delivery says, when it is tried again and when it has failed are rules of the core, not of this crate.
//! No log line here holds a URL, a body or a secret.

pub mod diagnosis;
mod dispatcher;
mod guard;
mod sender;
pub mod signature;
pub mod standard;

pub use dispatcher::{Dispatcher, DispatcherConfig, DispatcherWake, count_from_zero};
pub use guard::GuardedAddresses;
pub use sender::{LIMITS, USER_AGENT, WebhookSender};
