//! Which encoding a file is in, and its text in UTF-8.

use std::{
    io::{self, BufRead, Read},
    str::FromStr,
};

use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1256};

/// Fewest Arabic letters that say anything about an encoding.
const FEWEST_LETTERS: usize = 3;
/// Bytes that are decoded together at most, as text.
const PIECE: usize = 16 * 1024;

/// An encoding that a file without a mark may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// What most programs write.
    Utf8,
    /// What Excel saves as CSV where Windows is Arabic.
    Windows1256,
}

impl Encoding {
    pub(super) fn decoder(self) -> Option<Decoder> {
        match self {
            Self::Utf8 => None,
            Self::Windows1256 => Some(WINDOWS_1256.new_decoder_without_bom_handling()),
        }
    }
}

/// The name is that of no encoding that is read.
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

/// What the bytes of a file tell of its encoding.
pub(super) enum Guess {
    Certain(Encoding),
    Unknown,
}

/// The encoding that a mark at the beginning names, and the mark's length.
pub(super) fn marked(head: &[u8]) -> Option<(Option<Decoder>, usize)> {
    let (encoding, length) = encoding_rs::Encoding::for_bom(head)?;
    let decoder = [UTF_16LE, UTF_16BE].contains(&encoding);
    Some((decoder.then(|| encoding.new_decoder_without_bom_handling()), length))
}

/// Takes what is not UTF-8 for Windows-1256 where that makes Arabic words of it: in another encoding of the same bytes, such
/// as those of Cyrillic or of another Arabic, letters with accents would stand among them. Where most of what is no ASCII is
/// UTF-8, or most rows are, the others are refused one by one.
pub(super) fn guess(head: &[u8]) -> Guess {
    let (mut utf_8, mut other) = (0_usize, 0_usize);
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        utf_8 += chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count();
        // The last character may be cut.
        let is_cut = chunks.peek().is_none()
            && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        other += if is_cut { 0 } else { chunk.invalid().len() };
    }
    if other <= utf_8 {
        return Guess::Certain(Encoding::Utf8);
    }
    let (text, _) = WINDOWS_1256.decode_without_bom_handling(head);
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
            // Vowel signs, and the signs of its own.
            '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{64b}'..='\u{652}' | '\u{a0}' | '«' | '»' | '–' | '—' =>
                {}
            _ => foreign += 1,
        }
    }
    if arabic >= FEWEST_LETTERS && foreign <= arabic / 20 {
        return Guess::Certain(Encoding::Windows1256);
    }
    let rows = head.split(|byte| b"\r\n".contains(byte)).filter(|row| !row.is_empty());
    let (mut all, mut wrong) = (0_usize, 0_usize);
    for row in rows {
        all += 1;
        wrong += usize::from(std::str::from_utf8(row).is_err());
    }
    if wrong > all / 2 { Guess::Unknown } else { Guess::Certain(Encoding::Utf8) }
}

/// A file's bytes as UTF-8; without a decoder they pass as they are.
pub(super) struct Decoded<R> {
    input: R,
    decoder: Option<Decoder>,
    text: Vec<u8>,
    behind: usize,
}

impl<R: BufRead> Decoded<R> {
    pub(super) const fn new(input: R, decoder: Option<Decoder>) -> Self {
        Self { input, decoder, text: Vec::new(), behind: 0 }
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
            self.text.clear();
            self.behind = 0;
            while let (Some(decoder), true) = (&mut self.decoder, self.text.is_empty()) {
                let input = self.input.fill_buf()?;
                let is_last = input.is_empty();
                self.text.resize(PIECE, 0);
                let (result, read, written, _) = decoder.decode_to_utf8(input, &mut self.text, is_last);
                self.text.truncate(written);
                self.input.consume(read);
                if is_last && result == CoderResult::InputEmpty {
                    // What follows is nothing, which needs no decoder.
                    self.decoder = None;
                }
            }
        }
        if self.text.is_empty() {
            self.input.fill_buf()
        } else {
            Ok(self.text.get(self.behind..).unwrap_or_default())
        }
    }

    fn consume(&mut self, read: usize) {
        if self.text.is_empty() {
            self.input.consume(read);
        } else {
            self.behind = self.behind.saturating_add(read).min(self.text.len());
        }
    }
}
