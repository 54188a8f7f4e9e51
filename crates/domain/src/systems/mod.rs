//! Customers' own systems: where one is, what it can do, whether it can be called, and the port that calls it.
//!
//! What a system returns is told on and forgotten: nothing here is made to be stored but where it is, its name, its
//! currency and what it can do.

mod address;
mod answered;
mod capability;
mod currency;
mod external_id;
mod health;
mod link;
pub mod ports;
mod route;

pub use address::{BaseError, SecretError, SystemBase, SystemSecret};
pub use answered::{Answered, CallError, Exchange, MESSAGE_KEPT, RefusalMessage, Unusable, Why};
pub use capability::{Capabilities, Capability, Introduction, UnknownCapability};
pub use currency::{Currency, NotACurrency};
pub use external_id::ExternalId;
pub use health::{
    BREAKER_AFTER, ConnectionState, Finding, Health, LONGEST_COOLING, Outcome, Unavailable, VERIFY_FIRST,
    VERIFY_LONGEST,
};
pub use link::{PhotoUrl, WebLink};
pub use route::Route;
