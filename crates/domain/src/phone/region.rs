//! Country of a number that does not name one.

use std::fmt;
use std::str::FromStr;

use phonenumber::country::Id;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Country or territory with a numbering plan, by its ISO 3166-1 alpha-2 code. Iraq by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region(Id);

/// Error for a text that is not the two-letter code of a country with a numbering plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a two-letter country code")]
pub struct UnknownRegion;

impl Region {
    /// Returns the code in capitals.
    pub fn as_str(&self) -> &str {
        self.0.as_ref()
    }
}

impl Default for Region {
    fn default() -> Self {
        Self(Id::IQ)
    }
}

impl FromStr for Region {
    type Err = UnknownRegion;

    fn from_str(text: &str) -> Result<Self, UnknownRegion> {
        text.to_ascii_uppercase().parse().map(Self).map_err(|_| UnknownRegion)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Region({self})")
    }
}

impl Serialize for Region {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Region {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
