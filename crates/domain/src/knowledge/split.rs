//! Splitting of a text into passages: below their headings, of whole sentences, each long enough to be
//! understood and short enough to be told.

use super::{
    document::Passage,
    read::{Unreadable, lines},
};
use crate::text::sentences;

/// Longest passage, in characters.
pub const LONGEST_PASSAGE: usize = 600;
/// Longest sentence, in characters; a longer one is cut between words.
pub const LONGEST_SENTENCE: usize = 380;
/// Longest line that is taken for a heading, in characters.
pub const LONGEST_HEADING: usize = 100;
/// Most passages of a document.
pub const MOST_OF_DOCUMENT: usize = 2_000;
/// Characters from which a line was likely broken for its length, so that it goes on in the next.
const BROKEN: usize = 60;
/// Columns from which a cell of a table is told with the head of its column.
const WIDE: usize = 3;

/// Splits a text into passages. No word is lost, and but for the heads of columns none is told twice.
pub(super) fn split(text: &str) -> Result<Vec<Passage>, Unreadable> {
    let mut splitter = Splitter::default();
    for line in lines(text) {
        splitter.take(&line);
        if splitter.passages.len() > MOST_OF_DOCUMENT {
            return Err(Unreadable::TooLong);
        }
    }
    splitter.leave_headings(0);
    match splitter.passages.len() {
        0 => Err(Unreadable::Empty),
        1..=MOST_OF_DOCUMENT => Ok(splitter.passages),
        _ => Err(Unreadable::TooLong),
    }
}

struct Heading {
    level: usize,
    text: String,
    /// Whether a passage stands below it.
    is_used: bool,
}

#[derive(Default)]
struct Splitter {
    passages: Vec<Passage>,
    headings: Vec<Heading>,
    /// Sentences of the passage that is being made, and its characters.
    sentences: Vec<String>,
    length: usize,
    /// Lines of a paragraph that goes on.
    open: String,
    /// Rows of a table; the first is its head, if there is one.
    rows: Vec<Vec<String>>,
    has_head: bool,
}

impl Splitter {
    fn take(&mut self, line: &str) {
        if line.starts_with('|') {
            self.end_paragraph();
            self.take_row(line);
            return;
        }
        self.end_table();
        if let Some((level, text)) = heading(line) {
            self.end_paragraph();
            self.leave_headings(level);
            self.headings.push(Heading { level, text, is_used: false });
        } else if !line.contains(char::is_alphanumeric) {
            self.end_paragraph();
        } else if let Some(item) = item(line) {
            self.end_paragraph();
            self.add(&item);
        } else {
            let is_broken = line.chars().nth(BROKEN).is_some() && !line.ends_with(ends_line);
            self.open.push_str(&bare(line));
            if is_broken {
                self.open.push(' ');
            } else {
                self.end_paragraph();
            }
        }
    }

    fn take_row(&mut self, line: &str) {
        if !line.contains(char::is_alphanumeric) {
            // The line below the head.
            self.has_head |= self.rows.len() == 1;
            return;
        }
        let cells = line.trim_matches('|').split('|').map(|cell| bare(cell.trim()));
        self.rows.push(cells.collect());
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.open);
        self.add(&paragraph);
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let has_head = std::mem::take(&mut self.has_head);
        let is_wide = rows.first().is_some_and(|row| row.len() >= WIDE) && rows.len() > 1;
        let head = if has_head && is_wide { rows.remove(0) } else { Vec::new() };
        for row in rows {
            let told = row_told(&head, &row);
            self.add(&told);
        }
    }

    /// Adds a paragraph: to the passage that is being made if there is room for all of it.
    fn add(&mut self, paragraph: &str) {
        let all: Vec<String> = sentences(paragraph).into_iter().flat_map(pieces).collect();
        let length: usize = all.iter().map(|sentence| sentence.chars().count() + 1).sum();
        if self.length + length > LONGEST_PASSAGE {
            self.close();
        }
        for sentence in all {
            if self.passages.len() > MOST_OF_DOCUMENT {
                return;
            }
            let length = sentence.chars().count() + 1;
            if self.length + length > LONGEST_PASSAGE {
                self.close();
            }
            self.length += length;
            self.sentences.push(sentence);
        }
    }

    fn close(&mut self) {
        self.length = 0;
        let sentences = std::mem::take(&mut self.sentences);
        if sentences.is_empty() {
            return;
        }
        for heading in &mut self.headings {
            heading.is_used = true;
        }
        self.passages.push(Passage { heading: self.path(), sentences });
    }

    fn path(&self) -> String {
        self.headings.iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>().join(" › ")
    }

    /// Leaves the headings of a level and below; one that nothing stood under is a passage itself.
    fn leave_headings(&mut self, level: usize) {
        self.end_paragraph();
        self.end_table();
        self.close();
        while let Some(last) = self.headings.pop_if(|heading| heading.level >= level) {
            if !last.is_used {
                self.add(&last.text);
                self.close();
            }
        }
    }
}

