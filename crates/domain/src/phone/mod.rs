//! Phone numbers: any spelling in, E.164 out.
//!
//! [`PhoneNumber::parse`] reads what people type and accepts only what the numbering plan of its country knows.
//! [`PhoneNumber::from_e164`] takes back what was stored, or what the network itself says, without asking the
//! plan. A number is personal data: it has no `Display`, and `Debug` does not show it.
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
pub(crate) use fold::{decimal, is_silent, sign};
pub(crate) use plan::is_code_of;
pub use region::{Region, UnknownRegion};
pub use search::search_digits;

/// It is a phone number in E.164: `+`, then 7 to 15 digits that begin with a country code.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber(Arc<str>);

/// It says why a text is not a phone number. The messages do not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// It has letters, an extension or other signs a number does not have, or it has no digits.
    #[error("not a phone number")]
    NotANumber,
    /// A spreadsheet has shortened it (`9.64771E+12`, `####`) or put an error in its place.
    #[error(
        "spoiled: a spreadsheet has taken digits of it; give its column the format Text, and write it with all its digits"
    )]
    Spoiled,
    /// It is written as a number is, but no country assigns it: a wrong length or a wrong prefix.
    #[error("no such phone number: the length or the prefix is wrong for its country")]
    Impossible,
    /// It could be one of another country, written without a plus sign, but rather is one at home with a slip in it.
    #[error(
        "ambiguous: a number at home with a mistake in it, or one of another country; write it with `+` and its \
         country code"
    )]
    Doubtful,
}

impl PhoneNumber {
    /// Reads a number in any spelling; without a country code it belongs to `region`.
    ///
    /// # Errors
    /// [`PhoneError::NotANumber`] for what is no number at all, [`PhoneError::Impossible`] for one that its
    /// country's numbering plan does not know, [`PhoneError::Doubtful`] for one that nobody should be written to
    /// on a guess.
    pub fn parse(written: &str, region: Region) -> Result<Self, PhoneError> {
        parse::read(written, region)
    }

    /// Reads a number that is looked for among known ones. One that no plan of today knows is taken by its digits, country
    /// code first, since what the network says is a number is one.
    ///
    /// # Errors
    /// As [`PhoneNumber::parse`].
    pub fn parse_known(written: &str, region: Region) -> Result<Self, PhoneError> {
        match Self::parse(written, region) {
            Err(PhoneError::Impossible) => parse::exact(written).ok_or(PhoneError::Impossible),
            read => read,
        }
    }

    /// Takes a number that is in E.164 already. Its form is checked, the numbering plan is not asked.
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

    /// Says whether a numbering plan of today has it.
    pub fn is_planned(&self) -> bool {
        // Its country code says whose plan, wherever it is read.
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

/// Says whether a text is written as whole numbers are, whatever the plans say; a date is not.
pub fn looks_like_a_number(written: &str) -> bool {
    typed::Typed::of(written).is_ok_and(|typed| (9..=15).contains(&typed.digits.len()))
}

/// Loads the numbering plans, which the first parse would otherwise wait for (some 75 ms).
pub fn warm() {
    plan::database();
}
