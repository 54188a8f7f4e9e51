//! `/dashboard/settings/assistant/documents`: what the assistant may cite.

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{
    DocumentPage, DocumentRow, DocumentsPage, EvidenceRow, Frame, PassageRow, Refused, Section,
};
use domain::{
    ids::{DocumentId, WorkspaceId},
    knowledge::{Document, GivenDocument, KnowledgeError, LARGEST_DOCUMENT, Passage, Unreadable},
    text::is_blank,
};

use super::super::{
    answer::{page, see_other},
    frame,
    refusal::{self, WrongField},
    upload::Upload,
};
use crate::{
    app::App,
    dashboard::assistant::documents::{RunningReadings, forget, keep},
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

/// Path of the list, below which each document has its own.
pub(super) const PATH: &str = "/dashboard/settings/assistant/documents";

/// Title and text of a form that was refused.
type Typed = (String, String);

pub(in crate::pages) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show_list(&app, &by, &request, Typed::default(), None).await
}

async fn show_list(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    draft: Typed,
    not_kept: Option<NotKept>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Assistant).await?;
    let documents = documents(app, by.session.workspace).await?.into_iter().map(row).collect();
    let refused = not_kept.map(|not_kept| not_kept.refused(request, &frame)).transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &DocumentsPage { frame: &frame, documents, draft, refused })
}

/// Lists the documents.
pub(super) async fn documents(app: &Data<App>, workspace: WorkspaceId) -> Result<Vec<Document>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.assistant.knowledge.list(workspace).await });
    Ok(listed.await??)
}

/// Titles of the documents, by their ids.
pub(super) struct Titles(HashMap<String, String>);

impl Titles {
    /// Loads them, if any of what turns referred to is a passage.
    pub(super) async fn of<'a>(
        app: &Data<App>,
        workspace: WorkspaceId,
        mut references: impl Iterator<Item = &'a String>,
    ) -> Result<Self, Problem> {
        if !references.any(|reference| reference.starts_with("passage:")) {
            return Ok(Self(HashMap::new()));
        }
        let all = documents(app, workspace).await?.into_iter();
        Ok(Self(all.map(|document| (document.id.to_string(), document.title)).collect()))
    }

    /// Shows what a turn referred to.
    pub(super) fn rows(&self, frame: &Frame, references: &[String]) -> Vec<EvidenceRow> {
        let words = &frame.words().assistant;
        let row = |of: &String| EvidenceRow::of(words, of, |id| self.0.get(id).cloned());
        references.iter().map(row).collect()
    }
}

fn row(document: Document) -> DocumentRow {
    DocumentRow {
        id: document.id.to_string(),
        title: document.title,
        source: document.source,
        bytes: document.bytes,
        passages: document.passages,
        changed_at: document.changed_at.into(),
    }
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: DocumentId = id(&request).ok_or_else(|| not_found("document"))?;
    show_document(&app, &by, &request, id, Typed::default(), None).await
}

async fn show_document(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    id: DocumentId,
    draft: Typed,
    not_kept: Option<NotKept>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Assistant).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.assistant.knowledge.get(workspace, id).await });
    let (document, passages) = found.await??;
    let passage = |(number, Passage { heading, sentences })| PassageRow { number, heading, sentences };
    let refused = not_kept.map(|not_kept| not_kept.refused(request, &frame)).transpose()?;
    let status = refusal::status(refused.as_ref());
    let passages = (1..).zip(passages).map(passage).collect();
    page(status, &DocumentPage { frame: &frame, document: row(document), passages, draft, refused })
}

