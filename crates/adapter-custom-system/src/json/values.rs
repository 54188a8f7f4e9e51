//! Single values: their JSON, and what the contract allows of it.

use std::borrow::Cow;

use domain::{
    currency::Currency,
    external_id::ExternalId,
    link::{PhotoUrl, WebLink},
    money::Money,
    systems::Why,
    text::PlainText,
};
use time::{
    OffsetDateTime, UtcOffset,
    format_description::well_known::{Iso8601, Rfc3339},
};

use super::{document::Value, entry::Kind};

/// Longest number, in characters, that cannot have too many digits.
const SHORT_NUMBER: usize = 15;

pub(crate) fn is_blank(value: &Value<'_>) -> bool {
    value.text().is_some_and(|text| text.trim_start().is_empty())
}

/// Returns a string, blank or not. One that is not Unicode, such as half of a surrogate pair, is refused.
pub(crate) fn string(value: Value<'_>) -> Result<Cow<'_, str>, Why> {
    match value.kind() {
        Kind::Text => value.text().ok_or(Why::NotAllowed),
        _ => Err(Why::WrongType),
    }
}

/// Reads a text to show, cut after `longest` characters.
pub(crate) fn text(longest: usize) -> impl Fn(Value<'_>) -> Result<PlainText, Why> {
    move |value| match value.kind() {
        Kind::Text => {
            let text = value.readable_text().ok_or(Why::NotAllowed)?;
            PlainText::read(&text, longest).ok_or(Why::NotAllowed)
        }
        _ => Err(Why::WrongType),
    }
}

pub(crate) fn boolean(value: Value<'_>) -> Result<bool, Why> {
    match value.kind() {
        Kind::Bool(value) => Ok(value),
        _ => Err(Why::WrongType),
    }
}

/// Returns a number as it is written.
pub(crate) fn number(value: Value<'_>) -> Result<&str, Why> {
    value.number().ok_or(Why::WrongType)
}

/// Parses an amount. A negative one, or one with more digits than a price has, is not allowed.
pub(crate) fn money(value: Value<'_>) -> Result<Money, Why> {
    Money::of_number(number(value)?).ok_or(Why::NotAllowed)
}

/// Parses a whole number, also one that is written as `3.0`.
pub(crate) fn integer(value: Value<'_>) -> Result<i64, Why> {
    let written = number(value)?;
    if written.len() <= SHORT_NUMBER
        && let Ok(value) = written.parse()
    {
        return Ok(value);
    }
    let (sign, written) = written.strip_prefix('-').map_or((1, written), |rest| (-1, rest));
    let amount = Money::of_number(written).ok_or(Why::NotAllowed)?;
    let (whole, fraction) = amount.as_str().split_once('.').unwrap_or((amount.as_str(), ""));
    let value = whole.parse::<i64>().ok().filter(|_| fraction.bytes().all(|digit| digit == b'0'));
    value.map(|value| sign * value).ok_or(Why::NotAllowed)
}

pub(crate) fn id(value: Value<'_>) -> Result<ExternalId, Why> {
    match value.kind() {
        Kind::Number => ExternalId::of_number(number(value)?).ok_or(Why::NotAllowed),
        Kind::Text => ExternalId::of_text(&string(value)?).ok_or(Why::NotAllowed),
        _ => Err(Why::WrongType),
    }
}

pub(crate) fn currency(value: Value<'_>) -> Result<Currency, Why> {
    string(value)?.parse().map_err(|_| Why::NotAllowed)
}

pub(crate) fn link(value: Value<'_>) -> Result<WebLink, Why> {
    WebLink::parse(&string(value)?).ok_or(Why::NotAllowed)
}

pub(crate) fn photo(value: Value<'_>) -> Result<PhotoUrl, Why> {
    PhotoUrl::parse(&string(value)?).ok_or(Why::NotAllowed)
}

/// Parses a time in ISO 8601 with an offset from UTC, which is kept. Without an offset it could be any of
/// several times. RFC 3339 must be able to write it, here and in UTC, since it is passed on.
pub(crate) fn time(value: Value<'_>) -> Result<OffsetDateTime, Why> {
    let written = string(value)?;
    let written = written.trim();
    OffsetDateTime::parse(written, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(written, &Iso8601::DEFAULT))
        .ok()
        .filter(|at| can_be_told(*at))
        .ok_or(Why::NotAllowed)
}

/// Returns whether RFC 3339 can write a time: its year has four digits also in UTC, and its offset is less
/// than a day, in whole minutes.
fn can_be_told(at: OffsetDateTime) -> bool {
    let (hours, _, seconds) = at.offset().as_hms();
    let in_utc = at.checked_to_offset(UtcOffset::UTC);
    let has_year = |at: OffsetDateTime| (0..=9_999).contains(&at.year());
    hours.abs() < 24 && seconds == 0 && has_year(at) && in_utc.is_some_and(has_year)
}
