//! A list of people in a file: separated values in UTF-8, UTF-16 or Windows-1256, read row by row in constant
//! memory; an Excel workbook, or vCards as phones export them, in bounded memory.
//!
//! Each row stands for itself: created, known and refused add up to the rows of the file, and no cell holds
//! the text of another row.

mod cards;
mod encoding;
mod lines;
mod row;
mod separated;
mod unreadable;
mod workbook;

use std::io::{self, BufRead, Cursor, Read};

pub use encoding::Encoding;
pub use unreadable::Unreadable;

use cards::Cards;
use domain::{
    contacts::{Columns, RowError, WrittenRow},
    phone::looks_like_a_number,
};
use encoding::{Decoded, Known};
use lines::Lines;
use row::Row;
use separated::Separated;
use workbook::Workbook;

/// Most rows that may stand above a header, such as a title.
const MOST_ABOVE: usize = 10;
/// Bytes at the beginning that tell what kind of file it is.
const HEAD: u64 = 4;

/// Beginning of an Excel workbook (an archive), and of one before 2007.
const ARCHIVE: &[u8] = b"PK\x03\x04";
const OLD_WORKBOOK: &[u8] = b"\xd0\xcf\x11\xe0";

enum Source<'a> {
    Separated(Separated<'a>),
    Workbook(Workbook),
    Cards(Cards<'a>),
}

/// Rows of a file, read as they are asked for. A header is recognized and is not a row.
pub struct ContactFile<'a> {
    source: Source<'a>,
    columns: Option<Columns>,
    /// Number of rows above the header so far.
    above: usize,
    unread: Vec<String>,
}

impl<'a> ContactFile<'a> {
    /// Opens a file whose encoding its bytes tell.
    ///
    /// # Errors
    /// If reading fails, or [`Unreadable`].
    pub fn open(input: impl BufRead + 'a) -> io::Result<Self> {
        Self::open_as(input, None)
    }

    /// Opens a file that the caller says to be in `encoding`; a byte order mark or the kind of the file
    /// outweighs that.
    pub fn open_as(mut input: impl BufRead + 'a, encoding: Option<Encoding>) -> io::Result<Self> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut head)?;
        if head.starts_with(OLD_WORKBOOK) {
            return Err(Unreadable::Workbook.into());
        }
        if head.starts_with(ARCHIVE) {
            let workbook = Workbook::open(Cursor::new(head).chain(input))?;
            let unread = workbook.other_sheets().to_vec();
            return Ok(Self { unread, ..Self::of(Source::Workbook(workbook)) });
        }
        let (known, mark) = Known::of(&head, encoding);
        head.drain(..mark);
        let text = Decoded::new(head, input, known);
        let lines = Lines::new(text)?;
        let first = lines.first_line();
        let source = if Cards::begin(first) {
            Source::Cards(Cards::new(lines))
        } else {
            Source::Separated(Separated::new(lines)?)
        };
        Ok(Self::of(source))
    }

    const fn of(source: Source<'a>) -> Self {
        Self { source, columns: None, above: 0, unread: Vec::new() }
    }

    /// Returns, once a row was read, the titles of the columns that hold neither names nor numbers, and the
    /// names of unread sheets.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Returns the rows with all their cells, the first one too.
    pub fn rows(self) -> Rows<'a> {
        Rows(self)
    }

    fn row(&mut self) -> io::Result<Option<Row>> {
        match &mut self.source {
            Source::Separated(rows) => rows.read(),
            Source::Workbook(rows) => Ok(rows.read()),
            Source::Cards(rows) => rows.read(),
        }
    }

    fn read(&mut self) -> io::Result<Option<WrittenRow>> {
        while let Some((line, cells)) = self.row()? {
            let columns = if let Some(columns) = &self.columns {
                columns
            } else {
                let header = cells.as_ref().ok().and_then(|cells| Columns::of_header(cells));
                let has_number = |cells: &Vec<String>| cells.iter().any(|cell| looks_like_a_number(cell));
                if header.is_none() && self.above < MOST_ABOVE && !cells.as_ref().is_ok_and(has_number) {
                    self.above += 1;
                    let person = cells.map(|cells| Columns::without_header().person(&cells));
                    return Ok(Some(WrittenRow { line, person }));
                }
                let is_header = header.is_some();
                if let (Some(columns), Ok(cells)) = (&header, &cells) {
                    let sheets = std::mem::replace(&mut self.unread, columns.unread(cells));
                    self.unread.extend(sheets);
                }
                let columns = self.columns.insert(header.unwrap_or_else(Columns::without_header));
                if is_header {
                    continue;
                }
                columns
            };
            return Ok(Some(WrittenRow { line, person: cells.map(|cells| columns.person(&cells)) }));
        }
        Ok(None)
    }
}

impl Iterator for ContactFile<'_> {
    type Item = io::Result<WrittenRow>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Rows with all their cells, the first one too, each with the number of its first line.
pub struct Rows<'a>(ContactFile<'a>);

impl Rows<'_> {
    /// Returns the names of a workbook's visible sheets that are not read.
    pub fn unread(&self) -> &[String] {
        match &self.0.source {
            Source::Workbook(workbook) => workbook.other_sheets(),
            Source::Separated(_) | Source::Cards(_) => &[],
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = io::Result<(u64, Result<Vec<String>, RowError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.row().transpose()
    }
}

#[cfg(test)]
mod tests;
