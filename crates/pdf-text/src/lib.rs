//! Texts of PDF documents: lines in the order of the page's drawing, letters in the order that they are read.
//!
//! A PDF is hostile until it is read: [`Isolated`] has a process of its own read it, which [`serve`] runs.

mod glyphs;
mod isolated;
mod layout;
mod line;
mod order;

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

pub use self::isolated::{Isolated, serve};

/// Longest text of a document, in bytes.
pub const LONGEST_TEXT: usize = 2 * 1024 * 1024;

/// Reason a PDF was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    #[error("it opens with a password alone")]
    Encrypted,
    #[error("it has pictures of letters, or letters that it does not name")]
    NoText,
    #[error("it is damaged")]
    Broken,
    #[error("it asks for more text, memory or time than a document may")]
    TooMuch,
}

/// Reads the text of a PDF: lines, with headings and rows of tables as Markdown has them.
///
/// It is bounded by its result alone: what costs more than that has to be stopped from outside.
pub fn read(bytes: Vec<u8>) -> Result<String, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Encrypted,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => PdfError::Broken,
    })?;
    layout::text(&glyphs::pages(&pdf)?)
}
