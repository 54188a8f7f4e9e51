//! The journal of what networks tell us, and what becomes of sent messages.

mod acquaint;
mod in_flight;
mod inbox;
mod item;
mod journal;
mod known;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod quarantine;
mod record;
mod seen;
mod sent_messages;

pub(crate) use journal::SealedEntry;
