//! Pages of the documents that the assistant may cite, and references to their passages.

use askama::Template;
use domain::{
    ids::{DocumentId, MemberId},
    knowledge::{LARGEST_DOCUMENT, Source, Unreadable},
};
use serde::Serialize;

use super::tabs;
use crate::{frame::Frame, moment::Moment, refused::Refused, words::AssistantWords};

/// A document in the list.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRow {
    pub id: DocumentId,
    pub title: String,
    pub source: Source,
    /// Size as it was brought.
    pub bytes: u32,
    /// Number of its passages.
    pub passages: u32,
    /// Who brought it, or its present text; `None` for an operator.
    pub changed_by: Option<MemberId>,
    pub changed_at: Moment,
}

impl DocumentRow {
    fn kilobytes(&self) -> u32 {
        self.bytes.div_ceil(1024)
    }
}

/// A passage of a document.
#[derive(Debug, Clone, Serialize)]
pub struct PassageRow {
    /// Place in the document, from 1.
    pub number: u32,
    /// Headings above it.
    pub heading: String,
    pub sentences: Vec<String>,
}

/// Something that acts referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRow {
    pub text: String,
    /// Path of the page that shows it; `None` without one.
    pub path: Option<String>,
}

/// Page of all documents.
#[derive(Template)]
#[template(path = "assistant/documents.html")]
pub struct DocumentsPage<'a> {
    pub frame: &'a Frame,
    /// Sorted by title.
    pub documents: Vec<DocumentRow>,
    /// Typed title and text of a document to add.
    pub draft: (String, String),
    pub refused: Option<Refused>,
}

impl DocumentsPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant/documents")
    }
}

/// Page of one document.
#[derive(Template)]
#[template(path = "assistant/document.html")]
pub struct DocumentPage<'a> {
    pub frame: &'a Frame,
    pub document: DocumentRow,
    pub passages: Vec<PassageRow>,
    /// Typed title and text to replace it by; empty for the title that it has.
    pub draft: (String, String),
    pub refused: Option<Refused>,
}

impl DocumentPage<'_> {
    fn tabs(&self) -> [(&'static str, &'static str, bool); 5] {
        tabs(self.frame, "/dashboard/settings/assistant/documents")
    }

    fn title(&self) -> &str {
        if self.draft.0.is_empty() { &self.document.title } else { &self.draft.0 }
    }
}

impl EvidenceRow {
    /// Reads what a turn's record refers to. Of a passage, `title_of` returns the document's title by its id;
    /// `None` if it is there no more.
    pub fn of(words: &AssistantWords, reference: &str, title_of: impl Fn(&str) -> Option<String>) -> Self {
        let plain = || Self { text: reference.to_owned(), path: None };
        let Some(passage) = reference.strip_prefix("passage:") else { return plain() };
        let Some((document, (number, sentences))) =
            passage.split_once('/').and_then(|(id, rest)| Some((id, rest.split_once('#')?)))
        else {
            return plain();
        };
        let Some(title) = title_of(document) else {
            return Self { text: words.removed_document.to_owned(), path: None };
        };
        let mut text = format!("{title}, {} {number}", words.passage);
        if !sentences.is_empty() {
            text = format!("{text}, {} {}", words.passage_sentences, sentences.replace(',', ", "));
        }
        let path = format!("/dashboard/settings/assistant/documents/{document}#passage-{number}");
        Self { text, path: Some(path) }
    }
}

impl AssistantWords {
    /// Returns the words for the form in which a document was brought.
    pub const fn source(&self, source: &Source) -> &'static str {
        match source {
            Source::Text => self.plain_text,
            Source::Markdown => "Markdown",
            Source::Page => self.web_page,
            Source::Pdf => "PDF",
        }
    }

    /// Returns why a document cannot be taken.
    pub const fn unreadable(&self, error: Unreadable) -> &'static str {
        match error {
            Unreadable::Title => self.document_no_title,
            Unreadable::TooLarge => self.document_too_large,
            Unreadable::Empty => self.document_empty,
            Unreadable::NotText => self.document_not_text,
            Unreadable::PdfLocked => self.document_pdf_locked,
            Unreadable::PdfWithoutText => self.document_pdf_without_text,
            Unreadable::PdfBroken => self.document_pdf_broken,
            Unreadable::PdfTooMuch => self.document_pdf_too_much,
            Unreadable::TooLong => self.document_too_long,
        }
    }
}

// The words name these bounds.
const _: () = assert!(LARGEST_DOCUMENT == 2 * 1024 * 1024);
const _: () = assert!(domain::knowledge::LONGEST_TITLE == 120 && domain::knowledge::MOST_PASSAGES == 2_000);
const _: () = assert!(domain::knowledge::MOST_OF_DOCUMENT == 2_000);

#[cfg(test)]
mod tests {
    use super::EvidenceRow;
    use crate::words::Language;

    #[test]
    fn a_passage_leads_to_its_place_in_the_document_that_is_there() {
        let words = &Language::English.words().assistant;
        let title = |id: &str| (id == "7").then(|| "Policy".to_owned());
        let path = "/dashboard/settings/assistant/documents/7#passage-2".to_owned();
        for (reference, text, path) in [
            ("passage:7/2#1,3", "Policy, passage 2, sentences 1, 3", Some(path.clone())),
            ("passage:7/2#", "Policy, passage 2", Some(path)),
            ("passage:8/2#1", "a document that was removed or replaced", None),
            ("passage:8", "passage:8", None),
            ("product:12", "product:12", None),
        ] {
            let row = EvidenceRow::of(words, reference, title);
            assert_eq!(row, EvidenceRow { text: text.to_owned(), path });
        }
    }
}
