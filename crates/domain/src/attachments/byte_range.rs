//! Ranges of a file's bytes, as requests ask for them (RFC 9110, 14).

use std::ops::Range;

/// One part of a file, as a request asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedBytes {
    /// First and last byte, both included, counted from 0.
    Between(u64, u64),
    /// First byte; the part goes to the end of the file.
    From(u64),
    /// Number of bytes at the end of the file.
    Last(u64),
}

impl AskedBytes {
    /// Parses the header `Range`; `None` for anything but one part in bytes.
    pub fn read(header: &str) -> Option<Self> {
        let (unit, part) = header.split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        match part.trim().split_once('-')? {
            ("", count) => Some(Self::Last(place(count)?)),
            (first, "") => Some(Self::From(place(first)?)),
            (first, last) => {
                let (first, last) = (place(first)?, place(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    /// Returns the range within a file of `size` bytes; `None` if the file has none of these bytes.
    pub fn of(self, size: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::Between(first, last) => first..last.saturating_add(1).min(size),
            Self::From(first) => first..size,
            Self::Last(count) => size.saturating_sub(count)..size,
        };
        (!range.is_empty()).then_some(range)
    }
}

/// Parses a position or a count; one too large for a `u64` lies behind the end of any file.
fn place(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::AskedBytes;

    #[test]
    fn one_part_in_bytes_is_read_and_anything_else_is_the_whole_file() {
        use AskedBytes::{Between, From, Last};
        for (header, wanted) in [
            ("bytes=0-0", Some(Between(0, 0))),
            ("bytes=2-5", Some(Between(2, 5))),
            ("Bytes= 2-5 ", Some(Between(2, 5))),
            ("bytes=7-", Some(From(7))),
            ("bytes=-3", Some(Last(3))),
            ("bytes=99999999999999999999-", Some(From(u64::MAX))),
            ("bytes=5-2", None),
            ("bytes=0-1,3-4", None),
            ("bytes=-", None),
            ("bytes=", None),
            ("bytes", None),
            ("bytes=+1-2", None),
            ("bytes=1 - 2", None),
            ("bytes=--2", None),
            ("items=0-1", None),
            ("", None),
        ] {
            assert_eq!(AskedBytes::read(header), wanted, "{header:?}");
        }
    }

    #[test]
    fn a_part_ends_with_the_file_and_is_none_beyond_it() {
        use AskedBytes::{Between, From, Last};
        for (asked, size, wanted) in [
            (Between(0, 3), 10, Some(0..4)),
            (Between(8, 99), 10, Some(8..10)),
            (Between(8, u64::MAX), 10, Some(8..10)),
            (Between(10, 11), 10, None),
            (From(9), 10, Some(9..10)),
            (From(10), 10, None),
            (Last(4), 10, Some(6..10)),
            (Last(99), 10, Some(0..10)),
            (Last(0), 10, None),
            (From(0), 0, None),
            (Last(1), 0, None),
        ] {
            assert_eq!(asked.of(size), wanted, "{asked:?} of {size}");
        }
    }
}
