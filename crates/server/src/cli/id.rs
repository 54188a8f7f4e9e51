//! Ids as arguments.

use std::str::FromStr;

use domain::ids::NotAnId;

/// Parses an id, with the blanks around it that a copy may bring along.
pub(super) fn id<T: FromStr<Err = NotAnId>>(text: &str) -> Result<T, NotAnId> {
    text.trim().parse()
}
