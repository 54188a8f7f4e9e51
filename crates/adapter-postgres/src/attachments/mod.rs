//! Files that come with messages, and the messages that wait for them.

mod attach;
mod new;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod queue;
mod stored;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;
mod uploads;

pub(crate) use attach::{AwaitedFile, attach as attach_files};
pub(crate) use new::attach;
pub(crate) use stored::{missing, read_missing, read_stored};
