//! Networks' limits of how many people a number may write to.

use serde::Serialize;
use time::{Duration, OffsetDateTime};

use crate::ids::AccountId;

/// Length of the spans in which people are counted together; all of a span count until the last of them may
/// be over.
pub const SPAN: Duration = Duration::minutes(10);

/// Time before a template: a person who wrote within it is not counted, since nobody began to write to them.
pub const HAD_WRITTEN_WITHIN: Duration = Duration::hours(24);

/// Limit of a number, as the network words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberLimit {
    pub account: AccountId,
    pub network_id: String,
    /// The network's own word, such as `TIER_1K`.
    pub word: String,
}

/// Number of people who got a template from an account's numbers, in the span that began at `since`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenTo {
    pub account: AccountId,
    pub since: OffsetDateTime,
    pub people: u64,
}

/// The network's limit, as a preview shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LimitPreview {
    /// People that the sending numbers may begin to write to within 24 hours.
    pub people: u64,
    /// Part of `people` that is left now.
    pub left: u64,
    /// Approximate number of days that the broadcast takes.
    pub days: u64,
}

/// Returns the beginning of the span that `at` is in.
pub fn span_of(at: OffsetDateTime) -> OffsetDateTime {
    let seconds = at.unix_timestamp();
    let began = seconds - seconds.rem_euclid(SPAN.whole_seconds());
    OffsetDateTime::from_unix_timestamp(began).unwrap_or(at)
}
