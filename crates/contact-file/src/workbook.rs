//! Rows of the first sheet of a workbook (`.xlsx`) that has any. Rows of other sheets are refused.

use std::io::{self, Cursor, Read};

use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use domain::contacts::RowError;
use zip::ZipArchive;

use crate::{LONGEST_ROW, MOST_CELLS, Row, Unreadable};

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
        Ok(Self::load(bytes).map_err(|failed| failed.0)?)
    }

    fn load(bytes: Vec<u8>) -> Result<Self, Failed> {
        let mut workbook = Xlsx::new(Cursor::new(bytes))?;
        let sheets = workbook.sheets_metadata().iter();
        let seen = sheets
            .filter(|sheet| sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible);
        let names: Vec<String> = seen.map(|sheet| sheet.name.clone()).collect();
        if names.is_empty() {
            return Err(Failed(Unreadable::Workbook));
        }
        let mut rows = Vec::new();
        let mut sheet = Self {
            texts: String::new(),
            ends: Vec::new(),
            rows: Vec::new().into_iter(),
            cell: 0,
            byte: 0,
            other_sheets: Vec::new(),
        };
        let mut read = None;
        for name in &names {
            let is_read = rows.is_empty();
            let mut cells = match workbook.worksheet_cells_reader(name) {
                Err(_) if !is_read => continue,
                cells => cells?,
            };
            if is_read {
                read = Some(name);
            }
            let (mut row, mut row_cells, mut before) = (None, 0, (0, 0));
            while let Some(cell) = cells.next_cell()? {
                // A formatted cell without content counts as absent.
                if matches!(cell.get_value(), DataRef::Empty) {
                    continue;
                }
                let (at, column) = cell.get_position();
                let (number, column) =
                    (u64::from(at).saturating_add(1), usize::try_from(column).unwrap_or(usize::MAX));
                if row != Some(number) {
                    // No program writes a row twice or out of order.
                    if row.is_some_and(|row| row > number) {
                        return Err(Failed(Unreadable::Workbook));
                    }
                    (row, row_cells, before) = (Some(number), 0, (sheet.ends.len(), sheet.texts.len()));
                    rows.push((
                        number,
                        if is_read { Ok(sheet.ends.len()) } else { Err(RowError::OtherSheet) },
                    ));
                }
                if rows.len() > MOST_OF_SHEET {
                    return Err(Failed(Unreadable::TooLarge));
                }
                let Some((_, end @ Ok(_))) = rows.last_mut() else { continue };
                if column < row_cells {
                    continue;
                }
                let text = text(cell.get_value());
                let length = sheet.texts.len().saturating_sub(before.1).saturating_add(text.len());
                if column >= MOST_CELLS || length > LONGEST_ROW {
                    // Nothing of the row is kept.
                    sheet.ends.truncate(before.0);
                    sheet.texts.truncate(before.1);
                    *end = Err(RowError::TooLong);
                    continue;
                }
                // Empty cells are absent from the file.
                sheet.ends.resize(sheet.ends.len().saturating_add(column - row_cells), sheet.texts.len());
                sheet.texts.push_str(&text);
                sheet.ends.push(sheet.texts.len());
                row_cells = column + 1;
                *end = Ok(sheet.ends.len());
                if sheet.ends.len() > MOST_OF_SHEET || sheet.texts.len() > MOST_TEXT {
                    return Err(Failed(Unreadable::TooLarge));
                }
            }
        }
        sheet.other_sheets = names.iter().filter(|name| read != Some(*name)).cloned().collect();
        sheet.rows = rows.into_iter();
        Ok(sheet)
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

struct Failed(Unreadable);

impl From<XlsxError> for Failed {
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
