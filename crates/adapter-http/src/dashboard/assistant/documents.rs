//! `/assistant/documents`: what the assistant may cite.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::{DocumentId, MemberId},
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
    session::SignedIn,
};

/// A document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentBody {
    id: DocumentId,
    title: String,
    /// `text`, `markdown` or `page`.
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

/// The documents, by title.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<DocumentsBody>, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.assistant.knowledge.list(workspace).await });
    Ok(Json(DocumentsBody { rows: listed.await??.into_iter().map(DocumentBody::from).collect() }))
}

/// Adds a document.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let given = given(&request, payload).await?;
    let acting = by.acting();
    let added = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        assistant.after(assistant.knowledge.add(acting, given).await, acting).await
    });
    Ok(HttpResponse::Created().json(DocumentBody::from(added.await??)))
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
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<DocumentBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let given = given(&request, payload).await?;
    let acting = by.acting();
    let replaced = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        assistant.after(assistant.knowledge.replace(acting, id, given).await, acting).await
    });
    Ok(Json(replaced.await??.into()))
}

/// Removes a document.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (acting, id) = (by.acting(), id(&request).ok_or_else(unknown)?);
    let removed = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        assistant.after(assistant.knowledge.remove(acting, id).await, acting).await
    });
    removed.await??;
    Ok(HttpResponse::NoContent().finish())
}
