//! What the command line prints. Whoever reads it may have seen enough and be gone, as `head` is: that is no error.

use std::io::{self, ErrorKind, Write};

/// Writes a text to standard output, to its end.
///
/// # Errors
/// When it cannot be written, as on a full disk.
pub fn out(text: &str) -> io::Result<()> {
    written(&mut io::stdout().lock(), text)
}

/// Writes a line to standard error, as long as anybody reads it: what is worked on goes on without a reader.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// What takes all that is written to it, and hands it on as long as anybody reads.
pub struct WhileRead<W>(pub W);

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        whoever_reads(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        whoever_reads(self.0.flush(), ())
    }
}

/// What was done, or `instead` where nobody reads any more.
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

    use super::written;

    /// It takes nothing.
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
}
