//! `POST /broadcasts/preview/skipped`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    broadcasts::{Audience, BroadcastContent, SampledPerson},
    paging::Cursors,
};
use serde::Serialize;

use super::wire::{SampledBody, WrittenBody};
use crate::{app::App, body, problem::Problem, query::Parameters, session::SignedIn};

/// Name that distinguishes the cursors of this list.
const LIST: &str = "broadcast-skipped";

/// Some of those who would be left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkippedBody {
    rows: Vec<SampledBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

/// Who would be left out of a broadcast, and why, person by person. Nothing is kept.
///
/// A page has those among the next 5,000 of the audience, about 100 at most; it may have nobody and a next
/// one.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SkippedBody>, Problem> {
    let cursor = Parameters::of(&request)?.get("cursor")?.map(str::to_owned);
    let written = body::json::<WrittenBody>(&request, payload).await?.fields.read()?;
    let (people, next_cursor) = page(&app, &by, written.content, written.audience, cursor).await?;
    Ok(Json(SkippedBody { rows: people.into_iter().map(SampledBody::from).collect(), next_cursor }))
}

/// Returns a page of those who would be left out, and the cursor of the next.
pub(crate) async fn page(
    app: &Data<App>,
    by: &SignedIn,
    content: BroadcastContent,
    audience: Audience,
    cursor: Option<String>,
) -> Result<(Vec<SampledPerson>, Option<String>), Problem> {
    let (workspace, region) = (by.session.workspace, by.session.region);
    let found = app.run(move |app| async move {
        let manage = &app.dashboard.broadcasts.manage;
        let cursors: &Cursors = &manage.cursors;
        let read = |cursor: &str| {
            let wrong = || Problem::invalid("`cursor` is none of this list".to_owned());
            cursors.read(workspace, LIST, cursor).map_err(|_| wrong())
        };
        let after = cursor.as_deref().map(read).transpose()?;
        let found = manage.preview.skipped(workspace, region, &content, &audience, after).await?;
        let next = found.next.map(|place| cursors.issue(workspace, LIST, place));
        Ok::<_, Problem>((found.people, next))
    });
    found.await?
}
