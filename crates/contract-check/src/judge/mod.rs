//! Judgement of a system's answers. Pure: nothing here calls anybody.

pub(crate) mod appointment;
mod currency;
pub(crate) mod customer;
pub(crate) mod order;
pub(crate) mod product;
pub(crate) mod verify;

use std::collections::{BTreeMap, BTreeSet};

use guarded_http::Url;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;

/// Result of each check that was made: success, or the first fault.
#[derive(Debug, Default)]
pub(crate) struct Judged(BTreeMap<&'static str, Result<(), String>>);

impl Judged {
    pub(crate) fn see(&mut self, id: &'static str, seen: Result<(), String>) {
        let known = self.0.entry(id).or_insert(Ok(()));
        if known.is_ok() {
            *known = seen;
        }
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = (&'static str, Result<(), String>)> {
        self.0.into_iter()
    }

    #[cfg(test)]
    pub(crate) fn wrong(self) -> Vec<&'static str> {
        self.into_iter().filter(|(_, seen)| seen.is_err()).map(|(id, _)| id).collect()
    }
}

/// An object with its path, for texts such as "products[3].price is text".
#[derive(Clone, Copy)]
pub(crate) struct NamedObject<'a> {
    pub(crate) object: &'a Map<String, Value>,
    pub(crate) name: &'a str,
}

impl NamedObject<'_> {
    /// Returns a field; `None` if it is absent or null.
    fn get(&self, field: &str) -> Option<&Value> {
        self.object.get(field).filter(|value| !value.is_null())
    }

    fn wrong(&self, field: &str, expected: &str) -> Result<(), String> {
        let found = match self.object.get(field) {
            None => "missing",
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "a boolean",
            Some(Value::Number(_)) => "a number",
            Some(Value::String(text)) if text.trim().is_empty() => "blank",
            Some(Value::String(_)) => "a text",
            Some(Value::Array(_)) => "a list",
            Some(Value::Object(_)) => "an object",
        };
        Err(format!("{}.{field} is {found}, not {expected}", self.name))
    }

    /// Checks a required field.
    fn needs(&self, field: &str, expected: &str, holds: impl Fn(&Value) -> bool) -> Result<(), String> {
        if self.get(field).is_some_and(holds) { Ok(()) } else { self.wrong(field, expected) }
    }

    /// Checks an optional field, which may also be null.
    fn may_have(&self, field: &str, expected: &str, holds: impl Fn(&Value) -> bool) -> Result<(), String> {
        if self.get(field).is_none_or(holds) { Ok(()) } else { self.wrong(field, expected) }
    }
}

fn is_id(value: &Value) -> bool {
    id_text(value).is_some()
}

/// Returns an id as text, whether it was text or a number.
pub(crate) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.trim().is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn is_amount(value: &Value) -> bool {
    value.as_f64().is_some_and(|amount| amount >= 0.0)
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn is_currency(value: &Value) -> bool {
    value.as_str().is_some_and(currency::is_known)
}

fn is_web_address(value: &Value) -> bool {
    address(value).is_some_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn is_https(value: &Value) -> bool {
    address(value).is_some_and(|url| url.scheme() == "https")
}

fn address(value: &Value) -> Option<Url> {
    Url::parse(value.as_str()?).ok()
}

/// Parses a time with an offset.
pub(crate) fn moment(value: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(value.as_str()?, &Iso8601::DEFAULT).ok()
}

/// Checks that no id comes twice.
fn unique<'a>(items: impl Iterator<Item = &'a Value>, list: &str) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let ids = items.filter_map(|item| id_text(item.get("id")?));
    for id in ids {
        if let Some(twice) = seen.replace(id) {
            return Err(format!("the id {twice} stands twice in {list}"));
        }
    }
    Ok(())
}
