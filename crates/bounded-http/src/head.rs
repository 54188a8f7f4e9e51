//! Detection of the end of an answer's final head.

use crate::error::TooMuch;

/// Largest beginning of an answer, in bytes, up to the end of its final head.
pub const HEAD_BYTES: usize = 64 * 1024;
/// Largest number of interim answers before the final head.
pub const INTERIM_ANSWERS: usize = 16;

/// Column of the first digit of the status in `HTTP/1.1 103`.
const STATUS_COLUMN: usize = 9;

/// Scanner of an answer up to the end of its final head, line by line: an empty line ends a head, and the
/// first digit of the status marks an interim answer.
#[derive(Debug, Default)]
pub(crate) struct HeadScan {
    is_over: bool,
    bytes: usize,
    interims: usize,
    /// Bytes of the current line without line ends.
    column: usize,
    /// Whether the status line has been read.
    in_fields: bool,
    is_interim: bool,
}

impl HeadScan {
    /// Makes a scan with nothing to look for, until a request is sent.
    pub(crate) fn over() -> Self {
        Self { is_over: true, ..Self::default() }
    }

    /// Returns whether the final head has come.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Scans the next bytes of the answer.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        for byte in bytes {
            if self.is_over {
                break;
            }
            self.bytes += 1;
            match byte {
                b'\n' if self.column == 0 && self.in_fields => self.end_head(),
                b'\n' => {
                    self.in_fields |= self.column > 0;
                    self.column = 0;
                }
                b'\r' => {}
                byte => {
                    if !self.in_fields && self.column == STATUS_COLUMN {
                        self.is_interim = *byte == b'1';
                    }
                    self.column += 1;
                }
            }
            if self.bytes > HEAD_BYTES || self.interims > INTERIM_ANSWERS {
                return Err(TooMuch);
            }
        }
        Ok(())
    }

    fn end_head(&mut self) {
        self.in_fields = false;
        if self.is_interim {
            self.interims += 1;
        } else {
            self.is_over = true;
        }
    }
}

/// Returns whether `bytes` begin a request, rather than continue one's body.
pub(crate) fn begins_request(bytes: &[u8]) -> bool {
    let method = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    method > 0 && bytes.get(method..method + 2) == Some(b" /")
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERIM: &str = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

    fn scan(answer: &str, piece: usize) -> Result<bool, TooMuch> {
        let mut scan = HeadScan::default();
        answer.as_bytes().chunks(piece).try_for_each(|bytes| scan.take(bytes))?;
        Ok(scan.is_over())
    }

    #[test]
    fn a_head_ends_at_an_empty_line_however_it_comes() {
        let few = INTERIM.repeat(INTERIM_ANSWERS);
        for (answer, is_over) in [
            ("HTTP/1.1 200 OK\r\na: b\r\n\r\n".to_owned(), true),
            ("HTTP/1.1 200 OK\r\n\r\n".to_owned(), true),
            ("\r\n\nHTTP/1.0 500 X\na: b\n\n".to_owned(), true),
            ("HTTP/1.1 200 OK\r\na: b\r\n".to_owned(), false),
            (INTERIM.to_owned(), false),
            (few.clone(), false),
            (format!("{few}HTTP/1.1 204 X\r\n\r\n"), true),
            (format!("HTTP/1.1 200 OK\r\n\r\n{}", "x\r\n".repeat(HEAD_BYTES)), true),
        ] {
            for piece in [1, 7, answer.len()] {
                assert_eq!(scan(&answer, piece), Ok(is_over), "{piece}: {answer:.80}");
            }
        }
    }

    #[test]
    fn more_than_an_answer_has_is_too_much() {
        let field = format!("x: {}\r\n", "y".repeat(1_000));
        for answer in [
            INTERIM.repeat(INTERIM_ANSWERS + 1),
            format!("HTTP/1.1 200 OK\r\n{}", field.repeat(66)),
            format!("HTTP/1.1 103 X\r\n{}\r\n", field.repeat(40)).repeat(2),
            "x".repeat(HEAD_BYTES + 1),
            "\r\n".repeat(HEAD_BYTES),
        ] {
            assert_eq!(scan(&answer, 4_096), Err(TooMuch), "{answer:.80}");
        }
    }

    #[test]
    fn a_request_is_told_from_more_of_a_body() {
        for (bytes, begins) in [
            ("POST /hook HTTP/1.1\r\n", true),
            ("GET / HTTP/1.1", true),
            ("{\"a\":1}", false),
            ("A B", false),
            ("", false),
        ] {
            assert_eq!(begins_request(bytes.as_bytes()), begins, "{bytes}");
        }
    }
}
