//! PDFs, read by this program in a process of its own.

use std::{
    env, io,
    sync::{Condvar, Mutex, PoisonError},
};

use domain::{
    errors::StoreError,
    knowledge::{Unreadable, ports::PdfReader},
};
use pdf_text::{Isolated, PdfError};

/// Argument by which the program does nothing but read a PDF. It is for itself, so help does not tell of it.
pub const READ_PDF: &str = "read-pdf";

/// Most PDFs that are read at once, for what each may take of the node's memory.
const MOST: u32 = 2;

/// Reader that starts this program once for each PDF.
pub struct OwnPdfReader {
    program: Isolated,
    running: Mutex<u32>,
    ended: Condvar,
}

impl Default for OwnPdfReader {
    fn default() -> Self {
        // On Linux this is the running program itself, even where another has taken its place on the disk.
        let program = if cfg!(target_os = "linux") {
            "/proc/self/exe".into()
        } else {
            env::current_exe().unwrap_or_default()
        };
        let program = Isolated { program, arguments: &[READ_PDF] };
        Self { program, running: Mutex::new(0), ended: Condvar::new() }
    }
}

impl OwnPdfReader {
    fn read_in_turn(&self, bytes: Vec<u8>) -> io::Result<Result<String, PdfError>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = self.ended.wait_while(running, |running| *running == MOST);
        *running.unwrap_or_else(PoisonError::into_inner) += 1;
        let read = self.program.read(bytes);
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.ended.notify_one();
        read
    }
}

impl PdfReader for OwnPdfReader {
    fn read(&self, bytes: Vec<u8>) -> Result<Result<String, Unreadable>, StoreError> {
        let read = self.read_in_turn(bytes);
        let read = read.map_err(|error| StoreError::Unavailable(format!("no PDF can be read: {error}")))?;
        Ok(read.map_err(|error| match error {
            PdfError::Encrypted => Unreadable::PdfLocked,
            PdfError::NoText => Unreadable::PdfWithoutText,
            PdfError::Broken => Unreadable::PdfBroken,
            PdfError::TooMuch => Unreadable::PdfTooMuch,
        }))
    }
}
