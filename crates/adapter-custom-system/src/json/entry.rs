//! Values of a document, as they are found in its text.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number,
    Text,
    Array,
    Object,
}

/// Position of a value or of a member's name; a text without its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Index of the entry after this one and all that it holds.
    pub(super) next: u32,
    pub(super) kind: Kind,
    /// Whether a text has a backslash in it.
    pub(super) escaped: bool,
}
