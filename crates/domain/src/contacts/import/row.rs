//! Rows of a list of people.

use super::super::name::{ContactName, InvalidName};
use crate::{
    contacts::directory::unguarded,
    phone::{PhoneError, PhoneNumber, Region},
    text::is_blank,
};

/// A row as it was read.
pub struct WrittenRow {
    /// Line where the row begins, from 1.
    pub line: u64,
    pub person: Result<WrittenPerson, RowError>,
}

/// A person as a list has them.
pub struct WrittenPerson {
    /// In any spelling.
    pub phone: String,
    /// Blank if the list has none.
    pub name: String,
}

/// Reason why a row is rejected; holds nothing of its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    #[error("the row is not UTF-8 text")]
    NotText,
    #[error("the row is too long; a quotation mark may have been left open")]
    TooLong,
    /// A cell's quotation mark opens in this row and is not closed before other rows begin.
    #[error("the row has a quotation mark that is never closed")]
    OpenQuote,
    /// The row stands in a workbook's other sheet; only one sheet is read.
    #[error(
        "the row stands in another sheet than the one that is read; save that sheet as a list of its own"
    )]
    OtherSheet,
    #[error("the number is missing")]
    NoNumber,
    #[error("the number is {0}")]
    Phone(#[from] PhoneError),
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error("the name has a character that no text may hold")]
    NameHasNul,
}

/// A column that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportColumn {
    Phone,
    Name,
}

impl ImportColumn {
    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Name => "name",
        }
    }
}

impl RowError {
    pub const ALL: [Self; 11] = [
        Self::NotText,
        Self::TooLong,
        Self::OpenQuote,
        Self::OtherSheet,
        Self::NoNumber,
        Self::Phone(PhoneError::Spoiled),
        Self::Phone(PhoneError::NotANumber),
        Self::Phone(PhoneError::Impossible),
        Self::Phone(PhoneError::Doubtful),
        Self::Name(InvalidName),
        Self::NameHasNul,
    ];

    /// Returns its name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotText => "not_text",
            Self::TooLong => "row_too_long",
            Self::OpenQuote => "open_quote",
            Self::OtherSheet => "other_sheet",
            Self::NoNumber => "no_number",
            Self::Phone(PhoneError::Spoiled) => "spoiled_number",
            Self::Phone(PhoneError::NotANumber) => "not_a_number",
            Self::Phone(PhoneError::Impossible) => "no_such_number",
            Self::Phone(PhoneError::Doubtful) => "ambiguous_number",
            Self::Name(InvalidName) => "name_length",
            Self::NameHasNul => "name_unstorable",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == word)
    }

    /// Returns the column at fault; `None` for the row as a whole.
    pub const fn column(self) -> Option<ImportColumn> {
        match self {
            Self::NotText | Self::TooLong | Self::OpenQuote | Self::OtherSheet => None,
            Self::NoNumber | Self::Phone(_) => Some(ImportColumn::Phone),
            Self::Name(_) | Self::NameHasNul => Some(ImportColumn::Name),
        }
    }
}

/// A rejected row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRow {
    /// Line where the row begins, from 1.
    pub line: u64,
    pub why: RowError,
}

/// A number as it stands in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadNumber {
    pub(crate) phone: PhoneNumber,
    /// Whether a numbering plan of today has it. If not, it is that of somebody whom the workspace knows by
    /// these digits, or of nobody.
    pub(crate) is_planned: bool,
}

impl ReadNumber {
    /// Parses a cell, without the apostrophe by which our exports and spreadsheets guard against formulas. A
    /// number without a country code belongs to `region`.
    pub(crate) fn of(cell: &str, region: Region) -> Result<Self, RowError> {
        let cell = unguarded(cell);
        if is_blank(&cell) {
            return Err(RowError::NoNumber);
        }
        match PhoneNumber::parse(&cell, region) {
            Ok(phone) => Ok(Self { phone, is_planned: true }),
            Err(_) => Ok(Self { phone: PhoneNumber::parse_known(&cell, region)?, is_planned: false }),
        }
    }
}

impl WrittenPerson {
    /// Parses the number and the name; `None` for a blank name.
    pub(super) fn read(&self, region: Region) -> Result<(ReadNumber, Option<ContactName>), RowError> {
        let number = ReadNumber::of(&self.phone, region)?;
        if self.name.contains('\0') {
            return Err(RowError::NameHasNul);
        }
        if is_blank(&self.name) {
            return Ok((number, None));
        }
        Ok((number, Some(ContactName::read(&unguarded(&self.name))?)))
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
            ("'07701234567", "Sa\nra", Ok(("+9647701234567", Some("Sa ra")))),
            ("", "Sara", Err(RowError::NoNumber)),
            (" ", "", Err(RowError::NoNumber)),
            ("9.64771E+12", "Sara", Err(RowError::Phone(PhoneError::Spoiled))),
            ("nobody", "Sara", Err(RowError::Phone(PhoneError::NotANumber))),
            ("0770", "Sara", Err(RowError::Phone(PhoneError::Impossible))),
            ("07701234567", &long, Err(RowError::Name(InvalidName))),
            ("07701234567", "Sa\0ra", Err(RowError::NameHasNul)),
        ] {
            let person = WrittenPerson { phone: phone.to_owned(), name: name.to_owned() };
            let read = person.read(Region::default());
            let read = read
                .as_ref()
                .map(|(number, name)| (number.phone.as_str(), name.as_ref().map(ContactName::as_str)));
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
