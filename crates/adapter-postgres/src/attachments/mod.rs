//! Files of messages, and the messages that wait for them.

mod attach;
mod awaited;
mod outcomes;
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
pub(crate) use stored::{Files, read_files, read_missing};
pub(crate) use uploads::files_of;

use crate::Database;

/// Files of messages, and files that members upload.
#[derive(Clone)]
pub struct PgAttachments {
    pub(crate) database: Database,
}
