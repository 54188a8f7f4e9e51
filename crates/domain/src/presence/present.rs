//! A member who is in a conversation.

use time::OffsetDateTime;

use crate::ids::MemberId;

/// Activity of a member in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Looking,
    Answering,
}

impl Doing {
    pub const ALL: [Self; 2] = [Self::Looking, Self::Answering];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Looking => "looking",
            Self::Answering => "answering",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|doing| doing.as_str() == name)
    }
}

/// Member who is in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present {
    pub member: MemberId,
    pub doing: Doing,
    /// End of the time for which the member is shown.
    pub until: OffsetDateTime,
}
