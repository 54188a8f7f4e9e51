//! The simulator's only reading of the wall clock.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Returns the current time in UTC.
#[expect(clippy::disallowed_methods, reason = "the stand-in is the outside world: it has a clock of its own")]
pub(crate) fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// Formats a time in RFC 3339, as the control routes show it.
pub(crate) fn rfc3339(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_else(|_| at.unix_timestamp().to_string())
}
