//! A canned reply and its shortcut.

use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{CannedReplyId, MemberId},
    text::fold_for_search,
};

/// Longest shortcut, in characters.
pub const LONGEST_SHORTCUT: usize = 32;
/// Longest text, in characters: as long as a message may be.
pub const LONGEST_TEXT: usize = 4_096;
/// Most canned replies of a workspace.
pub const MOST_CANNED_REPLIES: u32 = 300;

/// Reason why a canned reply was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannedReplyError {
    #[error("`shortcut` must have 1 to {LONGEST_SHORTCUT} letters, digits, `-` and `_`")]
    Shortcut,
    #[error("`text` must have 1 to {LONGEST_TEXT} characters, not all of them white space")]
    Text,
    /// Another canned reply has the shortcut.
    #[error("another canned reply has this shortcut")]
    Taken,
    #[error("a workspace has at most {MOST_CANNED_REPLIES} canned replies")]
    TooMany,
    #[error("there is no such canned reply")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Name of a canned reply, without its slash: letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcut(String);

impl Shortcut {
    /// Parses a shortcut with or without its slash.
    pub fn read(written: &str) -> Option<Self> {
        let name = written.trim();
        let name = name.strip_prefix('/').unwrap_or(name);
        let fits = !name.is_empty() && name.chars().nth(LONGEST_SHORTCUT).is_none();
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        (fits && plain && !fold_for_search(name).is_empty()).then(|| Self(name.to_owned()))
    }

    /// Returns the shortcut as written, without its slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form by which shortcuts are compared: case and Arabic letter variants make no difference.
    pub fn folded(&self) -> String {
        fold_for_search(&self.0)
    }
}

/// Short text to answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReply {
    pub id: CannedReplyId,
    pub shortcut: Shortcut,
    pub text: String,
    /// Member who wrote it last.
    pub author: MemberId,
    pub changed_at: OffsetDateTime,
}
