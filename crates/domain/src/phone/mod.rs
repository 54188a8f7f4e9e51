//! Phone numbers: any spelling in, E.164 out.
//!
//! [`PhoneNumber::parse`] reads what people type and accepts only what the numbering plan of its country
//! knows. [`PhoneNumber::from_e164`] takes back what was stored, or what the network itself says, without
//! asking the plan. A number is personal data: it has no `Display`, and `Debug` does not show it.
//!
//! Deliberately absent: extensions, vanity letters, short codes, pretty printing.

mod borders;
mod fold;
mod parse;
mod plan;
mod region;
mod search;
mod slips;
#[cfg(test)]
pub(crate) mod tests;
mod typed;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use fold::fold;
pub(crate) use fold::sign;
pub(crate) use plan::is_code_of;
pub use region::{Region, UnknownRegion};
pub use search::search_digits;

/// Phone number in E.164: `+`, then 7 to 15 digits that begin with a country code.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber(Arc<str>);

/// Reason why a text is not a phone number. The messages do not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// The text has letters, an extension or other signs a number does not have, or no digits.
    #[error("not a phone number")]
    NotANumber,
    /// A spreadsheet has shortened the number (`9.64771E+12`, `####`) or put an error in its place.
    #[error(
        "spoiled: a spreadsheet has taken digits of it; give its column the format Text, and write it with all its digits"
    )]
    Spoiled,
    /// The text is written like a number, but no country assigns it: a wrong length or a wrong prefix.
    #[error("no such phone number: the length or the prefix is wrong for its country")]
    Impossible,
    /// Possible as a number of another country without a plus sign, but more likely a mistyped one at home,
    /// so nobody should be written to on a guess.
    #[error(
        "ambiguous: a number at home with a mistake in it, or one of another country; write it with `+` and its \
         country code"
    )]
    Doubtful,
}

impl PhoneNumber {
    /// Parses a number in any spelling; without a country code it belongs to `region`.
    pub fn parse(written: &str, region: Region) -> Result<Self, PhoneError> {
        parse::read(written, region)
    }

    /// Parses a number that is looked for among known ones. A number that no plan of today has is taken by
    /// its digits, country code first: what the network says is a number is one.
    pub fn parse_known(written: &str, region: Region) -> Result<Self, PhoneError> {
        match Self::parse(written, region) {
            Err(PhoneError::Impossible) => parse::exact(written).ok_or(PhoneError::Impossible),
            read => read,
        }
    }

    /// Accepts a number that is in E.164 already. Checks the form and not the numbering plan.
    ///
    /// # Errors
    /// [`PhoneError::NotANumber`] for anything but `+` and 7 to 15 ASCII digits, the first not `0`.
    pub fn from_e164(text: &str) -> Result<Self, PhoneError> {
        let digits = text.strip_prefix('+').ok_or(PhoneError::NotANumber)?;
        let formed = (7..=15).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && !digits.starts_with('0');
        if formed { Ok(Self(text.into())) } else { Err(PhoneError::NotANumber) }
    }

    /// Returns `true` if a numbering plan of today has it.
    pub fn is_planned(&self) -> bool {
        // The country code decides whose plan it is; the region does not matter.
        Self::parse(self.as_str(), Region::default()).is_ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the digits of the E.164 form, country code first, without `+`.
    pub fn digits(&self) -> &str {
        self.0.trim_start_matches('+')
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneNumber(…)")
    }
}

impl Serialize for PhoneNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for PhoneNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_e164(&text).map_err(serde::de::Error::custom)
    }
}

/// Returns `true` if a text is written like a number of 9 to 15 digits, whatever the plans say; a date has
/// fewer.
pub fn looks_like_a_number(written: &str) -> bool {
    typed::Typed::of(written).is_ok_and(|typed| (9..=15).contains(&typed.digits.len()))
}

/// Loads the numbering plans, for which the first parse would otherwise wait (some 75 ms).
pub fn warm() {
    plan::database();
}
