//! People in a file of vCards (RFC 6350, and 2.1 as phones still write it).

use std::io;

use domain::{contacts::RowError, text::is_blank};

use crate::{
    lines::{Line, Lines},
    row::{LONGEST_ROW, Row},
};

/// Titles of what is read of a card.
const HEADER: [&str; 2] = ["phone", "name"];

/// Reader of cards, each of them a row; the first row is a header.
pub(super) struct Cards<'a> {
    lines: Lines<'a>,
    has_header: bool,
}

impl<'a> Cards<'a> {
    /// Returns whether `line` begins a card.
    pub(super) fn begin(line: &str) -> bool {
        line.trim().eq_ignore_ascii_case("BEGIN:VCARD")
    }

    pub(super) const fn new(lines: Lines<'a>) -> Self {
        Self { lines, has_header: false }
    }

    pub(super) fn read(&mut self) -> io::Result<Option<Row>> {
        if !std::mem::replace(&mut self.has_header, true) {
            return Ok(Some((0, Ok(HEADER.map(str::to_owned).to_vec()))));
        }
        let Some(begin) = self.lines.read_filled()? else { return Ok(None) };
        let Ok(text) = &begin.text else { return Ok(Some((begin.number, Err(RowError::NotText)))) };
        if !Self::begin(text) {
            // Text between cards becomes a row without a number.
            return Ok(Some((begin.number, Ok(vec![String::new(), text.clone()]))));
        }
        let mut card = Card::default();
        while let Some(line) = self.property()? {
            match line.text {
                // A picture may be one line.
                Err(RowError::TooLong) => {}
                Err(why) => card.wrong = card.wrong.or(Some(why)),
                Ok(text) if Self::begin(&text) => {
                    // The card before has no end.
                    self.lines.give_back([Line { number: line.number, text: Ok(text) }].into_iter());
                    break;
                }
                Ok(text) if text.trim().eq_ignore_ascii_case("END:VCARD") => break,
                Ok(text) => card.read(&text),
            }
        }
        let cells = card.wrong.map_or_else(
            || Ok(vec![card.phone.map_or_else(String::new, |(_, phone)| phone), card.name]),
            Err,
        );
        Ok(Some((begin.number, cells)))
    }

    /// Returns the next line joined with its continuation lines.
    fn property(&mut self) -> io::Result<Option<Line>> {
        let Some(mut property) = self.lines.read_filled()? else { return Ok(None) };
        while let Some(next) = self.lines.read()? {
            let (Ok(text), Ok(more)) = (&mut property.text, &next.text) else {
                self.lines.give_back([next].into_iter());
                break;
            };
            let is_soft = is_quoted_printable(text) && text.ends_with('=');
            let Some(more) = (if is_soft { Some(more.as_str()) } else { more.strip_prefix([' ', '\t']) })
            else {
                self.lines.give_back([next].into_iter());
                break;
            };
            if is_soft {
                text.pop();
            }
            // A longer property, such as a picture, is neither a name nor a number.
            if text.len() <= LONGEST_ROW {
                text.push_str(more);
            }
        }
        Ok(Some(property))
    }
}

fn is_quoted_printable(property: &str) -> bool {
    let parameters = property.split(':').next().unwrap_or_default();
    parameters.to_ascii_uppercase().contains("QUOTED-PRINTABLE")
}

#[derive(Default)]
struct Card {
    /// The number, with its rank; the highest rank is a WhatsApp number.
    phone: Option<(u8, String)>,
    name: String,
    /// Whether the name was put together from its parts (`N`), so that `FN` replaces it.
    is_of_parts: bool,
    wrong: Option<RowError>,
}

impl Card {
    fn read(&mut self, property: &str) {
        let Some((names, value)) = property.split_once(':') else { return };
        let value = if is_quoted_printable(property) { unquoted(value) } else { value.to_owned() };
        let names = names.to_ascii_uppercase();
        let (name, parameters) = names.split_once(';').unwrap_or((&names, ""));
        // Phones group what belongs together: `item1.TEL`.
        let name = name.rsplit('.').next().unwrap_or(name);
        match name {
            "TEL" => {
                let rank = if parameters.contains("WHATSAPP") {
                    3
                } else if parameters.contains("CELL") || parameters.contains("IPHONE") {
                    2
                } else {
                    u8::from(!parameters.contains("FAX") && !parameters.contains("PAGER"))
                };
                if !value.trim().is_empty() && self.phone.as_ref().is_none_or(|(known, _)| rank > *known) {
                    self.phone = Some((rank, plain(&value)));
                }
            }
            "FN" if !is_blank(&value) && (self.name.is_empty() || self.is_of_parts) => {
                (self.name, self.is_of_parts) = (plain(&value), false);
            }
            // Family name, given name, other names, prefix, suffix.
            "N" if self.name.is_empty() => {
                let parts: Vec<&str> = parts(&value);
                let part = |place: usize| parts.get(place).copied().unwrap_or_default();
                let whole = [part(1), part(2), part(0)].map(plain);
                let filled = whole.iter().filter(|part| !part.trim().is_empty());
                self.name = filled.map(String::as_str).collect::<Vec<_>>().join(" ");
                self.is_of_parts = true;
            }
            _ => {}
        }
    }
}

/// Splits a name at its unescaped semicolons.
fn parts(value: &str) -> Vec<&str> {
    let mut is_escaped = false;
    value
        .split(move |c: char| {
            let parts = c == ';' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            parts
        })
        .collect()
}

/// Removes the backslashes of a value.
fn plain(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => plain.push(match letters.next() {
                Some('n' | 'N') | None => ' ',
                Some(other) => other,
            }),
            c => plain.push(c),
        }
    }
    plain
}

/// Decodes quoted-printable; bytes that are not UTF-8 become replacement characters.
fn unquoted(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('=') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(b'='));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}
