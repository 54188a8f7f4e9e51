//! Rows of separated values.

use std::io;

use domain::{contacts::RowError, phone::looks_like_a_number};

use crate::{
    lines::{Line, Lines},
    row::{LONGEST_ROW, MOST_CELLS, Row},
};

/// Possible separators; the former wins if the first line has two equally often.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Most lines examined for a separator: a title may stand above the rows.
const LOOKED_AT: usize = 10;

/// Reader of separated values. A quoted cell may span lines; if its quotation is left open, its row is
/// refused and the next line begins a row.
pub(super) struct Separated<'a> {
    lines: Lines<'a>,
    separator: char,
    /// Number of cells of the first row that has several; a title above the rows has one.
    width: Option<usize>,
}

impl<'a> Separated<'a> {
    pub(super) fn new(mut lines: Lines<'a>) -> io::Result<Self> {
        let separator = if let Some(named) = named_separator(lines.first_line()) {
            lines.drop_first();
            named
        } else {
            likely_separator(&mut lines)?
        };
        Ok(Self { lines, separator, width: None })
    }

    pub(super) fn read(&mut self) -> io::Result<Option<Row>> {
        let Some(first) = self.lines.read_filled()? else { return Ok(None) };
        let number = first.number;
        let mut record = Record::default();
        match &first.text {
            Ok(text) => record.read(text, self.separator),
            Err(why) => return Ok(Some((number, Err(*why)))),
        };
        let (mut more, mut length) = (Vec::new(), 0_usize);
        while record.is_open() {
            let Some(line) = self.lines.read()? else {
                return Ok(Some(self.refuse(number, self.began(&record, &more), more)));
            };
            length = length.saturating_add(line.text.as_ref().map_or(0, String::len)).saturating_add(1);
            let goes_on = |text: &String| length <= LONGEST_ROW && record.read(text, self.separator);
            let fits = line.text.as_ref().is_ok_and(goes_on);
            more.push(line);
            if !fits {
                return Ok(Some(self.refuse(number, self.began(&record, &more), more)));
            }
        }
        // The last line ends the quotation, and may go on with the number.
        let within = more.split_last().map_or(&[][..], |(_, within)| within);
        if within.iter().any(|line| self.is_row(line)) {
            return Ok(Some(self.refuse(number, record.first_spanning.unwrap_or_default(), more)));
        }
        if record.cells.len() > MOST_CELLS {
            return Ok(Some((number, Err(RowError::TooLong))));
        }
        if record.cells.len() > 1 {
            self.width.get_or_insert(record.cells.len());
        }
        Ok(Some((number, Ok(record.cells))))
    }

    /// Returns which line of a row began the quotation that was left open: the last that began one, unless
    /// rows stand before it.
    fn began(&self, record: &Record, more: &[Line]) -> usize {
        let (first, last) = (record.first_spanning.unwrap_or(record.opened_in), record.opened_in);
        let before = more.get(first..last).unwrap_or_default();
        if before.iter().any(|line| self.is_row(line)) { first } else { last }
    }

    /// Refuses a row for the quotation left open in line `began` (counted from 0), and puts back what follows
    /// that line.
    fn refuse(&mut self, number: u64, began: usize, mut more: Vec<Line>) -> Row {
        let rest = more.split_off(began.min(more.len()));
        self.lines.give_back(rest.into_iter());
        (number.saturating_add(u64::try_from(began).unwrap_or_default()), Err(RowError::OpenQuote))
    }

    /// Returns whether the line would be a person's row by itself: it has the width of the rows, and a number
    /// in one cell.
    fn is_row(&self, line: &Line) -> bool {
        let Ok(text) = &line.text else { return false };
        let mut record = Record::default();
        record.read(text, self.separator);
        !record.is_open()
            && self.width.is_none_or(|width| record.cells.len() == width)
            && record.cells.iter().any(|cell| looks_like_a_number(cell))
    }
}

#[derive(Default, PartialEq, Eq)]
enum State {
    /// At the beginning of a cell.
    #[default]
    Before,
    Bare,
    Quoted,
    /// After a quotation mark within a quotation: its end, or the first of two that stand for one.
    Closed,
}

/// A row being read.
#[derive(Default)]
struct Record {
    cells: Vec<String>,
    cell: String,
    state: State,
    /// Number of lines read before the current one.
    lines: usize,
    /// Indexes, from 0, of the line that the last quotation began in, and of the first line whose quotation
    /// spans lines.
    opened_in: usize,
    first_spanning: Option<usize>,
}

impl Record {
    /// Returns whether a quotation goes on in the next line.
    fn is_open(&self) -> bool {
        self.state == State::Quoted
    }

    /// Reads a line; `false` if the end of an earlier line's quotation cannot be its end.
    fn read(&mut self, text: &str, separator: char) -> bool {
        if self.is_open() {
            self.cell.push('\n');
            self.first_spanning.get_or_insert(self.opened_in);
        }
        for c in text.chars() {
            let is_separator = c == separator;
            match self.state {
                State::Before if c == '"' => {
                    self.state = State::Quoted;
                    self.opened_in = self.lines;
                }
                State::Before | State::Bare | State::Closed if is_separator => {
                    self.cells.push(std::mem::take(&mut self.cell));
                    self.state = State::Before;
                }
                State::Before | State::Bare => {
                    self.cell.push(c);
                    self.state = State::Bare;
                }
                State::Quoted if c == '"' => self.state = State::Closed,
                State::Quoted => self.cell.push(c),
                State::Closed if c == '"' => {
                    self.cell.push(c);
                    self.state = State::Quoted;
                }
                State::Closed if self.opened_in == self.lines => {
                    self.cell.push(c);
                    self.state = State::Bare;
                }
                State::Closed if c.is_whitespace() => {}
                State::Closed => return false,
            }
        }
        if !self.is_open() {
            self.cells.push(std::mem::take(&mut self.cell));
        }
        self.lines = self.lines.saturating_add(1);
        true
    }
}

/// Returns the separator that a line such as `sep=;` names, as spreadsheets write it before everything else.
fn named_separator(line: &str) -> Option<char> {
    let line = line.replace('"', "");
    let (word, separator) = line.split_at_checked(4)?;
    let separator = SEPARATORS.into_iter().find(|known| separator.chars().eq([*known]))?;
    word.eq_ignore_ascii_case("sep=").then_some(separator)
}

/// Returns the separator of the first line that has one.
fn likely_separator(lines: &mut Lines<'_>) -> io::Result<char> {
    let (mut seen, mut found) = (Vec::new(), None);
    while found.is_none() && seen.len() < LOOKED_AT {
        let Some(line) = lines.read()? else { break };
        found = line.text.as_ref().ok().and_then(|text| separator(text));
        seen.push(line);
    }
    lines.give_back(seen.into_iter());
    Ok(found.unwrap_or(','))
}

/// Returns the separator that the line has most of outside of quotation marks; `None` if it has none.
fn separator(line: &str) -> Option<char> {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut quoted = false;
    for c in line.chars() {
        quoted ^= c == '"';
        for (count, separator) in counts.iter_mut().zip(SEPARATORS) {
            *count = count.saturating_add(usize::from(!quoted && c == separator));
        }
    }
    let counted = SEPARATORS.into_iter().zip(counts).rev();
    let most = counted.max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 0)?;
    Some(most.0)
}
