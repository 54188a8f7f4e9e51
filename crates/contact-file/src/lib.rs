//! A list of people in a file of separated values, read row by row in constant memory.

use std::io::{self, BufRead, Chain, Cursor, Read};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use domain::contacts::{Columns, RowError, WrittenPerson, WrittenRow};

/// Most bytes of a row, separators not counted: a name and a number take a tenth.
const LONGEST_ROW: usize = 16 * 1024;
/// Most columns.
const MOST_CELLS: usize = 256;
/// Most bytes that are looked at for the separator, empty lines before the first row counted.
const FIRST_LINE: u64 = 64 * 1024;
/// What may stand between two cells. Of what the first line has as often as another, the former is meant.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// How a file in UTF-16 begins, in either order of its bytes.
const UTF_16: [[u8; 2]; 2] = [*b"\xff\xfe", *b"\xfe\xff"];
/// How workbooks of Excel and of other spreadsheets begin: an archive, and the kind of file before that.
const WORKBOOKS: [&[u8]; 2] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"];

/// Rows of a file, read as they are asked for. A header is recognized and is no row.
pub struct ContactFile<R> {
    input: Chain<Cursor<Vec<u8>>, R>,
    parser: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
    columns: Option<Columns>,
    /// Ends of lines that are behind.
    lines: u64,
}

/// Why a file that begins so cannot be read at all.
fn no_list(head: &[u8]) -> Option<&'static str> {
    if UTF_16.iter().any(|mark| head.starts_with(mark)) {
        Some("the list is in UTF-16; save it as UTF-8")
    } else if WORKBOOKS.iter().any(|mark| head.starts_with(mark)) {
        Some("the list is a workbook, as of Excel; save it as CSV (UTF-8)")
    } else {
        None
    }
}

/// The cells of a row, or why they cannot be read.
type Cells<'a> = Result<Vec<&'a str>, RowError>;

impl<R: BufRead> ContactFile<R> {
    /// Looks at the first line to learn the separator.
    ///
    /// # Errors
    /// When nothing can be read, or the file is in UTF-16, as some spreadsheets call Unicode, or a workbook.
    pub fn open(mut input: R) -> io::Result<Self> {
        let mut head = Vec::new();
        let mut first = input.by_ref().take(FIRST_LINE);
        while head.trim_ascii().is_empty() && first.read_until(b'\n', &mut head)? > 0 {}
        if let Some(said) = no_list(&head) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, said));
        }
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        let said = said_separator(&head);
        let separator = said.unwrap_or_else(|| separator(&head));
        if said.is_some() {
            // What is left of it is an empty line.
            head.retain(|byte| b"\r\n".contains(byte));
        }
        Ok(Self {
            parser: ReaderBuilder::new().delimiter(separator).build(),
            input: Cursor::new(head).chain(input),
            cells: vec![0; LONGEST_ROW],
            ends: vec![0; MOST_CELLS],
            columns: None,
            lines: 0,
        })
    }

    fn read(&mut self) -> io::Result<Option<WrittenRow>> {
        loop {
            self.skip_blank_lines()?;
            let line = self.lines.saturating_add(1);
            let known = self.columns;
            let Some(cells) = self.record()? else { return Ok(None) };
            let (columns, is_header) = match (known, &cells) {
                (Some(columns), _) => (columns, false),
                (None, Ok(cells)) => match Columns::of_header(cells.iter().copied()) {
                    Some(columns) => (columns, true),
                    None => (Columns::WITHOUT_HEADER, false),
                },
                (None, Err(_)) => (Columns::WITHOUT_HEADER, false),
            };
            let person = cells.map(|cells| person(&cells, columns));
            self.columns = Some(columns);
            if !is_header {
                return Ok(Some(WrittenRow { line, person }));
            }
        }
    }

    /// A row begins where something stands, not at the empty lines before it.
    fn skip_blank_lines(&mut self) -> io::Result<()> {
        loop {
            let input = self.input.fill_buf()?;
            let blank = input.iter().take_while(|&&byte| byte == b'\n' || byte == b'\r').count();
            if blank == 0 {
                return Ok(());
            }
            self.lines = self.lines.saturating_add(line_ends(input, blank));
            self.input.consume(blank);
        }
    }

    /// The next record; of one that is too long, everything is read and nothing kept.
    fn record(&mut self) -> io::Result<Option<Cells<'_>>> {
        let (mut filled, mut ended, mut too_long) = (0, 0, false);
        loop {
            let input = self.input.fill_buf()?;
            let cells = self.cells.get_mut(filled..).unwrap_or_default();
            let ends = self.ends.get_mut(ended..).unwrap_or_default();
            let (result, read, wrote, more) = self.parser.read_record(input, cells, ends);
            self.lines = self.lines.saturating_add(line_ends(input, read));
            self.input.consume(read);
            filled = filled.saturating_add(wrote);
            ended = ended.saturating_add(more);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    (filled, ended, too_long) = (0, 0, true);
                }
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            }
        }
        if too_long {
            return Ok(Some(Err(RowError::TooLong)));
        }
        let bytes = self.cells.get(..filled).unwrap_or_default();
        Ok(Some(cut(bytes, self.ends.get(..ended).unwrap_or_default()).ok_or(RowError::NotText)))
    }
}

