//! What everybody noted who saw something of the run, and what is wrong between their books. The rules are pure: what
//! they are given is plain values.

mod conversations;
mod deliveries;
mod events;
mod reconcile;
mod sends;
mod token;

pub(crate) use conversations::{Conversation, Line, read_conversations};
pub(crate) use deliveries::{Delivery, Receivers};
pub(crate) use reconcile::{Books, reconcile};
pub(crate) use sends::{Kind, Outcome, Send};
pub(crate) use token::{Token, accepted, delivered_first};
