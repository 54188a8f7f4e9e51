//! Detection of a file's encoding, and its text in UTF-8.

use std::{
    io::{self, BufRead, Chain, Cursor, Read},
    str::FromStr,
};

use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1256};

use crate::unreadable::Unreadable;

/// Most bytes of a character in UTF-8.
const LONGEST_CHARACTER: u64 = 4;
/// Most bytes examined where the encoding is in doubt.
const LOOKED_AT: u64 = 256 * 1024;
/// Fewest Arabic letters that say anything about an encoding.
const FEWEST_LETTERS: usize = 3;
/// Most bytes decoded together, as text.
const PIECE: usize = 16 * 1024;

/// An encoding that a file without a byte order mark may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Encoding of most programs.
    Utf8,
    /// Encoding of CSV saved by Excel on an Arabic Windows.
    Windows1256,
}

/// The name is that of no supported encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the encoding is `utf-8` or `windows-1256`")]
pub struct UnknownEncoding;

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        let named = encoding_rs::Encoding::for_label(name.as_bytes()).ok_or(UnknownEncoding)?;
        if named == UTF_8 {
            Ok(Self::Utf8)
        } else if named == WINDOWS_1256 {
            Ok(Self::Windows1256)
        } else {
            Err(UnknownEncoding)
        }
    }
}

/// What is known of a file's encoding.
pub(super) enum Known {
    /// The text passes as it is.
    Utf8,
    Other(Decoder),
    /// All so far was ASCII, with this number of line ends. The first other character decides.
    Nothing(u64),
}

impl Known {
    /// Returns the encoding by the byte order mark, with that mark's length; or by the pattern of UTF-16; or
    /// as `said`.
    pub(super) fn of(head: &[u8], said: Option<Encoding>) -> (Self, usize) {
        if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(head) {
            let is_utf_8 = encoding == UTF_8;
            let decoder = encoding.new_decoder_without_bom_handling();
            return (if is_utf_8 { Self::Utf8 } else { Self::Other(decoder) }, length);
        }
        if let Some(encoding) = unmarked_utf_16(head) {
            return (Self::Other(encoding.new_decoder_without_bom_handling()), 0);
        }
        let said = match said {
            Some(Encoding::Utf8) => Self::Utf8,
            Some(Encoding::Windows1256) => Self::windows_1256(),
            None => Self::Nothing(0),
        };
        (said, 0)
    }

    fn windows_1256() -> Self {
        Self::Other(WINDOWS_1256.new_decoder_without_bom_handling())
    }
}

