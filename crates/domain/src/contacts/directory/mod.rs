//! The directory: everybody whom a workspace knows, as its team looks them up and takes them out.

mod csv;
mod export;
mod list;

pub(crate) use csv::csv_line;
pub use csv::{EXPORT_HEAD, exported, unguarded};
pub use export::{ExportContacts, ExportError};
pub use list::{AskedDirectory, DirectoryFilter, ListDirectory, ListDirectoryError};

use time::OffsetDateTime;

use super::ContactProfile;

/// It is a person as the directory shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryRow {
    pub profile: ContactProfile,
    /// It says when the newest message was recorded that they or the team wrote; `None` where there is none.
    pub last_message_at: Option<OffsetDateTime>,
}
