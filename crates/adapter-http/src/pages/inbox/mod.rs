//! Conversations: `/conversations` and what is under it. The list, with one of them beside it, is on the page
//! `/dashboard/inbox`.

pub(super) mod booking_requests;
pub(super) mod customer;
pub(super) mod drafts;
pub(super) mod found;
pub(super) mod leads;
mod list;
pub(super) mod moves;
pub(super) mod notes;
mod page;
pub(super) mod person;
pub(super) mod presence;
pub(super) mod products;
pub(super) mod proposals;
mod query;
mod refused;
pub(super) mod reply;
pub(super) mod seen;
pub(super) mod several;
mod shown;
mod system_messages;
pub(super) mod tags;
pub(super) mod templates;
mod wire;

pub(super) use self::{
    page::{list_conversations, messages, show_conversation},
    wire::InboxBody,
};
