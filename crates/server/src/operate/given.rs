//! Input of a command from a file or standard input.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read, stdin},
    path::Path,
};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::print::tell;

/// File name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// Tells that input is awaited from a terminal: a forgotten redirection would look like a command that
/// does nothing.
pub(super) fn say_if_typed() {
    if stdin().is_terminal() {
        tell("reading what is typed here; Ctrl-D at the beginning of a line ends it");
    }
}

/// Reads the first `most` bytes of the file, or of standard input for `-`.
pub(super) fn bytes(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new(STDIN) {
        say_if_typed();
        stdin().take(most).read_to_end(&mut bytes)?;
    } else {
        fs::File::open(file)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Reads the same as text, without the byte order mark that some editors write: it belongs to no secret.
pub(super) fn text(file: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(bytes(file, most)?);
    let text = text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Reads the same as a secret, without the blanks and line breaks at its end, which files and pastes have and
/// secrets have not. A typed secret ends with its line, and is not shown.
pub(super) fn secret(file: &Path, most: u64) -> io::Result<String> {
    let is_typed = file == Path::new(STDIN) && stdin().is_terminal();
    let secret = if is_typed { typed_unseen(most)? } else { text(file, most)? };
    Ok(secret.trim_end().to_owned())
}

fn typed_unseen(most: u64) -> io::Result<String> {
    // Before the prompt to type.
    let _unseen = Unseen::begin()?;
    tell("type it here, or paste it; it is not shown, and Enter ends it");
    let mut line = String::new();
    stdin().lock().take(most).read_line(&mut line)?;
    Ok(line)
}

/// Guard that keeps the terminal from showing what is typed, except for the line's end.
struct Unseen {
    before: Termios,
}

impl Unseen {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut unseen = before.clone();
        unseen.local_modes.remove(LocalModes::ECHO);
        unseen.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(stdin(), OptionalActions::Now, &unseen)?;
        Ok(Self { before })
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::ErrorKind, path::Path};

    use super::{bytes, secret, text};

    #[test]
    fn a_file_is_read_up_to_a_bound_and_text_has_to_be_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("given");
        for (held, most, wanted) in [
            (&b"a secret\n"[..], 64, Ok("a secret\n")),
            (b"a secret\n", 8, Ok("a secret")),
            (b"", 8, Ok("")),
            (b"a secret \n\n", 64, Ok("a secret \n\n")),
            (b"\xef\xbb\xbfa secret\r\n", 64, Ok("a secret\r\n")),
            (b"\xff", 8, Err(ErrorKind::InvalidData)),
        ] {
            fs::write(&file, held).expect("a file");
            let read = text(&file, most);
            assert_eq!(read.as_deref().map_err(std::io::Error::kind), wanted, "{held:?}");
            let trimmed = secret(&file, most);
            let trimmed = trimmed.as_deref().map_err(std::io::Error::kind);
            assert_eq!(trimmed, wanted.map(str::trim_end), "{held:?}");
        }
        let missing = bytes(Path::new("/no/such/file"), 8).map_err(|error| error.kind());
        assert_eq!(missing, Err(ErrorKind::NotFound));
    }
}
