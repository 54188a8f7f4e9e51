//! Traces that earlier keys have left.

/// Evidence of one key in the rows of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trace {
    /// No row was made with a key.
    #[default]
    Nothing,
    /// The rows that were tried were made with this key.
    Right,
    /// The rows that were tried were made with another key.
    Wrong,
    /// Rows were made with a key, but none of them shows which.
    Unclear,
}

/// Evidence of the keys in force in the rows of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traces {
    /// Evidence of the master keys.
    pub sealed: Trace,
    /// Evidence of the hash key.
    pub hashed: Trace,
    /// Whether any value claims to be bound to its place.
    pub bound: bool,
}
