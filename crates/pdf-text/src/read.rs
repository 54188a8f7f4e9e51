//! Reading, from bytes to text.

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::{error::PdfError, glyphs, layout};

/// Reads the text of a PDF: lines, with headings and rows of tables as Markdown has them.
///
/// Bounds nothing but its result: what costs more than that has to be stopped from outside.
pub fn read(bytes: Vec<u8>) -> Result<String, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Encrypted,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => PdfError::Broken,
    })?;
    layout::text(&glyphs::pages(&pdf)?)
}
