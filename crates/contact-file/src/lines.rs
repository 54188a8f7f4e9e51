//! The lines of a text with any kind of line end.

use std::{
    collections::VecDeque,
    io::{self, BufRead},
};

use domain::contacts::RowError;

use crate::row::LONGEST_ROW;

/// A line without its end.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) text: Result<String, RowError>,
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.text.as_ref().is_ok_and(String::is_empty)
    }
}

/// Lines that end with a line feed, a carriage return or both. The text of a line that is too long is
/// dropped.
pub(super) struct Lines<'a> {
    input: Box<dyn BufRead + 'a>,
    last: u64,
    /// Whether a line feed that comes next belongs to the carriage return before it.
    after_return: bool,
    /// Lines to be read again.
    next: VecDeque<Line>,
}

impl<'a> Lines<'a> {
    /// Reads the first line that is not empty, so that it can be examined.
    pub(super) fn new(input: impl BufRead + 'a) -> io::Result<Self> {
        let mut lines = Self { input: Box::new(input), last: 0, after_return: false, next: VecDeque::new() };
        if let Some(line) = lines.read_filled()? {
            lines.next.push_back(line);
        }
        Ok(lines)
    }

    /// Returns the first line; empty if there is none that is text.
    pub(super) fn first_line(&self) -> &str {
        self.next.front().and_then(|line| line.text.as_deref().ok()).unwrap_or_default()
    }

    pub(super) fn drop_first(&mut self) {
        self.next.pop_front();
    }

    /// Puts lines back, to be read again.
    pub(super) fn give_back(&mut self, lines: impl DoubleEndedIterator<Item = Line>) {
        for line in lines.rev() {
            self.next.push_front(line);
        }
    }

    pub(super) fn read_filled(&mut self) -> io::Result<Option<Line>> {
        loop {
            match self.read()? {
                Some(line) if line.is_empty() => {}
                line => return Ok(line),
            }
        }
    }

    pub(super) fn read(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.next.pop_front() {
            return Ok(Some(line));
        }
        let (mut bytes, mut is_begun, mut is_too_long) = (Vec::new(), false, false);
        loop {
            let input = self.input.fill_buf()?;
            let Some(first) = input.first() else { break };
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                self.input.consume(1);
                continue;
            }
            is_begun = true;
            let end = memchr::memchr2(b'\n', b'\r', input);
            let piece = input.get(..end.unwrap_or(input.len())).unwrap_or_default();
            is_too_long |= bytes.len().saturating_add(piece.len()) > LONGEST_ROW;
            if is_too_long {
                bytes.clear();
            } else {
                bytes.extend_from_slice(piece);
            }
            let read = piece.len();
            if let Some(end) = end {
                self.after_return = input.get(end) == Some(&b'\r');
                self.input.consume(read.saturating_add(1));
                break;
            }
            self.input.consume(read);
        }
        if !is_begun {
            return Ok(None);
        }
        self.last = self.last.saturating_add(1);
        let text = if is_too_long {
            Err(RowError::TooLong)
        } else {
            String::from_utf8(bytes).map_err(|_| RowError::NotText)
        };
        Ok(Some(Line { number: self.last, text }))
    }
}
