//! Records of every observer of the run, and the contradictions between them. The rules are pure: they take
//! plain values.

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
