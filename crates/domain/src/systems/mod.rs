//! Customers' own systems: their addresses, capabilities and health, and the port that calls them.
//!
//! What a system returns is passed on and not kept. Stored are its address and secret, its name, currency
//! and capabilities, and how its calls went.

mod address;
mod answered;
mod appointment;
mod availability;
pub(crate) mod call;
mod call_log;
mod capability;
mod connect;
mod connection;
mod customer_record;
mod health;
mod keep_calls;
mod manage;
pub mod ports;
mod product;
mod record;
mod route;

pub use address::{BaseError, SecretError, SystemBase, SystemSecret};
pub use answered::{Answered, CallError, Exchange, FailedCall, MESSAGE_KEPT, RefusalMessage, Unusable, Why};
pub use appointment::{
    Appointment, Booking, LONGEST_SERVICE, MAX_SERVICES, MAX_SLOTS, Slot, SlotQuery, Slots, Span,
};
pub use availability::Availability;
pub use call::{ANSWERS_WITHIN, CallSystem, OpenedSystem, SystemError};
pub use call_log::{CALLS_KEPT_FOR, CallFilter, CallRecord, CallResult, UNUSABLE_KEPT};
pub use capability::{Capabilities, Capability, Introduction, UnknownCapability};
pub use connect::{ConnectError, ConnectSystem};
pub use connection::{CallOutcome, ConnectedSystem, SystemConnection};
pub use customer_record::{CustomerRecord, FieldValue, LONGEST_FIELD, LONGEST_LABEL, LeadPush, MAX_FIELDS};
pub use health::{
    BREAKER_AFTER, ConnectionState, Finding, Health, LONGEST_COOLING, Outcome, StateName, Unavailable,
    VERIFY_FIRST, VERIFY_LONGEST,
};
pub use keep_calls::KeepCalls;
pub use manage::ManageSystem;
pub use product::{
    DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_LIMIT, MAX_SEARCH_RESULTS, MAX_VARIANTS, Product,
    ProductQuery, Variant,
};
pub use record::RecordCall;
pub use route::Route;
