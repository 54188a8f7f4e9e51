//! Rows of the first sheet of a workbook (`.xlsx`) that has any. Rows of other sheets are refused.

use std::io::{self, Cursor, Read};

use calamine::{Cell, DataRef, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use domain::contacts::RowError;
use zip::ZipArchive;

use crate::{
    row::{LONGEST_ROW, MOST_CELLS, Row},
    unreadable::Unreadable,
};

/// Largest workbook, in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// Most bytes of its parts together once unpacked: some 200,000 people of a few columns.
const MOST_UNPACKED: u64 = 64 * 1024 * 1024;
/// Most parts of a workbook; it has a dozen.
const MOST_PARTS: usize = 1_000;
/// Most cells kept of a sheet, including the empty ones before others, and most rows of all sheets.
const MOST_OF_SHEET: usize = 4_000_000;
/// Most bytes of the cells' texts, of which one may stand in many cells.
const MOST_TEXT: usize = 64 * 1024 * 1024;
/// Bound below which a number keeps all its digits in a spreadsheet.
const EXACT: f64 = 1e15;

/// A sheet whose rows are in memory, their texts one behind the other.
pub(super) struct Workbook {
    texts: String,
    /// End of each cell in `texts`.
    ends: Vec<usize>,
    /// Number of each row with the end of its cells in `ends`, or why it has none.
    rows: std::vec::IntoIter<(u64, Result<usize, RowError>)>,
    /// Cells, and bytes of `texts`, already returned.
    cell: usize,
    byte: usize,
    other_sheets: Vec<String>,
}

impl Workbook {
    pub(super) fn open(file: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES) {
            return Err(Unreadable::TooLarge.into());
        }
        check_parts(&bytes)?;
        Ok(Self::load(bytes).map_err(|error| error.0)?)
    }

    fn load(bytes: Vec<u8>) -> Result<Self, LoadError> {
        let mut workbook = Xlsx::new(Cursor::new(bytes))?;
        let sheets = workbook.sheets_metadata().iter();
        let visible = sheets
            .filter(|sheet| sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible);
        let names: Vec<String> = visible.map(|sheet| sheet.name.clone()).collect();
        if names.is_empty() {
            return Err(LoadError(Unreadable::Workbook));
        }
        let (mut loader, mut kept) = (Loader::default(), None);
        for name in &names {
            let is_kept = loader.rows.is_empty();
            let mut cells = match workbook.worksheet_cells_reader(name) {
                Err(_) if !is_kept => continue,
                cells => cells?,
            };
            if is_kept {
                kept = Some(name);
            }
            loader.begin_sheet(is_kept);
            while let Some(cell) = cells.next_cell()? {
                loader.add(&cell)?;
            }
        }
        Ok(Self {
            texts: loader.texts,
            ends: loader.ends,
            rows: loader.rows.into_iter(),
            cell: 0,
            byte: 0,
            other_sheets: names.iter().filter(|name| kept != Some(*name)).cloned().collect(),
        })
    }

    pub(super) fn other_sheets(&self) -> &[String] {
        &self.other_sheets
    }

    pub(super) fn read(&mut self) -> Option<Row> {
        let (number, end) = self.rows.next()?;
        let end = match end {
            Ok(end) => end,
            Err(why) => return Some((number, Err(why))),
        };
        let mut cells = Vec::new();
        for end in self.ends.get(self.cell..end).unwrap_or_default() {
            cells.push(self.texts.get(self.byte..*end).unwrap_or_default().to_owned());
            self.byte = *end;
        }
        self.cell = end;
        Some((number, Ok(cells)))
    }
}

/// Rows of the sheets loaded so far. Of the first sheet that has any the cells are kept.
#[derive(Default)]
struct Loader {
    texts: String,
    ends: Vec<usize>,
    rows: Vec<(u64, Result<usize, RowError>)>,
    is_sheet_kept: bool,
    /// Last row of the current sheet.
    row: Option<LastRow>,
}

