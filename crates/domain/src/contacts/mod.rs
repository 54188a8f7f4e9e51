//! People that a workspace knows: who they are, finding them, adding and naming them.

mod add;
pub mod directory;
mod filter;
mod get;
mod identity;
mod import;
mod list;
mod merge;
mod name;
pub mod ports;
mod rename;
mod search;
mod signal;

pub use add::{AddContact, AddContactError};
pub(crate) use add::{is_a_number, read_number};
pub use filter::ContactFilter;
pub use get::GetContact;
pub use identity::Identity;
pub use import::{
    Columns, ImportColumn, ImportContacts, ImportError, ImportJob, ImportJobError, ImportJobs, ImportPart,
    ImportReport, ImportState, ImportStep, MOST_REFUSALS, People, RefusedRow, RowError, RunImports,
    StagedRows, WrittenPerson, WrittenRow,
};
pub(crate) use import::{ReadNumber, known_by};
pub use list::{AskedContacts, ContactsPage, ListContacts, ListContactsError};
pub use merge::{ContactActivity, MergedSignal, merge_activity, signals_to_move};
pub use name::{ContactName, InvalidName};
pub use rename::RenameContact;
pub use search::{Search, SearchTooLong};
pub use signal::{ContactSignal, KeptSignal};

use time::OffsetDateTime;

use crate::{channels::ChannelKind, ids::ContactId, phone::PhoneNumber};

/// How a contact came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactSource {
    Messaged,
    /// The team came first: by a file, by the API, by sending a template, or by writing in the network's own
    /// app.
    Import,
}

impl ContactSource {
    pub const ALL: [Self; 2] = [Self::Messaged, Self::Import];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messaged => "messaged",
            Self::Import => "import",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.as_str() == name)
    }
}

/// A person whom the workspace knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub id: ContactId,
    /// The team's name for the person, or the one they gave.
    pub name: Option<String>,
    pub phone: Option<PhoneNumber>,
    pub source: ContactSource,
    pub created_at: OffsetDateTime,
}

/// A person with what their conversations tell of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactProfile {
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// Networks from which they have written, by name.
    pub channels: Vec<ChannelKind>,
    /// Tags of all their conversations, by name.
    pub tags: Vec<String>,
    pub conversations: u64,
    /// When they last wrote; `None` if never.
    pub last_active_at: Option<OffsetDateTime>,
}

impl ContactProfile {
    /// Makes the profile of a person without conversations.
    pub const fn without_conversations(contact: Contact) -> Self {
        Self {
            contact,
            avatar_url: None,
            channels: Vec::new(),
            tags: Vec::new(),
            conversations: 0,
            last_active_at: None,
        }
    }
}