/// Rows with all their cells, the first one too, each with the line that it begins in.
pub struct Rows<R>(ContactFile<R>);

/// A row's cells, with its line.
type NumberedRow = (u64, Result<Vec<String>, RowError>);

impl<R: BufRead> ContactFile<R> {
    /// The rows with all their cells.
    pub fn rows(self) -> Rows<R> {
        Rows(self)
    }

    fn row(&mut self) -> io::Result<Option<NumberedRow>> {
        self.skip_blank_lines()?;
        let line = self.lines.saturating_add(1);
        let Some(cells) = self.record()? else { return Ok(None) };
        Ok(Some((line, cells.map(|cells| cells.into_iter().map(str::to_owned).collect()))))
    }
}

impl<R: BufRead> Iterator for Rows<R> {
    type Item = io::Result<(u64, Result<Vec<String>, RowError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.row().transpose()
    }
}

impl<R: BufRead> Iterator for ContactFile<R> {
    type Item = io::Result<WrittenRow>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// `None` where any cell is no text.
fn cut<'a>(bytes: &'a [u8], ends: &[usize]) -> Option<Vec<&'a str>> {
    let mut start = 0;
    let cells = ends.iter().map(|&end| {
        let cell = bytes.get(start..end)?;
        start = end;
        str::from_utf8(cell).ok()
    });
    cells.collect()
}

fn person(cells: &[&str], columns: Columns) -> WrittenPerson {
    let cell = |column: usize| cells.get(column).copied().unwrap_or_default().to_owned();
    WrittenPerson { phone: cell(columns.phone), name: columns.name.map(cell).unwrap_or_default() }
}

fn line_ends(input: &[u8], read: usize) -> u64 {
    let ends = input.iter().take(read).filter(|&&byte| byte == b'\n').count();
    u64::try_from(ends).unwrap_or(u64::MAX)
}

/// The separator that a line such as `sep=;` names, as spreadsheets write it before everything else.
fn said_separator(head: &[u8]) -> Option<u8> {
    let line: Vec<u8> = head.iter().copied().filter(|byte| !b"\"\r\n".contains(byte)).collect();
    match line.split_at_checked(4)? {
        (word, [separator]) if word.eq_ignore_ascii_case(b"sep=") => {
            SEPARATORS.contains(separator).then_some(*separator)
        }
        _ => None,
    }
}

/// What the line has most of outside of quotation marks.
fn separator(line: &[u8]) -> u8 {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut quoted = false;
    for byte in line {
        quoted ^= *byte == b'"';
        for (count, separator) in counts.iter_mut().zip(SEPARATORS) {
            *count = count.saturating_add(usize::from(!quoted && *byte == separator));
        }
    }
    let counted = SEPARATORS.into_iter().zip(counts).rev();
    counted.max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| separator)
}

#[cfg(test)]
mod tests;