/// The row that cells are added to.
struct LastRow {
    number: u64,
    /// Number of its cells so far, the empty ones before others included.
    cells: usize,
    /// Lengths of [`Loader::ends`] and [`Loader::texts`] before it.
    ends_before: usize,
    texts_before: usize,
}

impl Loader {
    fn begin_sheet(&mut self, is_kept: bool) {
        self.is_sheet_kept = is_kept;
        self.row = None;
    }

    fn add(&mut self, cell: &Cell<DataRef<'_>>) -> Result<(), LoadError> {
        // A formatted cell without content counts as absent.
        if matches!(cell.get_value(), DataRef::Empty) {
            return Ok(());
        }
        let (row, column) = cell.get_position();
        self.begin_row(u64::from(row).saturating_add(1))?;
        if !matches!(self.rows.last(), Some((_, Ok(_)))) {
            return Ok(());
        }
        self.push_cell(usize::try_from(column).unwrap_or(usize::MAX), &text(cell.get_value()))
    }

    /// Begins a row, unless its number is the last one's.
    fn begin_row(&mut self, number: u64) -> Result<(), LoadError> {
        let last = self.row.as_ref().map(|row| row.number);
        if last == Some(number) {
            return Ok(());
        }
        // No program writes a row twice or out of order.
        if last.is_some_and(|last| last > number) {
            return Err(LoadError(Unreadable::Workbook));
        }
        let (ends_before, texts_before) = (self.ends.len(), self.texts.len());
        self.row = Some(LastRow { number, cells: 0, ends_before, texts_before });
        let end = if self.is_sheet_kept { Ok(ends_before) } else { Err(RowError::OtherSheet) };
        self.rows.push((number, end));
        if self.rows.len() > MOST_OF_SHEET { Err(LoadError(Unreadable::TooLarge)) } else { Ok(()) }
    }

    /// Adds a cell to the last row. Of a row that is too long nothing is kept.
    fn push_cell(&mut self, column: usize, text: &str) -> Result<(), LoadError> {
        let (Some(row), Some((_, end))) = (&mut self.row, self.rows.last_mut()) else { return Ok(()) };
        let Some(empty_before) = column.checked_sub(row.cells) else { return Ok(()) };
        let length = self.texts.len().saturating_sub(row.texts_before).saturating_add(text.len());
        if column >= MOST_CELLS || length > LONGEST_ROW {
            self.ends.truncate(row.ends_before);
            self.texts.truncate(row.texts_before);
            *end = Err(RowError::TooLong);
            return Ok(());
        }
        // Empty cells are absent from the file.
        self.ends.resize(self.ends.len().saturating_add(empty_before), self.texts.len());
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        row.cells = column + 1;
        *end = Ok(self.ends.len());
        if self.ends.len() > MOST_OF_SHEET || self.texts.len() > MOST_TEXT {
            return Err(LoadError(Unreadable::TooLarge));
        }
        Ok(())
    }
}

struct LoadError(Unreadable);

impl From<XlsxError> for LoadError {
    fn from(_: XlsxError) -> Self {
        Self(Unreadable::Workbook)
    }
}

/// Unpacks all parts, and keeps nothing: the sizes they declare may be a lie.
fn check_parts(bytes: &[u8]) -> io::Result<()> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Unreadable::Workbook)?;
    if archive.len() > MOST_PARTS {
        return Err(Unreadable::TooLarge.into());
    }
    let mut left = MOST_UNPACKED;
    for part in 0..archive.len() {
        let part = archive.by_index(part).map_err(|_| Unreadable::Workbook)?;
        let unpacked = io::copy(&mut part.take(left.saturating_add(1)), &mut io::sink());
        left = left.checked_sub(unpacked.map_err(|_| Unreadable::Workbook)?).ok_or(Unreadable::TooLarge)?;
    }
    Ok(())
}

/// Formats a cell as a person would type it.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) if number.abs() < EXACT => number.to_string(),
        // Some of its digits are lost; the exponent shows it.
        DataRef::Float(number) => format!("{number:e}"),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(at) => {
            let (year, month, day, hour, minute, ..) = at.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            if (hour, minute) == (0, 0) { date } else { format!("{date} {hour:02}:{minute:02}") }
        }
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}
