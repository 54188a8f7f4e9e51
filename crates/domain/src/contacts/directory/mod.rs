//! The directory: everybody whom a workspace knows, as its team lists and exports them.

mod csv;
mod export;
mod filter;
mod list;

pub(crate) use csv::csv_line;
pub use csv::{EXPORT_HEAD, exported, unguarded};
pub use export::{ExportContacts, ExportError};
pub use filter::DirectoryFilter;
pub use list::{AskedDirectory, ListDirectory, ListDirectoryError};

use time::OffsetDateTime;

use super::ContactProfile;

/// A person as the directory shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryRow {
    pub profile: ContactProfile,
    /// When the newest message, theirs or the team's, was recorded; `None` if there is none.
    pub last_message_at: Option<OffsetDateTime>,
}
