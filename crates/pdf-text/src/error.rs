//! What a document may be, and why one is not read.

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
