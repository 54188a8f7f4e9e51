//! Single values: what JSON gives, and what the contract allows of it.

use domain::{
    catalogue::Money,
    systems::{Currency, ExternalId, PhotoUrl, WebLink, Why},
    text::PlainText,
};
use serde_json::value::RawValue;
use time::{
    OffsetDateTime,
    format_description::well_known::{Iso8601, Rfc3339},
};

use super::shape::{Kind, kind};

pub(crate) fn is_blank(raw: &RawValue) -> bool {
    kind(raw) == Kind::Text && string(raw).is_ok_and(|text| text.trim().is_empty())
}

/// A string, whatever stands in it. One that is not Unicode, such as half of a surrogate pair, is none.
pub(crate) fn string(raw: &RawValue) -> Result<String, Why> {
    match kind(raw) {
        Kind::Text => serde_json::from_str(raw.get()).map_err(|_| Why::NotAllowed),
        _ => Err(Why::WrongType),
    }
}

/// A text to show, cut after `longest` characters.
pub(crate) fn text(longest: usize) -> impl Fn(&RawValue) -> Result<PlainText, Why> {
    move |raw| PlainText::read(&string(raw)?, longest).ok_or(Why::NotAllowed)
}

pub(crate) fn boolean(raw: &RawValue) -> Result<bool, Why> {
    match kind(raw) {
        Kind::Bool(value) => Ok(value),
        _ => Err(Why::WrongType),
    }
}

/// A number's own text.
pub(crate) fn number(raw: &RawValue) -> Result<&str, Why> {
    if kind(raw) == Kind::Number { Ok(raw.get()) } else { Err(Why::WrongType) }
}

/// An amount. One below nothing, or with more digits than a price has, is not allowed.
pub(crate) fn money(raw: &RawValue) -> Result<Money, Why> {
    Money::of_number(number(raw)?).ok_or(Why::NotAllowed)
}

/// A whole number, also one that is written as `3.0`.
pub(crate) fn integer(raw: &RawValue) -> Result<i64, Why> {
    let written = number(raw)?;
    let (sign, written) = written.strip_prefix('-').map_or((1, written), |rest| (-1, rest));
    let amount = Money::of_number(written).ok_or(Why::NotAllowed)?;
    let (whole, fraction) = amount.as_str().split_once('.').unwrap_or((amount.as_str(), ""));
    let value = whole.parse::<i64>().ok().filter(|_| fraction.bytes().all(|digit| digit == b'0'));
    value.map(|value| sign * value).ok_or(Why::NotAllowed)
}

pub(crate) fn id(raw: &RawValue) -> Result<ExternalId, Why> {
    match kind(raw) {
        Kind::Number => ExternalId::of_number(raw.get()).ok_or(Why::NotAllowed),
        Kind::Text => ExternalId::of_text(&string(raw)?).ok_or(Why::NotAllowed),
        _ => Err(Why::WrongType),
    }
}

pub(crate) fn currency(raw: &RawValue) -> Result<Currency, Why> {
    string(raw)?.parse().map_err(|_| Why::NotAllowed)
}

pub(crate) fn link(raw: &RawValue) -> Result<WebLink, Why> {
    WebLink::parse(&string(raw)?).ok_or(Why::NotAllowed)
}

pub(crate) fn photo(raw: &RawValue) -> Result<PhotoUrl, Why> {
    PhotoUrl::parse(&string(raw)?).ok_or(Why::NotAllowed)
}

/// A time in ISO 8601 with an offset from UTC, which is kept. Without one it could be any of several times.
pub(crate) fn time(raw: &RawValue) -> Result<OffsetDateTime, Why> {
    let written = string(raw)?;
    let written = written.trim();
    OffsetDateTime::parse(written, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(written, &Iso8601::DEFAULT))
        .map_err(|_| Why::NotAllowed)
}
