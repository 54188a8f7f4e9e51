//! The journal of what networks tell us, and what becomes of sent messages.

mod item;
mod journal;
mod sent_messages;
