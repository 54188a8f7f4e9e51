//! Documents and their passages.

use serde::Serialize;
use time::OffsetDateTime;

use crate::ids::{DocumentId, MemberId};

/// Most documents of a workspace.
pub const MOST_DOCUMENTS: u32 = 50;
/// Most passages of a workspace: all of them are looked through for each question, which takes some 0.1 ms of
/// a processor each.
pub const MOST_PASSAGES: u32 = 2_000;
/// Longest title of a document, in characters.
pub const LONGEST_TITLE: usize = 120;

/// Form in which a document was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Text,
    Markdown,
    /// A web page, as HTML.
    Page,
    Pdf,
}

impl Source {
    pub const ALL: [Self; 4] = [Self::Text, Self::Markdown, Self::Page, Self::Pdf];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Page => "page",
            Self::Pdf => "pdf",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.as_str() == name)
    }
}

/// A document of the owner's, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub id: DocumentId,
    pub title: String,
    pub source: Source,
    /// Size as it was brought.
    pub bytes: u32,
    /// Number of its passages.
    pub passages: u32,
    /// Who brought it, or its present text; `None` for an operator.
    pub changed_by: Option<MemberId>,
    pub changed_at: OffsetDateTime,
}

/// A piece of a document that is found and cited by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Headings above it, the outermost first; empty without any.
    pub heading: String,
    /// Sentences in their order, each on one line.
    pub sentences: Vec<String>,
}

/// A passage, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageOf {
    pub document: DocumentId,
    /// Title of the document.
    pub title: String,
    /// Place in the document, from 1.
    pub number: u32,
    pub passage: Passage,
}
