//! `/broadcasts`: approved templates sent to many people.

pub(crate) mod export;
pub(crate) mod marketing;
pub(crate) mod people;
pub(crate) mod skipped;
pub(crate) mod state;
pub(crate) mod wire;

use std::collections::{BTreeSet, HashMap};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    broadcasts::BroadcastError,
    errors::StoreError,
    ids::{BroadcastId, WorkspaceId},
    messages::ListedMessage,
    paging::Page,
};
use serde::Serialize;

use self::wire::{BroadcastBody, FollowedBody, PreviewBody, WrittenBody};
use crate::{
    app::App,
    body,
    paging::{id, not_found, read_page},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// A page of broadcasts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BroadcastsBody {
    rows: Vec<BroadcastBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

/// Returns the names of the broadcasts that sent these messages.
pub(crate) async fn of_messages(
    app: &App,
    workspace: WorkspaceId,
    messages: &[ListedMessage],
) -> Result<HashMap<BroadcastId, String>, StoreError> {
    let references = messages.iter().filter_map(|row| row.message.meta.as_ref()?.reference.as_deref());
    let ids: BTreeSet<BroadcastId> = references.filter_map(|reference| reference.parse().ok()).collect();
    let ids: Vec<BroadcastId> = ids.into_iter().collect();
    app.dashboard.broadcasts.manage.names(workspace, &ids).await
}

fn unknown() -> Problem {
    not_found("broadcast")
}

impl From<BroadcastError> for Problem {
    fn from(error: BroadcastError) -> Self {
        let message = error.to_string();
        match error {
            BroadcastError::Name | BroadcastError::Content(_) | BroadcastError::Audience(_) => {
                Self::invalid(message)
            }
            BroadcastError::CodeTemplate => Self::dashboard(DashboardCode::BroadcastOfCodes, message),
            BroadcastError::Refused(refusal) => refusal.into(),
            BroadcastError::Nobody => Self::dashboard(DashboardCode::BroadcastToNobody, message),
            BroadcastError::State(_) => Self::dashboard(DashboardCode::BroadcastState, message),
            BroadcastError::TooMany => Self::dashboard(DashboardCode::TooManyBroadcasts, message),
            BroadcastError::Unknown => unknown(),
            BroadcastError::Store(error) => error.into(),
        }
    }
}

/// The broadcasts, newest first.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<BroadcastsBody>, Problem> {
    let page = read_page(&Parameters::of(&request)?)?;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.dashboard.broadcasts.manage.list(workspace, &page).await });
    let Page { rows, next, .. } = listed.await??;
    Ok(Json(BroadcastsBody { rows: rows.into_iter().map(BroadcastBody::from).collect(), next_cursor: next }))
}

/// Writes a draft of a broadcast. Nobody is written to before it is started.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written = body::json::<WrittenBody>(&request, payload).await?.fields.read()?;
    let (acting, author, region) = (by.acting(), by.session.member, by.session.region);
    let added = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.add(acting, author, region, written).await
    });
    Ok(HttpResponse::Created().json(BroadcastBody::from(added.await??)))
}

/// Whom a broadcast would go to now, what ten of them would get, and what speaks against it. Nothing is kept.
pub(crate) async fn preview(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<PreviewBody>, Problem> {
    let written = body::json::<WrittenBody>(&request, payload).await?.fields.read()?;
    let (workspace, region) = (by.session.workspace, by.session.region);
    let previewed = app.run(move |app| async move {
        let preview = &app.dashboard.broadcasts.manage.preview;
        preview.run(workspace, region, &written.content, &written.audience).await
    });
    Ok(Json(previewed.await??.into()))
}

/// A broadcast, and how far it is.
pub(crate) async fn get(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<FollowedBody>, Problem> {
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.broadcasts.manage.get(workspace, id).await });
    Ok(Json(FollowedBody::at(app.clock.now(), found.await??)))
}

/// Replaces a draft.
pub(crate) async fn replace(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<BroadcastBody>, Problem> {
    let written = body::json::<WrittenBody>(&request, payload).await?.fields.read()?;
    let id = id(&request).ok_or_else(unknown)?;
    let (acting, region) = (by.acting(), by.session.region);
    let replaced =
        app.run(
            move |app| async move { app.dashboard.broadcasts.manage.edit(acting, region, id, written).await },
        );
    Ok(Json(replaced.await??.into()))
}

/// Removes a draft.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (acting, id) = (by.acting(), id(&request).ok_or_else(unknown)?);
    let removed = app.run(move |app| async move { app.dashboard.broadcasts.manage.remove(acting, id).await });
    removed.await??;
    Ok(HttpResponse::NoContent().finish())
}
