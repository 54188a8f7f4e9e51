//! Bringing, replacing and removing documents.

use std::sync::Arc;

use super::{
    document::{Document, LONGEST_TITLE, MOST_DOCUMENTS, MOST_PASSAGES, Passage, Source},
    ports::{Kept, KnowledgeStore, PdfReader},
    read::{LARGEST_DOCUMENT, Unreadable, is_pdf, read},
    split::split,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{DocumentId, WorkspaceId},
    text::PlainText,
};

/// A document as an owner brings it.
#[derive(Debug, Clone, Default)]
pub struct GivenDocument {
    /// Blank for the file's name.
    pub title: String,
    /// Name of the file; empty if the text was pasted.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl GivenDocument {
    /// Reads and splits it, which keeps a processor busy for as long as a document is large.
    pub fn read(self, pdfs: &dyn PdfReader) -> Result<ReadDocument, KnowledgeError> {
        let bytes = u32::try_from(self.bytes.len()).map_err(|_| Unreadable::TooLarge)?;
        if self.bytes.len() > LARGEST_DOCUMENT {
            return Err(Unreadable::TooLarge.into());
        }
        let (source, text) = if is_pdf(&self.bytes) {
            (Source::Pdf, pdfs.read(self.bytes)??)
        } else {
            read(&self.bytes, &self.name)?
        };
        let title = title_of(&self.title, &self.name)?;
        Ok(ReadDocument { title, source, bytes, passages: split(&text)? })
    }
}

/// A document in its passages.
#[derive(Debug)]
pub struct ReadDocument {
    title: String,
    source: Source,
    bytes: u32,
    passages: Vec<Passage>,
}

/// Reason a document was not kept or removed.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    #[error(transparent)]
    Invalid(#[from] Unreadable),
    #[error("a workspace has {MOST_DOCUMENTS} documents at most")]
    TooManyDocuments,
    #[error("all documents together have {MOST_PASSAGES} passages at most")]
    TooManyPassages,
    #[error("there is no such document")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that shows, brings, replaces and removes documents.
pub struct ManageKnowledge {
    pub store: Arc<dyn KnowledgeStore>,
    pub pdfs: Arc<dyn PdfReader>,
    pub deps: Deps,
}

impl ManageKnowledge {
    /// Lists the documents, by title.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<Document>, StoreError> {
        self.store.documents(workspace).await
    }

    /// Returns a document with its passages.
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        document: DocumentId,
    ) -> Result<(Document, Vec<Passage>), KnowledgeError> {
        self.store.document(workspace, document).await?.ok_or(KnowledgeError::Unknown)
    }

    /// Adds a document.
    pub async fn add(&self, acting: Acting, read: ReadDocument) -> Result<Document, KnowledgeError> {
        let id = DocumentId::new(&*self.deps.ids);
        self.keep(acting, id, read, false).await
    }

    /// Replaces a document as a whole; its id stays.
    pub async fn replace(
        &self,
        acting: Acting,
        id: DocumentId,
        read: ReadDocument,
    ) -> Result<Document, KnowledgeError> {
        self.keep(acting, id, read, true).await
    }

    /// Removes a document.
    ///
    /// # Errors
    /// [`KnowledgeError::Unknown`] if there is none.
    pub async fn remove(&self, acting: Acting, document: DocumentId) -> Result<(), KnowledgeError> {
        let (found, _) = self.get(acting.workspace, document).await?;
        let entry = acting.does(Action::DocumentRemoved, self.deps.clock.now(), &*self.deps.ids).to(document);
        let entry = entry.with("name", found.title);
        let removed = self.store.remove(acting.workspace, document, &entry).await?;
        if removed { Ok(()) } else { Err(KnowledgeError::Unknown) }
    }

    async fn keep(
        &self,
        acting: Acting,
        id: DocumentId,
        read: ReadDocument,
        replaces: bool,
    ) -> Result<Document, KnowledgeError> {
        let ReadDocument { title, source, bytes, passages } = read;
        let at = self.deps.clock.now();
        let document = Document {
            id,
            title,
            source,
            bytes,
            passages: u32::try_from(passages.len()).map_err(|_| Unreadable::TooLong)?,
            changed_by: acting.actor.member(),
            changed_at: at,
        };
        let action = if replaces { Action::DocumentReplaced } else { Action::DocumentAdded };
        let entry = acting.does(action, at, &*self.deps.ids).to(id);
        let entry = entry.with("name", document.title.as_str()).with("bytes", document.bytes);
        let kept = self.store.keep(acting.workspace, &document, &passages, replaces, &entry).await?;
        match kept {
            Kept::Yes => Ok(document),
            Kept::NoRoomForDocument => Err(KnowledgeError::TooManyDocuments),
            Kept::NoRoomForPassages => Err(KnowledgeError::TooManyPassages),
            Kept::Unknown => Err(KnowledgeError::Unknown),
        }
    }
}

/// Returns the title, or the file's name without its end where that is blank.
fn title_of(title: &str, name: &str) -> Result<String, Unreadable> {
    let of = |text: &str| PlainText::read_whole(text, LONGEST_TITLE);
    let named = || of(name.rsplit_once('.').map_or(name, |(name, _)| name)).map(|(name, _)| (name, true));
    match of(title).or_else(named) {
        Some((title, true)) => Ok(title.as_str().to_owned()),
        Some((_, false)) | None => Err(Unreadable::Title),
    }
}
