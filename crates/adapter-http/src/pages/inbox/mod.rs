//! `/dashboard/inbox`: the list of conversations, and one of them beside it.

pub(super) mod acts;
pub(super) mod found;
mod list;
pub(super) mod notes;
mod page;
pub(super) mod proposals;
mod query;
mod refused;
pub(super) mod several;
mod shown;
pub(super) mod templates;

pub(super) use page::{list_conversations, show_conversation};
