//! Events of a workspace and their delivery to registered webhook addresses.

mod address;
mod addresses;
mod deliver;
mod delivery;
mod keep_log;
mod log;
mod message_life;
pub mod ports;
mod register;
mod resend;
mod schedule;

pub use address::{
    AddressChange, AddressHealth, AddressSettings, AddressState, DISABLE_AFTER, WebhookAddress, WebhookSecret,
};
pub use addresses::{MAX_OVERLAP, ManageAddresses, PINGS_A_MINUTE, PingError, RotateError, SubscribeError};
pub use deliver::{ANSWER_KEPT, ATTEMPT_LIMIT, Claimed, DeliverDue, RECORD_WITHIN, START_WITHIN};
pub use delivery::{
    Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliveryState, DeliverySubject, UnknownState,
};
pub use keep_log::{KeepLog, LOG_KEPT};
pub use log::ReadDeliveries;
pub use message_life::{ExplainMessage, MessageLife, Told};
pub use ports::RegisterError;
pub use register::{MAX_ADDRESSES, RegisterAddress, RegisteredAddress, is_same_place};
pub use resend::{MOST_WINDOWS, Resend, ResendDeliveries, ResendError, ResendState, ResendWindow};
pub use schedule::{ATTEMPTS, AttemptOutcome, Failure, NextStep, next_step};
