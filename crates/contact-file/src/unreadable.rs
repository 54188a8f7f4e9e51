//! Reasons why a file cannot be read.

use std::io;

/// Reason why a file cannot be read at all; comes within an [`io::Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The rows are in an unknown encoding, and nobody named it.
    #[error(
        "the list is not in UTF-8; save it as CSV (UTF-8) or as .xlsx, or say that it is in Windows-1256"
    )]
    Encoding,
    /// A workbook of the kind before 2007, or a file that only begins like a workbook.
    #[error("the list is no workbook that can be read; save it as CSV (UTF-8) or as .xlsx")]
    Workbook,
    /// A workbook that is too large, packed or unpacked, to be read into memory.
    #[error("the workbook is too large; save it as CSV (UTF-8)")]
    TooLarge,
}

impl From<Unreadable> for io::Error {
    fn from(why: Unreadable) -> Self {
        Self::new(io::ErrorKind::InvalidData, why)
    }
}

impl Unreadable {
    /// Returns why the file is unreadable, if that is what `error` says.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}
