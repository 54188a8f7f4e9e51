//! Customers' records in a system, and the leads that it is told of.

mod capture_lead;
mod customer;
mod lead;
mod look_up;
pub mod ports;
mod push_leads;

pub use capture_lead::{CaptureLead, CaptureLeadError, LeadOutcome, LeadRequest};
pub use customer::ConversationCustomer;
pub use lead::{AfterTry, DueLead, LONGEST_NEED, LeadState, MOST_TRIES, TOLD_WITHIN};
pub use look_up::{LookUpCustomer, LookUpError};
pub use push_leads::PushLeads;
