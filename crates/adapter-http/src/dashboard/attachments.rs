//! `POST /attachments`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_TYPE,
    web::{Data, Payload},
};
use domain::{
    attachments::{AttachmentKind, BroughtFile, StoredAttachment, UploadError},
    ids::UploadId,
};
use futures_util::future;
use serde::Serialize;

use crate::{
    app::App,
    body,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// Largest upload in bytes (docs/run/networks.md, "Files and captions").
const LIMIT: usize = 100 * 1024 * 1024;

/// A file that waits to be sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadBody {
    /// What a reply names it by.
    id: UploadId,
    /// `image`, `video`, `audio` or `document`.
    kind: AttachmentKind,
    /// What it is, by its first bytes.
    content_type: &'static str,
    bytes: u64,
    title: Option<String>,
}

/// Takes a file in, to be sent by a reply within a day by whoever uploaded it, once. The body is the file
/// itself. What it is, its first bytes say; a header `Content-Type` is believed only of texts and documents
/// that have none. After half a minute it has to come at 32 KiB a second, all in all.
pub(crate) async fn upload(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let name = Parameters::of(&request)?.get("name")?.map(str::to_owned);
    let declared = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let declared = declared.map(str::to_owned);
    let (workspace, member) = (by.session.workspace, by.session.member);
    let (into, piped) = body::piped();
    let announced = body::announced(&request);
    let file = BroughtFile { declared, name, announced, bytes: piped.stream() };
    let taking =
        app.run(move |app| async move { app.dashboard.take_upload.run(workspace, member, file).await });
    let (arrived, taken) = future::join(body::feed(&request, payload, LIMIT, into), taking).await;
    arrived?;
    let (id, StoredAttachment { kind, content_type, bytes, title, .. }) = taken??;
    let content_type = content_type.as_str();
    Ok(HttpResponse::Created().json(UploadBody { id, kind, content_type, bytes, title }))
}

impl From<UploadError> for Problem {
    fn from(error: UploadError) -> Self {
        let message = error.to_string();
        match error {
            UploadError::Empty | UploadError::Name => Self::invalid(message),
            UploadError::Type => Self::dashboard(DashboardCode::AttachmentType, message),
            UploadError::TooLarge { most_bytes } => {
                Self::dashboard(DashboardCode::AttachmentTooLarge, message)
                    .with_detail("mostBytes", most_bytes)
            }
            UploadError::TooMany => Self::dashboard(DashboardCode::TooManyAttachments, message),
            UploadError::TooManyBytes => Self::dashboard(DashboardCode::TooManyAttachmentBytes, message),
            UploadError::Media(error) => Self::unavailable(error.to_string()),
            UploadError::Store(error) => error.into(),
        }
    }
}
