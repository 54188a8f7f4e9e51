//! The journal of what networks tell us, and what becomes of sent messages.

mod item;
mod journal;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod sent_messages;
