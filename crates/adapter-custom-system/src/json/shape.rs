//! One level of JSON: what a value is, and the values in it, unread.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What a value is. A string is not read yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Number,
    Text,
    Array,
    Object,
}

/// The text of a value that was found to be JSON tells its kind by its first byte.
pub(crate) fn kind(raw: &RawValue) -> Kind {
    match raw.get().as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::Text,
        Some(b't') => Kind::Bool(true),
        Some(b'f') => Kind::Bool(false),
        Some(b'n') => Kind::Null,
        _ => Kind::Number,
    }
}

/// The first items of an array, and whether there are more.
pub(crate) fn items(raw: &RawValue, most: usize) -> Option<(Vec<&RawValue>, bool)> {
    read(raw, First { most })
}

/// The first members of an object, and whether there are more.
pub(crate) fn members(raw: &RawValue, most: usize) -> Option<(Vec<(String, &RawValue)>, bool)> {
    read(raw, FirstMembers { most })
}

/// The members of an object that have these names; of those that stand twice, the last.
pub(crate) fn known<'a>(
    raw: &'a RawValue,
    names: &[&'static str],
) -> Option<Vec<(&'static str, &'a RawValue)>> {
    read(raw, Known { names })
}

fn read<'a, S: DeserializeSeed<'a>>(raw: &'a RawValue, seed: S) -> Option<S::Value> {
    seed.deserialize(&mut serde_json::Deserializer::from_str(raw.get())).ok()
}

struct First {
    most: usize,
}

struct FirstMembers {
    most: usize,
}

struct Known<'n> {
    names: &'n [&'static str],
}

impl<'a> DeserializeSeed<'a> for First {
    type Value = (Vec<&'a RawValue>, bool);

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for First {
    type Value = (Vec<&'a RawValue>, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while first.len() < self.most {
            match seq.next_element()? {
                Some(item) => first.push(item),
                None => return Ok((first, false)),
            }
        }
        let mut more = false;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok((first, more))
    }
}

impl<'a> DeserializeSeed<'a> for FirstMembers {
    type Value = (Vec<(String, &'a RawValue)>, bool);

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for FirstMembers {
    type Value = (Vec<(String, &'a RawValue)>, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut first = Vec::new();
        while first.len() < self.most {
            match map.next_entry()? {
                Some(member) => first.push(member),
                None => return Ok((first, false)),
            }
        }
        let mut more = false;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok((first, more))
    }
}

impl<'a> DeserializeSeed<'a> for Known<'_> {
    type Value = Vec<(&'static str, &'a RawValue)>;

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Known<'_> {
    type Value = Vec<(&'static str, &'a RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found: Self::Value = Vec::with_capacity(self.names.len());
        while let Some(Name(known)) = map.next_key_seed(OneOf { names: self.names })? {
            let value: &'a RawValue = map.next_value()?;
            if let Some(name) = known {
                found.retain(|(other, _)| *other != name);
                found.push((name, value));
            }
        }
        Ok(found)
    }
}

/// A member's name, if it is one of the known.
struct Name(Option<&'static str>);

struct OneOf<'n> {
    names: &'n [&'static str],
}

impl<'a> DeserializeSeed<'a> for OneOf<'_> {
    type Value = Name;

    fn deserialize<D: serde::Deserializer<'a>>(self, deserializer: D) -> Result<Name, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for OneOf<'_> {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, written: &str) -> Result<Name, E> {
        Ok(Name(self.names.iter().copied().find(|name| *name == written)))
    }
}
