//! Test helpers for this crate and those that build on it: a clock moved by hand, ids in sequence, and
//! builders.
//!
//! The mocks of the ports stand beside their ports, as `Mock…`.

mod broadcasts;
mod builders;
mod deps;
mod events;
mod manual_clock;
mod sends;
mod sequential_ids;

pub use broadcasts::{a_broadcast, a_broadcast_content};
pub use builders::{
    a_caller, a_code_template, a_hash, a_member, a_number, a_region, a_session, a_template, a_vault,
    a_workspace, an_account, an_account_id, catalogue_of, some_links, someone_on, unescape,
};
pub use deps::{deps_of, deps_waking, some_deps};
pub use events::an_event;
pub use manual_clock::ManualClock;
pub use sends::{
    a_code_intent, a_code_request, a_contact, a_conversation, a_due_delivery, a_due_lead, a_ledger_entry,
    a_message, a_moment, a_network_message_id, a_recipient, a_rejection, a_reply_intent, a_send_result,
    a_sent_code, a_sent_message, a_status, a_template_request, a_webhook_address, an_intent,
};
pub use sequential_ids::SequentialIds;

/// The guide's examples, compiled and run as documentation tests.
#[cfg(all(doctest, feature = "mocks"))]
#[doc = include_str!("../../../../docs/change/testing-the-domain.md")]
struct Guide;
