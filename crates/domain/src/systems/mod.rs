//! Customers' own systems: their addresses, capabilities and health, and the port that calls them.
//!
//! What a system returns is passed on and not kept. Stored are its address and secret, its name, currency
//! and capabilities, and how its calls went.

mod address;
mod answered;
pub(crate) mod call;
mod call_log;
mod capability;
mod connect;
mod connection;
mod currency;
mod external_id;
mod health;
mod keep_calls;
mod link;
mod manage;
pub mod ports;
mod record;
mod route;

pub use address::{BaseError, SecretError, SystemBase, SystemSecret};
pub use answered::{Answered, CallError, Exchange, FailedCall, MESSAGE_KEPT, RefusalMessage, Unusable, Why};
pub use call::{ANSWERS_WITHIN, CallSystem, OpenedSystem, SystemError};
pub use call_log::{CALLS_KEPT_FOR, CallFilter, CallRecord, CallResult, UNUSABLE_KEPT};
pub use capability::{Capabilities, Capability, Introduction, UnknownCapability};
pub use connect::{ConnectError, ConnectSystem};
pub use connection::{CallOutcome, ConnectedSystem, SystemConnection};
pub use currency::{Currency, NotACurrency};
pub use external_id::ExternalId;
pub use health::{
    BREAKER_AFTER, ConnectionState, Finding, Health, LONGEST_COOLING, Outcome, StateName, Unavailable,
    VERIFY_FIRST, VERIFY_LONGEST,
};
pub use keep_calls::KeepCalls;
pub(crate) use link::is_public;
pub use link::{PhotoUrl, WebLink};
pub use manage::ManageSystem;
pub use record::RecordCall;
pub use route::Route;
