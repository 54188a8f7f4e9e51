//! Facts about a token, as its network tells them.

use std::collections::BTreeSet;

use time::OffsetDateTime;

/// A token as the network describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenFacts {
    /// `None` if it never expires.
    pub expires_at: Option<OffsetDateTime>,
    pub permissions: BTreeSet<String>,
    /// Ids of the business accounts that the token was given for.
    pub accounts: Vec<String>,
    /// Whether the token is a page's own.
    pub of_page: bool,
}
