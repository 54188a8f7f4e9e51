//! JSON without what two parsers could read as two different values, or what cannot be stored.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

use crate::problem::Problem;

/// Longest part of a field's path repeated in an error, in characters.
const LONGEST_PATH: usize = 60;

/// Parses a JSON text. Also refuses a key that comes twice in one object, and U+0000 in a string or a key,
/// which PostgreSQL cannot hold. Lone surrogates are no JSON text.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize::<_, Strict>(&mut deserializer).map_err(|error| {
        let text = at(&error.path().to_string(), error.inner());
        let bad_value = error.inner().is_data();
        Problem::invalid(if bad_value { text } else { format!("the body is not valid JSON: {text}") })
    })?;
    deserializer.end().map_err(|error| Problem::invalid(format!("the body is not valid JSON: {error}")))?;
    Ok(value.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        without_nul(value).map(Value::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            without_nul(&key)?;
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` comes twice")));
            }
            let Strict(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

fn without_nul<E: Error>(text: &str) -> Result<&str, E> {
    if text.contains('\0') { Err(E::custom("a string must not hold U+0000")) } else { Ok(text) }
}

/// Formats an error with the path of its field, if that is known and not too long.
pub(super) fn at(path: &str, error: &serde_json::Error) -> String {
    let path = path.trim_end_matches(['?', '.']);
    match path.char_indices().nth(LONGEST_PATH) {
        _ if path.is_empty() => error.to_string(),
        Some((end, _)) => format!("`{}…`: {error}", path.get(..end).unwrap_or_default()),
        None => format!("`{path}`: {error}"),
    }
}
