//! Input that cannot be parsed.

/// Input that cannot be parsed: the command ends with 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl Unreadable {
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}
