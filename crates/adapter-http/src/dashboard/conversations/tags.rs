//! `POST` and `DELETE /conversations/{id}/tags`, and `GET /tags`.

use actix_web::{
    HttpRequest,
    web::{Data, Json, Payload},
};
use domain::{
    conversations::TagError,
    tag::{InvalidTag, Tag},
};
use serde::{Deserialize, Serialize};

use super::{InboxBody, missing::unknown, show, tagged};
use crate::{
    app::App,
    body,
    paging::id,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// A tag.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TagBody {
    tag: Tag,
}

/// The tags that conversations have.
#[derive(Serialize)]
pub(crate) struct TagsBody {
    /// Each in one of its spellings, in the order of their letters.
    rows: Vec<String>,
}

/// The tags in use, 200 at most.
pub(crate) async fn in_use(app: Data<App>, by: SignedIn) -> Result<Json<TagsBody>, Problem> {
    let listed = app.run(move |app| async move { app.tag_conversation.in_use(by.session.workspace).await });
    Ok(Json(TagsBody { rows: listed.await?? }))
}

/// Tags a conversation; a tag that it has already, in whatever spelling, stays as it is.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<InboxBody>, Problem> {
    let TagBody { tag } = body::json(&request, payload).await?.fields;
    let id = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let shown = app.run(move |app| async move {
        app.tag_conversation.run_by(by.acting(), id, &tag).await?;
        show(&app, workspace, id).await.map_err(TagError::from)
    });
    Ok(Json(shown.await??.ok_or_else(unknown)?))
}

/// Takes a tag off a conversation; nothing happens where it does not have it.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<InboxBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let form = InvalidTag.to_string();
    let tag = parameters.read("tag", |text| Tag::read(text).ok(), &form)?;
    let tag = tag.ok_or_else(|| Problem::invalid("`tag` is missing"))?;
    let id = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let shown = app.run(move |app| async move {
        let Some(found) = app.get_conversation.run(workspace, id).await? else { return Ok(None) };
        app.tag_conversation.untag(by.acting(), found.id, &tag).await?;
        tagged(&app, workspace, found).await.map(Some)
    });
    Ok(Json(shown.await??.ok_or_else(unknown)?))
}

impl From<TagError> for Problem {
    fn from(error: TagError) -> Self {
        match error {
            TagError::NotFound => unknown(),
            TagError::TooMany => Self::dashboard(DashboardCode::TooManyTags, error.to_string()),
            TagError::Store(error) => error.into(),
        }
    }
}
