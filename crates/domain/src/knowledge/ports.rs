//! Ports of the documents.

use async_trait::async_trait;

use super::{
    document::{Document, Passage, PassageOf},
    read::Unreadable,
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{DocumentId, WorkspaceId},
};

/// Outcome of storing a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Yes,
    /// The workspace has as many documents as it may.
    NoRoomForDocument,
    /// The workspace would have more passages than it may.
    NoRoomForPassages,
    /// There is no document to replace.
    Unknown,
}

/// Reader of PDFs apart from this process: whatever is in one, nobody else is harmed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PdfReader: Send + Sync {
    /// Reads the text, with headings and rows of tables as Markdown has them, and waits for it.
    ///
    /// # Errors
    /// The outer: it could not be tried.
    fn read(&self, bytes: Vec<u8>) -> Result<Result<String, Unreadable>, StoreError>;
}

/// Storage of documents and their passages.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    /// Lists the documents, by title.
    async fn documents(&self, workspace: WorkspaceId) -> Result<Vec<Document>, StoreError>;

    /// Loads a document with its passages in their order; `None` if there is none.
    async fn document(
        &self,
        workspace: WorkspaceId,
        document: DocumentId,
    ) -> Result<Option<(Document, Vec<Passage>)>, StoreError>;

    /// Returns whether the workspace has any document.
    async fn has_documents(&self, workspace: WorkspaceId) -> Result<bool, StoreError>;

    /// Loads the passages of all documents, in the order of titles and places.
    async fn passages(&self, workspace: WorkspaceId) -> Result<Vec<PassageOf>, StoreError>;

    /// Adds a document, or replaces the one of its id as a whole, with the audit entry, in one transaction
    /// that counts what the workspace has.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        document: &Document,
        passages: &[Passage],
        replaces: bool,
        entry: &AuditEntry,
    ) -> Result<Kept, StoreError>;

    /// Removes a document and its passages with an audit entry, in one transaction; `false` and no entry if
    /// there was none.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        document: DocumentId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}
