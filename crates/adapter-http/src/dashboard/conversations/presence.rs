//! `/conversations/{id}/presence`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::MemberId,
    presence::{Doing, Present},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::missing::unknown;
use crate::{app::App, body, paging::id, problem::Problem, schema::values, session::SignedIn};

/// What one does in a conversation: `looking` at it, or `answering`.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Doing)]
enum DoingWord {
    Looking,
    Answering,
}

/// That one is there.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Here)]
pub(crate) struct HereBody {
    #[schema(inline)]
    doing: DoingWord,
}

/// A member who is in a conversation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Present)]
struct PresentRow {
    #[schema(value_type = values::Id)]
    member_id: MemberId,
    #[schema(inline)]
    doing: DoingWord,
    /// Until when they are shown, unless they say again that they are there.
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    until: OffsetDateTime,
}

/// Who is there besides oneself.
#[derive(Serialize, ToSchema)]
#[schema(as = Presence)]
pub(crate) struct PresenceBody {
    /// Other members, those who are answering first.
    rows: Vec<PresentRow>,
}

impl From<Vec<Present>> for PresenceBody {
    fn from(others: Vec<Present>) -> Self {
        let row = |Present { member, doing, until }| PresentRow {
            member_id: member,
            doing: match doing {
                Doing::Looking => DoingWord::Looking,
                Doing::Answering => DoingWord::Answering,
            },
            until,
        };
        Self { rows: others.into_iter().map(row).collect() }
    }
}

/// Who else of the team is in a conversation right now.
#[utoipa::path(
    get, path = "/dashboard/api/conversations/{id}/presence", tag = "Conversations", operation_id = "listPresent",
    params(("id" = values::Id, Path, description = "The conversation's id.")),
    responses((status = 200, description = "The others.", body = PresenceBody))
)]
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<PresenceBody>, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let found = app.run(move |app| async move { app.dashboard.presence.others(workspace, member, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

/// Notes that the member is in a conversation, for 40 seconds; a browser repeats it every 15. Other members
/// are told by the live feed (`presence.changed`) when somebody comes, leaves, or begins or ends to answer.
#[utoipa::path(
    put, path = "/dashboard/api/conversations/{id}/presence", tag = "Conversations", operation_id = "notePresence",
    params(("id" = values::Id, Path, description = "The conversation's id.")),
    request_body(content = HereBody, example = json!({ "doing": "answering" })),
    responses((status = 200, description = "The others.", body = PresenceBody))
)]
pub(crate) async fn note(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<PresenceBody>, Problem> {
    let HereBody { doing } = body::json(&request, payload).await?.fields;
    let doing = match doing {
        DoingWord::Looking => Doing::Looking,
        DoingWord::Answering => Doing::Answering,
    };
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let noted =
        app.run(move |app| async move { app.dashboard.presence.note(workspace, member, id, doing).await });
    Ok(Json(noted.await??.ok_or_else(unknown)?.into()))
}

/// Notes that the member has left a conversation. Nothing changes if they were not in it, or it is not there.
#[utoipa::path(
    delete, path = "/dashboard/api/conversations/{id}/presence", tag = "Conversations",
    operation_id = "endPresence",
    params(("id" = values::Id, Path, description = "The conversation's id.")),
    responses((status = 204, description = "One is not there."))
)]
pub(crate) async fn leave(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    app.run(move |app| async move { app.dashboard.presence.leave(workspace, member, id).await }).await??;
    Ok(HttpResponse::NoContent().finish())
}
