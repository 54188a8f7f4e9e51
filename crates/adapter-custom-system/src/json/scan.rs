//! Scan of JSON (RFC 8259) in one pass. Nothing here is recursive, so the depth of nesting has no bound.

use super::entry::{Entry, Kind};

/// Typical bytes of JSON for an entry in lists of products.
const BYTES_PER_ENTRY: usize = 10;

/// Lists the values of a text, in the order in which they are written. `None` if it is not one value of JSON.
pub(super) fn entries(text: &str) -> Option<Vec<Entry>> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        entries: Vec::with_capacity(text.len() / BYTES_PER_ENTRY + 1),
        open: Vec::new(),
    };
    scan.whole()?;
    Some(scan.entries)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    entries: Vec<Entry>,
    /// Indexes of the arrays and objects that have not ended yet.
    open: Vec<usize>,
}

impl Scan<'_> {
    fn whole(&mut self) -> Option<()> {
        self.blank();
        loop {
            // At the beginning of a value.
            let opened = self.value()?;
            let inside = opened && self.begin()?;
            if !inside && !self.after()? {
                return self.peek().is_none().then_some(());
            }
        }
    }

    /// Reads a value, or the beginning of an array or object; `true` for the latter.
    fn value(&mut self) -> Option<bool> {
        let start = self.at;
        let kind = match self.peek()? {
            b'"' => return self.text().map(|()| false),
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b't' => self.word(b"true", Kind::Bool(true))?,
            b'f' => self.word(b"false", Kind::Bool(false))?,
            b'n' => self.word(b"null", Kind::Null)?,
            _ => self.number()?,
        };
        let opened = matches!(kind, Kind::Object | Kind::Array);
        if opened {
            self.at += 1;
            self.open.push(self.entries.len());
        }
        self.push(start, kind, false)?;
        Some(opened)
    }

    /// Moves from the beginning of an array or object to its first value; `false` if it was empty, and has
    /// ended.
    fn begin(&mut self) -> Option<bool> {
        let end = match self.inner()? {
            Kind::Object => b'}',
            _ => b']',
        };
        self.blank();
        if self.peek()? == end {
            return Some(false);
        }
        self.name()?;
        Some(true)
    }

    /// Moves from the end of a value to the next one; `false` if that was the last of all.
    fn after(&mut self) -> Option<bool> {
        loop {
            self.blank();
            let Some(inner) = self.inner() else { return Some(false) };
            match (self.peek()?, inner) {
                (b',', _) => {
                    self.at += 1;
                    self.blank();
                    self.name()?;
                    return Some(true);
                }
                (b'}', Kind::Object) | (b']', Kind::Array) => {
                    self.at += 1;
                    let (end, next) = (u32::try_from(self.at).ok()?, u32::try_from(self.entries.len()).ok()?);
                    let entry = self.open.pop().and_then(|open| self.entries.get_mut(open))?;
                    (entry.end, entry.next) = (end, next);
                }
                _ => return None,
            }
        }
    }

    /// Reads a member's name up to its value within an object; does nothing elsewhere.
    fn name(&mut self) -> Option<()> {
        if self.inner() != Some(Kind::Object) {
            return Some(());
        }
        (self.peek()? == b'"').then_some(())?;
        self.text()?;
        self.blank();
        (self.peek()? == b':').then_some(())?;
        self.at += 1;
        self.blank();
        Some(())
    }

    /// Reads a text, from quote to quote.
    fn text(&mut self) -> Option<()> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.ordinary();
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                // A character that JSON requires to be escaped.
                _ => return None,
            }
        }
        self.push(start, Kind::Text, escaped)?;
        self.at += 1;
        Some(())
    }

    /// Skips characters that a text may hold unescaped, eight bytes at a time.
    fn ordinary(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        /// Marks the high bit of each byte below `bound`, reliably up to the first of them.
        const fn below(eight: u64, bound: u64) -> u64 {
            eight.wrapping_sub(ONES.wrapping_mul(bound)) & !eight & HIGH
        }
        const fn equal(eight: u64, byte: u64) -> u64 {
            below(eight ^ ONES.wrapping_mul(byte), 1)
        }
        while let Some(eight) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let eight = u64::from_le_bytes(*eight);
            let ends = below(eight, 0x20) | equal(eight, 0x22) | equal(eight, 0x5c);
            if ends != 0 {
                self.at += ends.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
            self.at += 1;
        }
    }

    /// Skips an escape. Whether it stands for a character is checked when the text is decoded.
    fn escape(&mut self) -> Option<()> {
        let (length, formed) = match self.bytes.get(self.at.checked_add(1)?)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => (2, true),
            b'u' => {
                let digits = self.bytes.get(self.at.checked_add(2)?..)?.first_chunk::<4>()?;
                (6, digits.iter().all(u8::is_ascii_hexdigit))
            }
            _ => return None,
        };
        self.at += length;
        formed.then_some(())
    }

    fn number(&mut self) -> Option<Kind> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(Kind::Number)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Option<Kind> {
        self.bytes.get(self.at..)?.starts_with(word).then_some(())?;
        self.at += word.len();
        Some(kind)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the kind of the innermost array or object that has not ended.
    fn inner(&self) -> Option<Kind> {
        self.open.last().and_then(|open| self.entries.get(*open)).map(|entry| entry.kind)
    }

    /// Adds an entry; the end of an array or object is set later.
    fn push(&mut self, start: usize, kind: Kind, escaped: bool) -> Option<()> {
        let next = u32::try_from(self.entries.len().checked_add(1)?).ok()?;
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(self.at).ok()?);
        self.entries.push(Entry { start, end, next, kind, escaped });
        Some(())
    }
}
