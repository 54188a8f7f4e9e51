//! `/assistant/documents`: what the assistant may cite.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    audit::Acting,
    ids::{DocumentId, MemberId, WorkspaceId},
    knowledge::{Document, GivenDocument, KnowledgeError, LARGEST_DOCUMENT, Passage},
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::{SignedIn, slots::Slots},
};

/// A document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentBody {
    id: DocumentId,
    title: String,
    /// `text`, `markdown`, `page` or `pdf`.
    source: &'static str,
    /// Its size as it was brought.
    bytes: u32,
    /// The number of its passages.
    passages: u32,
    /// Who brought it, or its present text; null for an operator.
    changed_by: Option<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    changed_at: OffsetDateTime,
}

impl From<Document> for DocumentBody {
    fn from(document: Document) -> Self {
        let Document { id, title, source, bytes, passages, changed_by, changed_at } = document;
        Self { id, title, source: source.as_str(), bytes, passages, changed_by, changed_at }
    }
}

/// The documents.
#[derive(Serialize)]
pub(crate) struct DocumentsBody {
    rows: Vec<DocumentBody>,
}

/// A passage that may be cited.
#[derive(Serialize)]
pub(crate) struct PassageBody {
    /// Its place in the document, from 1.
    number: u32,
    /// The headings above it.
    heading: String,
    sentences: Vec<String>,
}

/// A document with its text.
#[derive(Serialize)]
pub(crate) struct ReadDocumentBody {
    document: DocumentBody,
    rows: Vec<PassageBody>,
}

fn unknown() -> Problem {
    not_found("document")
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

/// Reads a document: its bytes are the body, its title and the name of its file the query.
async fn given(request: &HttpRequest, payload: Payload) -> Result<GivenDocument, Problem> {
    let parameters = Parameters::of(request)?;
    let text = |name| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    let (title, name) = (text("title")?, text("name")?);
    let bytes = body::bytes(request, payload, LARGEST_DOCUMENT).await?.to_vec();
    Ok(GivenDocument { title, name, bytes })
}

/// Documents that are being read in this process, one of each workspace.
pub(crate) struct RunningReadings(Slots<WorkspaceId>);

impl Default for RunningReadings {
    fn default() -> Self {
        Self(Slots::of(1))
    }
}

/// Keeps a document, in place of the one with this id if there is one, and has the owner's questions asked
/// again. It is read on a thread of its own, behind the workspace's others.
pub(crate) async fn keep(
    app: &Data<App>,
    running: &Data<RunningReadings>,
    (acting, in_place_of): (Acting, Option<DocumentId>),
    given: GivenDocument,
) -> Result<Result<Document, KnowledgeError>, Problem> {
    let slot = running.0.take(acting.workspace).await;
    let reading = app.run_blocking(move |app| {
        let read = given.read(&*app.dashboard.assistant.knowledge.pdfs);
        drop(slot);
        read
    });
    let document = match reading.await? {
        Ok(document) => document,
        Err(error) => return Ok(Err(error)),
    };
    app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let kept = match in_place_of {
            None => assistant.knowledge.add(acting, document).await,
            Some(id) => assistant.knowledge.replace(acting, id, document).await,
        };
        assistant.after(kept, acting).await
    })
    .await
}

/// Removes a document, and has the owner's questions asked again.
pub(crate) async fn forget(
    app: &Data<App>,
    acting: Acting,
    id: DocumentId,
) -> Result<Result<(), KnowledgeError>, Problem> {
    app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        assistant.after(assistant.knowledge.remove(acting, id).await, acting).await
    })
    .await
}

/// The documents, by title.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<DocumentsBody>, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.assistant.knowledge.list(workspace).await });
    Ok(Json(DocumentsBody { rows: listed.await??.into_iter().map(DocumentBody::from).collect() }))
}

/// Adds a document.
pub(crate) async fn add(
    app: Data<App>,
    running: Data<RunningReadings>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let given = given(&request, payload).await?;
    let added = keep(&app, &running, (by.acting(), None), given).await??;
    Ok(HttpResponse::Created().json(DocumentBody::from(added)))
}

/// A document and its passages.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<ReadDocumentBody>, Problem> {
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.assistant.knowledge.get(workspace, id).await });
    let (document, passages) = found.await??;
    let passage = |(number, Passage { heading, sentences })| PassageBody { number, heading, sentences };
    Ok(Json(ReadDocumentBody { document: document.into(), rows: (1..).zip(passages).map(passage).collect() }))
}

/// Replaces a document as a whole.
pub(crate) async fn replace(
    app: Data<App>,
    running: Data<RunningReadings>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<DocumentBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let given = given(&request, payload).await?;
    Ok(Json(keep(&app, &running, (by.acting(), Some(id)), given).await??.into()))
}

/// Removes a document.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    forget(&app, by.acting(), id(&request).ok_or_else(unknown)?).await??;
    Ok(HttpResponse::NoContent().finish())
}
