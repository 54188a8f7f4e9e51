//! What the shop does not do.

/// Reason why something cannot be done, in words for the shop's own staff.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// 404
    NotFound(String),
    /// 409
    Conflict(String),
    /// 422
    Invalid(String),
}
