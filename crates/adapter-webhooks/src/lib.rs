//! Adapter that signs events and delivers them to customers' addresses.
//!
//! - [`signature`]: the header that proves where a delivery comes from, made and checked.
//! - [`diagnosis`]: reasons why such a header does not hold, for the author of a receiver.
//! - [`standard`]: the headers of the Standard Webhooks specification, for addresses that opt in.
//! - [`WebhookSender`]: one attempt, from the signature to the end of the answer, within one time limit.
//! - [`GuardedAddresses`]: the check of an address when it is registered, by the rules of the calls
//!   themselves.
//! - [`Dispatcher`]: claims due deliveries, workspace by workspace, and keeps attempts under way.
//!
//! A delivery's content, retries and failure are decided by the domain, not by this crate. No log line here
//! holds a URL, a body or a secret.

pub mod diagnosis;
mod dispatcher;
mod guard;
mod sender;
pub mod signature;
pub mod standard;

pub use dispatcher::{Dispatcher, DispatcherConfig, DispatcherWake, count_from_zero};
pub use guard::GuardedAddresses;
pub use sender::{LIMITS, USER_AGENT, WebhookSender};
