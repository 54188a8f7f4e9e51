//! Events, the addresses they are owed to, and their delivery.

mod address;
mod deliver;
mod event;
mod event_type;
pub mod ports;
mod register;
mod schedule;

pub use address::{AddressHealth, AddressState, DISABLE_AFTER, WebhookSecret};
pub use deliver::{DeliverDue, Delivered};
pub use event::{Customer, Event, EventData};
pub use event_type::{EventType, UnknownEvent};
pub use register::{MAX_ADDRESSES, RegisterAddress, RegisterError, RegisteredAddress};
pub use schedule::{ATTEMPTS, AttemptOutcome, Failure, Verdict, verdict};
