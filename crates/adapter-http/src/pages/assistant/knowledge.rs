//! `/assistant/documents`, in the browser `/dashboard/settings/assistant/documents`: what the assistant may
//! cite.

use std::collections::HashMap;

use actix_web::{
    HttpRequest, ResponseError,
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

use serde::Serialize;

use super::super::{
    act::{self, Answer, Call, Rows},
    answer::{page, see_other},
    refusal::{self, WrongField},
    upload::Upload,
};
use crate::{
    app::App,
    body,
    paging::not_found,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::slots::Slots,
};

/// Path of the list, below which each document has its own.
pub(super) const PATH: &str = "/dashboard/settings/assistant/documents";

/// Title and text of a form that was refused.
type Typed = (String, String);

/// A document with its text.
#[derive(Serialize)]
struct ReadDocument {
    document: DocumentRow,
    rows: Vec<PassageRow>,
}

/// Documents that are being read in this process, one of each workspace.
pub(crate) struct RunningReadings(Slots<WorkspaceId>);

impl Default for RunningReadings {
    fn default() -> Self {
        Self(Slots::of(1))
    }
}

fn unknown() -> Problem {
    not_found("document")
}

/// The documents, by title.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    show_list(&call, Typed::default(), None).await
}

async fn show_list(call: &Call, draft: Typed, not_kept: Option<NotKept>) -> Answer {
    let documents = documents(&call.app, call.workspace()).await?.into_iter().map(row).collect();
    if call.is_of_api() {
        return act::ok(&Rows { rows: documents });
    }
    let frame = call.frame(Section::Assistant).await?;
    let refused = not_kept.map(|not_kept| not_kept.refused(&call.request, &frame)).transpose()?;
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
    let Document { id, title, source, bytes, passages, changed_by, changed_at } = document;
    DocumentRow { id, title, source, bytes, passages, changed_by, changed_at: changed_at.into() }
}

/// A document and its passages.
pub(in crate::pages) async fn show(call: Call) -> Answer {
    show_document(&call, call.id(unknown)?, Typed::default(), None).await
}

async fn show_document(call: &Call, id: DocumentId, draft: Typed, not_kept: Option<NotKept>) -> Answer {
    let workspace = call.workspace();
    let found =
        call.run(move |app| async move { app.dashboard.assistant.knowledge.get(workspace, id).await });
    let (document, passages) = found.await?;
    let passage = |(number, Passage { heading, sentences })| PassageRow { number, heading, sentences };
    let (document, passages) = (row(document), (1..).zip(passages).map(passage).collect());
    if call.is_of_api() {
        return act::ok(&ReadDocument { document, rows: passages });
    }
    let frame = call.frame(Section::Assistant).await?;
    let refused = not_kept.map(|not_kept| not_kept.refused(&call.request, &frame)).transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &DocumentPage { frame: &frame, document, passages, draft, refused })
}

/// Adds a document, or replaces the one in the path; by a form, removes it.
pub(in crate::pages) async fn change(call: Call, running: Data<RunningReadings>, payload: Payload) -> Answer {
    let has_id = call.request.match_info().get("id").is_some();
    let of: Option<DocumentId> = has_id.then(|| call.id(unknown)).transpose()?;
    let (given, draft) = if call.is_of_api() {
        (brought(&call.request, payload).await?, Typed::default())
    } else {
        match read(&call.request, payload).await {
            Err(problem) => return again(&call, of, Typed::default(), problem.into()).await,
            Ok(_) if call.removes() => return remove(call).await,
            Ok((upload, draft)) => match given(&upload) {
                Ok(given) => (given, draft),
                Err(not_kept) => return again(&call, of, draft, not_kept).await,
            },
        }
    };
    match keep(&call, &running, of, given).await? {
        Ok(document) if !call.is_of_api() => Ok(see_other(&format!("{PATH}/{}", document.id))),
        Ok(document) if of.is_some() => act::ok(&row(document)),
        Ok(document) => act::created(&row(document)),
        Err(error) if call.is_of_api() => Err(error.into()),
        Err(error) => again(&call, of, draft, error.into()).await,
    }
}

/// Shows a form that was refused.
async fn again(call: &Call, of: Option<DocumentId>, draft: Typed, not_kept: NotKept) -> Answer {
    match of {
        Some(id) => show_document(call, id, draft, Some(not_kept)).await,
        None => show_list(call, draft, Some(not_kept)).await,
    }
}

/// Keeps a document, in place of the one with this id if there is one, and has the owner's questions asked
/// again. It is read on a thread of its own, behind the workspace's others.
async fn keep(
    call: &Call,
    running: &Data<RunningReadings>,
    in_place_of: Option<DocumentId>,
    given: GivenDocument,
) -> Result<Result<Document, KnowledgeError>, Problem> {
    let acting = call.acting();
    let slot = running.0.take(acting.workspace).await;
    let reading = call.app.run_blocking(move |app| {
        let read = given.read(&*app.dashboard.assistant.knowledge.pdfs);
        drop(slot);
        read
    });
    let document = match reading.await? {
        Ok(document) => document,
        Err(error) => return Ok(Err(error)),
    };
    let kept = call.app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let kept = match in_place_of {
            None => assistant.knowledge.add(acting, document).await,
            Some(id) => assistant.knowledge.replace(acting, id, document).await,
        };
        assistant.after(kept, acting).await
    });
    kept.await
}

/// Removes a document, and has the owner's questions asked again.
pub(in crate::pages) async fn remove(call: Call) -> Answer {
    let (acting, id): (_, DocumentId) = (call.acting(), call.id(unknown)?);
    let removed = call.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        assistant.after(assistant.knowledge.remove(acting, id).await, acting).await
    });
    removed.await?;
    Ok(call.done(PATH))
}

/// Reads a document that the API is given: its bytes are the body, its title and the name of its file the
/// query.
async fn brought(request: &HttpRequest, payload: Payload) -> Result<GivenDocument, Problem> {
    let parameters = Parameters::of(request)?;
    let text = |name| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let (title, name) = (text("title")?, text("name")?);
    let bytes = body::bytes(request, payload, LARGEST_DOCUMENT).await?.to_vec();
    Ok(GivenDocument { title, name, bytes })
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

impl From<KnowledgeError> for Problem {
    fn from(error: KnowledgeError) -> Self {
        let message = error.to_string();
        match error {
            KnowledgeError::Invalid(_) => Self::invalid(message),
            KnowledgeError::TooManyDocuments | KnowledgeError::TooManyPassages => {
                Self::dashboard(DashboardCode::TooManyDocuments, message)
            }
            KnowledgeError::Unknown => unknown(),
            KnowledgeError::Store(error) => error.into(),
        }
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
