//! Values of acts and evidence as JSON has them: an id is a string or a number, and so is an amount.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::money::Money;

/// An id of the evidence. Its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Id(pub String);

/// An amount that the customer named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount(pub Money);

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Id(…)")
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(de::Error::custom("an id is a string or a number")),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Id::deserialize(deserializer)?.0.replace(',', "");
        Money::of_number(&written)
            .map(Self)
            .ok_or_else(|| de::Error::custom("an amount is a number, such as 25000"))
    }
}
