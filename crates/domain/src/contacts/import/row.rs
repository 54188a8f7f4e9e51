//! A row of a list of people.

use crate::{
    contacts::{ContactName, InvalidName, directory::unguarded},
    phone::{PhoneError, PhoneNumber, Region},
    text::is_blank,
};

/// A row as it was read.
pub struct WrittenRow {
    /// The line it begins in, counted from 1.
    pub line: u64,
    /// What stands there.
    pub person: Result<WrittenPerson, RowError>,
}

/// Somebody as a list has them.
pub struct WrittenPerson {
    /// Their number, in any spelling.
    pub phone: String,
    /// Their name; blank where the list has none.
    pub name: String,
}

/// Why a row is not taken. Says nothing of what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// Bytes that are no text.
    #[error("the row is not UTF-8 text")]
    NotText,
    /// More than any row of people has.
    #[error("the row is too long; a quotation mark may have been left open")]
    TooLong,
    /// The number is none.
    #[error("the number is {0}")]
    Phone(#[from] PhoneError),
    /// The name is none.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A name that cannot be kept.
    #[error("the name has a character that no text may hold")]
    NameHasNul,
}

/// A column that a row is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportColumn {
    /// The number's.
    Phone,
    /// The name's.
    Name,
}

impl ImportColumn {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Name => "name",
        }
    }
}

impl RowError {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::NotText,
        Self::TooLong,
        Self::Phone(PhoneError::NotANumber),
        Self::Phone(PhoneError::Impossible),
        Self::Phone(PhoneError::Doubtful),
        Self::Name(InvalidName),
        Self::NameHasNul,
    ];

    /// Its word on the wire, and where it is kept.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotText => "not_text",
            Self::TooLong => "row_too_long",
            Self::Phone(PhoneError::NotANumber) => "not_a_number",
            Self::Phone(PhoneError::Impossible) => "no_such_number",
            Self::Phone(PhoneError::Doubtful) => "ambiguous_number",
            Self::Name(InvalidName) => "name_length",
            Self::NameHasNul => "name_unstorable",
        }
    }

    /// Reads its word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == word)
    }

    /// The column that is at fault, where it is not the row as a whole.
    pub const fn column(self) -> Option<ImportColumn> {
        match self {
            Self::NotText | Self::TooLong => None,
            Self::Phone(_) => Some(ImportColumn::Phone),
            Self::Name(_) | Self::NameHasNul => Some(ImportColumn::Name),
        }
    }
}

/// A row that was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRow {
    /// The line it begins in, counted from 1.
    pub line: u64,
    /// Why.
    pub why: RowError,
}

impl WrittenPerson {
    /// The number, which belongs to `region` where it does not say, and the name, if there is one; both without the
    /// apostrophe that a file of ours or of a spreadsheet puts before what would be a formula.
    pub(super) fn read(&self, region: Region) -> Result<(PhoneNumber, Option<ContactName>), RowError> {
        let phone = PhoneNumber::parse(unguarded(&self.phone), region)?;
        if self.name.contains('\0') {
            return Err(RowError::NameHasNul);
        }
        if is_blank(&self.name) {
            return Ok((phone, None));
        }
        Ok((phone, Some(ContactName::read(unguarded(&self.name))?)))
    }
}

#[cfg(test)]
mod tests {
    use super::{ImportColumn, RowError, WrittenPerson};
    use crate::{
        contacts::{ContactName, InvalidName},
        phone::{PhoneError, Region},
    };

    #[test]
    fn a_person_is_a_number_in_any_spelling_and_a_name_that_may_be_blank() {
        let long = "ع".repeat(201);
        for (phone, name, wanted) in [
            ("0770 123 4567", " سارة ", Ok(("+9647701234567", Some("سارة")))),
            ("٠٠٩٦٤٧٧٠١٢٣٤٥٦٧", "", Ok(("+9647701234567", None))),
            ("+49 1512 3456789", "\u{a0}", Ok(("+4915123456789", None))),
            ("'+9647701234567", "'=Sara", Ok(("+9647701234567", Some("=Sara")))),
            ("", "Sara", Err(RowError::Phone(PhoneError::NotANumber))),
            ("9.64771E+12", "Sara", Err(RowError::Phone(PhoneError::NotANumber))),
            ("0770", "Sara", Err(RowError::Phone(PhoneError::Impossible))),
            ("07701234567", &long, Err(RowError::Name(InvalidName))),
            ("07701234567", "Sa\0ra", Err(RowError::NameHasNul)),
        ] {
            let person = WrittenPerson { phone: phone.to_owned(), name: name.to_owned() };
            let read = person.read(Region::default());
            let read =
                read.as_ref().map(|(phone, name)| (phone.as_str(), name.as_ref().map(ContactName::as_str)));
            assert_eq!(read, wanted.as_ref().copied(), "{phone} {name}");
        }
    }

    #[test]
    fn every_reason_has_a_word_of_its_own_and_names_its_column() {
        for why in RowError::ALL {
            assert_eq!(RowError::read(why.as_str()), Some(why));
            let column = match why.to_string().as_str() {
                said if said.contains("number") => Some(ImportColumn::Phone),
                said if said.contains("name") => Some(ImportColumn::Name),
                _ => None,
            };
            assert_eq!(why.column(), column, "{why}");
        }
        assert_eq!(RowError::read("nothing"), None);
    }
}
