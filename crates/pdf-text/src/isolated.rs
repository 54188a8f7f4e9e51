//! Reading in a process of its own, which takes no more than it may.

use std::{
    io::{self, Read, Write},
    panic,
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    error::{LONGEST_TEXT, PdfError},
    read::read,
};

/// Largest memory of the process, in bytes.
const MEMORY: u64 = 512 * 1024 * 1024;
/// Longest time of a processor that it takes, in seconds.
const PROCESSOR: u64 = 5;
/// Time after which it is stopped, whatever it waits for.
const DEADLINE: Duration = Duration::from_secs(15);

/// First bytes of an answer. A process that was stopped has none.
const TEXT: u8 = b't';
const ENCRYPTED: u8 = b'e';
const NO_TEXT: u8 = b'n';
const BROKEN: u8 = b'b';
const TOO_MUCH: u8 = b'm';

/// A program that reads PDFs by [`serve`].
#[derive(Debug, Clone)]
pub struct Isolated {
    pub program: PathBuf,
    pub arguments: &'static [&'static str],
}

impl Isolated {
    /// Starts the program and has it read a PDF. Nothing of this process's environment is given to it.
    ///
    /// # Errors
    /// The outer: the program could not be started.
    pub fn read(&self, bytes: Vec<u8>) -> io::Result<Result<String, PdfError>> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).env_clear().current_dir("/");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (told, answers) = mpsc::channel();
        // It ends with the process, whose ends of the pipes are the only others.
        thread::Builder::new().spawn(move || {
            let mut answer = Vec::new();
            let given = stdin.map(|mut stdin| stdin.write_all(&bytes));
            let most = LONGEST_TEXT as u64 + 2;
            let read = stdout.map(|stdout| stdout.take(most).read_to_end(&mut answer));
            // One that dies while it is given the bytes has answered nothing.
            let _ = (given, read);
            let _ = told.send(answer);
        })?;
        let answer = answers.recv_timeout(DEADLINE).unwrap_or_default();
        // Nobody waits for one that has answered and stays.
        let _ = child.kill();
        child.wait()?;
        Ok(parse(&answer))
    }
}

fn parse(answer: &[u8]) -> Result<String, PdfError> {
    match answer.split_first() {
        Some((&TEXT, text)) if text.len() <= LONGEST_TEXT => {
            String::from_utf8(text.to_vec()).map_err(|_| PdfError::TooMuch)
        }
        Some((&ENCRYPTED, _)) => Err(PdfError::Encrypted),
        Some((&NO_TEXT, _)) => Err(PdfError::NoText),
        Some((&BROKEN, _)) => Err(PdfError::Broken),
        _ => Err(PdfError::TooMuch),
    }
}

/// Reads a PDF from standard input and writes its text to standard output, within limits that this process
/// sets for itself for good: it has to do nothing else.
pub fn serve() -> io::Result<()> {
    limit()?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let (first, text) = match panic::catch_unwind(|| read(bytes)) {
        Ok(Ok(text)) => (TEXT, text),
        Ok(Err(PdfError::Encrypted)) => (ENCRYPTED, String::new()),
        Ok(Err(PdfError::NoText)) => (NO_TEXT, String::new()),
        Ok(Err(PdfError::TooMuch)) => (TOO_MUCH, String::new()),
        Ok(Err(PdfError::Broken)) | Err(_) => (BROKEN, String::new()),
    };
    let mut stdout = io::stdout().lock();
    stdout.write_all(&[first])?;
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn limit() -> io::Result<()> {
    // Where a machine has no memory left, it takes this process first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    // The picture of a process that died would hold a customer's document.
    for (resource, most) in [(Resource::As, MEMORY), (Resource::Cpu, PROCESSOR), (Resource::Core, 0)] {
        let most = getrlimit(resource).maximum.map_or(most, |allowed| allowed.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}
