//! Texts of documents, from the bytes that owners bring.

use super::{document::Source, page};
use crate::text::{PlainText, is_blank, is_line_end};

/// Largest document, in bytes.
pub const LARGEST_DOCUMENT: usize = 2 * 1024 * 1024;

/// Reason a document cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("`title` has 1 to {} characters", super::LONGEST_TITLE)]
    Title,
    #[error("`document` is larger than {LARGEST_DOCUMENT} bytes")]
    TooLarge,
    #[error("`document` has no words")]
    Empty,
    #[error("`document` is no text in UTF-8: save it as a text or a page, or paste its text")]
    NotText,
    #[error("`document` opens with a password alone: save it without, or paste its text")]
    PdfLocked,
    #[error("`document` is a PDF of pictures, or does not name its letters: paste its text")]
    PdfWithoutText,
    #[error("`document` is a PDF that is damaged: save it anew, or paste its text")]
    PdfBroken,
    #[error("`document` is a PDF that takes too much to be read: bring it in parts, or paste its text")]
    PdfTooMuch,
    #[error("`document` has more than {} passages: bring it in parts", super::MOST_OF_DOCUMENT)]
    TooLong,
}

/// Beginning of a PDF.
const PDF: &[u8] = b"%PDF-";

/// Returns whether a document is a PDF.
pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(PDF)
}

/// Reads a text, a page or Markdown; the name of the file is one of the signs of which it is.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<(Source, String), Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::NotText)?;
    let has_end = |ends: &[&str]| {
        let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        end.is_some_and(|end| ends.contains(&end.as_str()))
    };
    let (source, text) = if has_end(&["html", "htm", "xhtml"]) || page::is_page(text) {
        (Source::Page, page::text_of(text))
    } else if has_end(&["md", "markdown"]) || text.lines().any(|line| line.starts_with("# ")) {
        (Source::Markdown, text.to_owned())
    } else {
        (Source::Text, text.to_owned())
    };
    if !text.contains(char::is_alphanumeric) || is_blank(&text) {
        return Err(Unreadable::Empty);
    }
    Ok((source, text))
}

/// Lists the lines of a text without marks that hide or turn letters; a line that shows nothing is empty.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> {
    let clean = |line| PlainText::read(line, usize::MAX).map(|line| line.as_str().to_owned());
    // A document may be all line breaks.
    let lines = text.split(is_line_end);
    lines.map(move |line| if line.is_empty() { String::new() } else { clean(line).unwrap_or_default() })
}
