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

use super::missing::unknown;
use crate::{app::App, body, paging::id, problem::Problem, session::SignedIn};

/// What one does in a conversation: `looking` at it, or `answering`.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum DoingWord {
    Looking,
    Answering,
}

/// That one is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HereBody {
    doing: DoingWord,
}

/// A member who is in a conversation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PresentRow {
    member_id: MemberId,
    doing: DoingWord,
    /// Until when they are shown, unless they say again that they are there.
    #[serde(with = "domain::clock::timestamp")]
    until: OffsetDateTime,
}

/// Who is there besides oneself.
#[derive(Serialize)]
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