/// Adds a document.
pub(in crate::pages) async fn add(
    app: Data<App>,
    running: Data<RunningReadings>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (upload, draft) = match read(&request, payload).await {
        Ok(read) => read,
        Err(problem) => return show_list(&app, &by, &request, Typed::default(), Some(problem.into())).await,
    };
    let given = match given(&upload) {
        Ok(given) => given,
        Err(not_kept) => return show_list(&app, &by, &request, draft, Some(not_kept)).await,
    };
    match keep(&app, &running, (by.acting(), None), given).await? {
        Ok(document) => Ok(see_other(&format!("{PATH}/{}", document.id))),
        Err(error) => show_list(&app, &by, &request, draft, Some(error.into())).await,
    }
}

/// Replaces or removes a document.
pub(in crate::pages) async fn change(
    app: Data<App>,
    running: Data<RunningReadings>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: DocumentId = id(&request).ok_or_else(|| not_found("document"))?;
    let (upload, draft) = match read(&request, payload).await {
        Ok(read) => read,
        Err(problem) => {
            return show_document(&app, &by, &request, id, Typed::default(), Some(problem.into())).await;
        }
    };
    if upload.text("do")? == "remove" {
        forget(&app, by.acting(), id).await??;
        return Ok(see_other(PATH));
    }
    let given = match given(&upload) {
        Ok(given) => given,
        Err(not_kept) => return show_document(&app, &by, &request, id, draft, Some(not_kept)).await,
    };
    match keep(&app, &running, (by.acting(), Some(id)), given).await? {
        Ok(document) => Ok(see_other(&format!("{PATH}/{}", document.id))),
        Err(error) => show_document(&app, &by, &request, id, draft, Some(error.into())).await,
    }
}

/// Reads the form, with what was typed into it.
async fn read(request: &HttpRequest, payload: Payload) -> Result<(Upload, Typed), Problem> {
    // A file a little too large is refused in words, like what else is wrong with it.
    let upload = Upload::of(request, payload, 2 * LARGEST_DOCUMENT).await?;
    let typed = (upload.text("title")?, upload.text("text")?);
    Ok((upload, typed))
}

/// Returns the chosen file, or else the pasted text.
fn given(upload: &Upload) -> Result<GivenDocument, NotKept> {
    let (title, text) = (upload.text("title")?, upload.text("text")?);
    match upload.file("file") {
        Some(_) if !is_blank(&text) => Err(NotKept::Twice),
        Some((name, bytes)) => Ok(GivenDocument { title, name: name.to_owned(), bytes: bytes.to_vec() }),
        None => Ok(GivenDocument { title, name: String::new(), bytes: text.into_bytes() }),
    }
}

/// Reason a form was refused: of its document, or of the form itself.
enum NotKept {
    Document(KnowledgeError),
    /// A file and a pasted text.
    Twice,
    Form(Problem),
}

impl From<KnowledgeError> for NotKept {
    fn from(error: KnowledgeError) -> Self {
        Self::Document(error)
    }
}

impl From<Problem> for NotKept {
    fn from(problem: Problem) -> Self {
        Self::Form(problem)
    }
}

impl NotKept {
    /// Returns the refusal in the reader's language.
    fn refused(self, request: &HttpRequest, frame: &Frame) -> Result<Refused, Problem> {
        let words = frame.words();
        let at = |field: &str, because| Ok(WrongField::new(field, because).refused(request));
        match self {
            Self::Document(KnowledgeError::Invalid(error)) => {
                let field = if error == Unreadable::Title { "title" } else { "file" };
                at(field, words.assistant.unreadable(error))
            }
            Self::Document(KnowledgeError::TooManyPassages) => {
                Ok(refusal::because(request, words.assistant.too_many_passages))
            }
            Self::Document(error) => refusal::of_form(request, error.into(), words),
            Self::Twice => at("text", words.assistant.document_twice),
            Self::Form(problem) if problem.code().is_none() && is_too_large(&problem) => {
                at("file", words.assistant.unreadable(Unreadable::TooLarge))
            }
            Self::Form(problem) => refusal::of_form(request, problem, words),
        }
    }
}

fn is_too_large(problem: &Problem) -> bool {
    problem.status_code() == StatusCode::PAYLOAD_TOO_LARGE
}