/// Returns the UTF-16 that a file without a mark begins in: in Latin and Arabic text every other byte is 0 or
/// 6, as in no other text.
fn unmarked_utf_16(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let &[first, second, third, fourth] = head else { return None };
    let are_high = |one: u8, other: u8| matches!(one, 0 | 6) && matches!(other, 0 | 6);
    match (are_high(first, third), are_high(second, fourth)) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

/// Guesses Windows-1256 where it makes Arabic words of what is not UTF-8: read as Windows-1256, Cyrillic or
/// another Arabic encoding would show letters with accents among them. Otherwise UTF-8 if at least half of
/// the rows are (`before` ASCII rows counted), so that rows are refused one by one; else `None`.
fn guess(rest: &[u8], before: u64) -> Option<Known> {
    let utf_8 =
        |chunk: std::str::Utf8Chunk<'_>| chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count();
    let (utf_8, other) = rest.utf8_chunks().fold((0_usize, 0_usize), |(valid, invalid), chunk| {
        let wrong = chunk.invalid().len();
        (valid.saturating_add(utf_8(chunk)), invalid.saturating_add(wrong))
    });
    if other <= utf_8 {
        return Some(Known::Utf8);
    }
    let (text, _) = WINDOWS_1256.decode_without_bom_handling(rest);
    let (mut arabic, mut foreign) = (0_usize, 0_usize);
    for letter in text.chars().filter(|letter| !letter.is_ascii()) {
        match letter {
            '\u{621}'..='\u{64a}'
            | '\u{67e}'
            | '\u{679}'
            | '\u{686}'
            | '\u{688}'
            | '\u{691}'
            | '\u{698}'
            | '\u{6a9}'
            | '\u{6af}'
            | '\u{6ba}'
            | '\u{6be}'
            | '\u{6c1}'
            | '\u{6d2}' => arabic += 1,
            // Vowel signs, and the punctuation of Windows-1256.
            '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{64b}'..='\u{652}' | '\u{a0}' | '«' | '»' | '–' | '—' =>
                {}
            _ => foreign += 1,
        }
    }
    if arabic >= FEWEST_LETTERS && foreign <= arabic / 20 {
        return Some(Known::windows_1256());
    }
    let (mut all, mut wrong) = (before, 0_u64);
    for row in rest.split(|byte| b"\r\n".contains(byte)).filter(|row| !row.is_empty()) {
        all = all.saturating_add(1);
        wrong = wrong.saturating_add(u64::from(std::str::from_utf8(row).is_err()));
    }
    (wrong <= all / 2).then_some(Known::Utf8)
}

/// A file's bytes as UTF-8. Reads ahead of its caller only where the encoding is in doubt.
pub(super) struct Decoded<R> {
    input: Chain<Cursor<Vec<u8>>, R>,
    known: Known,
    text: Vec<u8>,
    behind: usize,
}

impl<R: BufRead> Decoded<R> {
    pub(super) fn new(head: Vec<u8>, input: R, known: Known) -> Self {
        Self { input: Cursor::new(head).chain(input), known, text: Vec::new(), behind: 0 }
    }

    /// Reads `most` bytes, or all that is left, to be read again.
    fn look_ahead(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut ahead = Vec::new();
        self.input.by_ref().take(most).read_to_end(&mut ahead)?;
        self.text.clone_from(&ahead);
        self.behind = 0;
        Ok(ahead)
    }

    /// Decides the encoding by the first character that is not ASCII, and what follows it.
    fn decide(&mut self, before: u64) -> io::Result<()> {
        let mut ahead = self.look_ahead(LONGEST_CHARACTER)?;
        let is_utf_8 = ahead.utf8_chunks().next().is_some_and(|chunk| !chunk.valid().is_empty());
        if is_utf_8 {
            self.known = Known::Utf8;
            return Ok(());
        }
        ahead.extend(self.look_ahead(LOOKED_AT)?);
        self.known = guess(&ahead, before).ok_or(Unreadable::Encoding)?;
        self.text = match &mut self.known {
            Known::Utf8 | Known::Nothing(_) => ahead,
            Known::Other(decoder) => {
                let mut text =
                    String::with_capacity(decoder.max_utf8_buffer_length(ahead.len()).unwrap_or_default());
                let _ = decoder.decode_to_string(&ahead, &mut text, false);
                text.into_bytes()
            }
        };
        Ok(())
    }

    /// Decodes the next piece; `text` stays empty only at the end.
    fn decode(&mut self) -> io::Result<()> {
        self.text.clear();
        self.behind = 0;
        while let (Known::Other(decoder), true) = (&mut self.known, self.text.is_empty()) {
            let input = self.input.fill_buf()?;
            let is_last = input.is_empty();
            self.text.resize(PIECE, 0);
            let (result, read, written, _) = decoder.decode_to_utf8(input, &mut self.text, is_last);
            self.text.truncate(written);
            self.input.consume(read);
            if is_last && result == CoderResult::InputEmpty {
                // The end needs no decoder.
                self.known = Known::Utf8;
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.behind == self.text.len() {
            self.decode()?;
        }
        if let (Known::Nothing(before), true) = (&self.known, self.text.is_empty()) {
            let before = *before;
            if self.input.fill_buf()?.first().is_some_and(|byte| !byte.is_ascii()) {
                self.decide(before)?;
            }
        }
        if !self.text.is_empty() {
            return Ok(self.text.get(self.behind..).unwrap_or_default());
        }
        let input = self.input.fill_buf()?;
        let ascii = input.iter().take_while(|byte| byte.is_ascii()).count();
        let is_in_doubt = matches!(self.known, Known::Nothing(_));
        Ok(if is_in_doubt { input.get(..ascii).unwrap_or_default() } else { input })
    }

    fn consume(&mut self, read: usize) {
        if !self.text.is_empty() {
            self.behind = self.behind.saturating_add(read).min(self.text.len());
            return;
        }
        if let Known::Nothing(rows) = &mut self.known {
            let input = self.input.fill_buf().unwrap_or_default();
            let ends = input.iter().take(read).filter(|byte| **byte == b'\n').count();
            *rows = rows.saturating_add(u64::try_from(ends).unwrap_or_default());
        }
        self.input.consume(read);
    }
}
