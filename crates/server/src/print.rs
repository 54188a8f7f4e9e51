//! Output of the command line. A reader that is gone, as `head` may be, is no error.

use std::io::{self, ErrorKind, Write};

/// Writes a text to standard output, to its end.
///
/// # Errors
/// When it cannot be written, as on a full disk.
pub fn out(text: &str) -> io::Result<()> {
    written(&mut io::stdout().lock(), text)
}

/// Writes a line to standard error, if anybody still reads it: work goes on without a reader.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns the text as a terminal may show it, whatever its source: characters that would steer the terminal,
/// or turn the direction of what stands beside them, are escaped. Lines stay lines.
pub fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut printed, letter| {
        if letter != '\n' && letter != '\t' && is_steering(letter) {
            printed.extend(letter.escape_default());
        } else {
            printed.push(letter);
        }
        printed
    })
}

/// Returns the same on one line.
pub fn one_line(text: &str) -> String {
    let is_break = |letter: char| letter.is_control() && letter.is_whitespace();
    printable(&text.replace(is_break, " "))
}

/// Returns whether a character is a control character, a separator of lines, or one that turns the direction
/// of the letters behind it.
fn is_steering(letter: char) -> bool {
    let turns = matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || turns
}

/// Writer that accepts everything, and hands it on while anybody reads.
pub struct WhileRead<W>(pub W);

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        whoever_reads(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        whoever_reads(self.0.flush(), ())
    }
}

/// Returns the result, or `instead` if nobody reads any more.
fn whoever_reads<T>(done: io::Result<T>, instead: T) -> io::Result<T> {
    match done {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(instead),
        done => done,
    }
}

fn written(to: &mut impl Write, text: &str) -> io::Result<()> {
    let mut to = WhileRead(to);
    to.write_all(text.as_bytes())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind, Write};

    use super::{one_line, printable, written};

    /// Writer that takes nothing.
    struct Refusing(ErrorKind);

    impl Write for Refusing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_who_is_gone_is_no_error_and_a_full_disk_is_one() {
        let mut taken = Vec::new();
        written(&mut taken, "two\nlines\n").expect("it is written");
        assert_eq!(taken, b"two\nlines\n");
        for (met, wanted) in
            [(ErrorKind::BrokenPipe, None), (ErrorKind::StorageFull, Some(ErrorKind::StorageFull))]
        {
            let said = written(&mut Refusing(met), "a line\n").map_err(|error| error.kind());
            assert_eq!(said.err(), wanted, "{met}");
        }
    }

    #[test]
    fn what_somebody_wrote_steers_no_terminal() {
        for (text, printed, line) in [
            ("أسواق الرافدين", "أسواق الرافدين", "أسواق الرافدين"),
            ("a\nb\tc", "a\nb\tc", "a b c"),
            ("a\r\nb", "a\\r\nb", "a  b"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("\u{9b}2J", "\\u{9b}2J", "\\u{9b}2J"),
            ("a\u{202e}b\u{2028}c", "a\\u{202e}b\\u{2028}c", "a\\u{202e}b\\u{2028}c"),
        ] {
            assert_eq!((printable(text).as_str(), one_line(text).as_str()), (printed, line), "{text:?}");
        }
    }
}
