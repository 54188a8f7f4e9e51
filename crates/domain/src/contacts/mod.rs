//! People that a workspace knows.

use time::OffsetDateTime;

use crate::{ids::ContactId, phone::PhoneNumber};

/// How a contact came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactSource {
    /// They wrote in.
    Messaged,
    /// The team added them: by file, by the API, or by sending them a notice.
    Import,
}

impl ContactSource {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messaged => "messaged",
            Self::Import => "import",
        }
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Its id.
    pub id: ContactId,
    /// The team's name for the person, or the one they gave.
    pub name: Option<String>,
    /// Their number, where it is known.
    pub phone: Option<PhoneNumber>,
    /// How they came to be known.
    pub source: ContactSource,
    /// When.
    pub created_at: OffsetDateTime,
}