/// Returns the level and the text of a heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with(' ');
    let text = bare(text.trim().trim_end_matches('#').trim());
    let fits = text.contains(char::is_alphanumeric) && text.chars().nth(LONGEST_HEADING).is_none();
    (is_heading && fits).then_some((level, text))
}

/// Returns an item of a list with a mark that no sentence ends at.
fn item(line: &str) -> Option<String> {
    let bullet = ["- ", "* ", "+ ", "• ", "– ", "· "].iter().find_map(|mark| line.strip_prefix(mark));
    if let Some(item) = bullet {
        return Some(format!("• {}", bare(item)));
    }
    let digits = line.find(|c: char| !c.is_numeric()).filter(|digits| *digits > 0)?;
    let (number, rest) = line.split_at_checked(digits)?;
    let item = rest.strip_prefix(['.', ')', '-'])?.strip_prefix(' ')?;
    let is_short = number.chars().nth(3).is_none();
    is_short.then(|| format!("{number}) {}", bare(item)))
}

/// Returns a line without the marks of Markdown for emphasis and quotations; a link keeps its address.
fn bare(line: &str) -> String {
    let line = line.trim_start_matches("> ").replace("**", "").replace("__", "").replace('`', "");
    let (mut bare, mut rest) = (String::new(), line.as_str());
    while let Some((before, behind)) = rest.split_once("](") {
        let address = behind.find([')', '(', ']', ' ']).and_then(|end| behind.split_at_checked(end));
        let address = address.and_then(|(address, behind)| Some((address, behind.strip_prefix(')')?)));
        let (Some((before, text)), Some((address, behind))) = (before.rsplit_once('['), address) else {
            bare.push_str(before);
            bare.push_str("](");
            rest = behind;
            continue;
        };
        // Of a picture, there is only its description.
        let picture = before.strip_suffix('!');
        bare.push_str(picture.unwrap_or(before));
        bare.push_str(text);
        if picture.is_none() && text != address {
            bare.push_str(" (");
            bare.push_str(address);
            bare.push(')');
        }
        rest = behind;
    }
    bare.push_str(rest);
    bare.trim().to_owned()
}

/// Returns a row of a table in a line: what it is about first, then its cells, each by the head of its
/// column.
fn row_told(head: &[String], row: &[String]) -> String {
    let cells = row.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
    let told: Vec<String> = cells
        .map(|(at, cell)| match head.get(at).filter(|head| at > 0 && !head.is_empty()) {
            Some(head) => format!("{head}: {cell}"),
            None => cell.clone(),
        })
        .collect();
    told.join(" — ")
}

/// Cuts a sentence that is too long, between words where it can.
fn pieces(sentence: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut length) = (String::new(), 0);
    for word in sentence.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > LONGEST_SENTENCE {
            pieces.push(std::mem::take(&mut piece));
            length = 0;
        }
        if length > 0 {
            piece.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length == LONGEST_SENTENCE {
                pieces.push(std::mem::take(&mut piece));
                length = 0;
            }
            piece.push(c);
            length += 1;
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.contains(char::is_alphanumeric));
    pieces
}

const fn ends_line(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '؟' | '۔' | '…' | ':' | '؛')
}
