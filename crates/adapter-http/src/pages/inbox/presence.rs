//! `/conversations/{id}/presence`.

use actix_web::{HttpResponse, web::Payload};
use domain::{
    ids::MemberId,
    presence::{Doing, Present},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::act::{self, Answer, Call},
    query::{conversation, unknown},
};

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
struct HereBody {
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
struct PresenceBody {
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
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let (workspace, member, id) = (call.workspace(), call.by.session.member, conversation(&call)?);
    let found =
        call.run(move |app| async move { app.dashboard.presence.others(workspace, member, id).await });
    act::ok(&PresenceBody::from(found.await?.ok_or_else(unknown)?))
}

/// Notes that the member is in a conversation, for 40 seconds; a browser repeats it every 15. Other members
/// are told by the live feed (`presence.changed`) when somebody comes, leaves, or begins or ends to answer.
pub(in crate::pages) async fn note(call: Call, payload: Payload) -> Answer {
    let HereBody { doing } = call.json(payload).await?;
    let doing = match doing {
        DoingWord::Looking => Doing::Looking,
        DoingWord::Answering => Doing::Answering,
    };
    let (workspace, member, id) = (call.workspace(), call.by.session.member, conversation(&call)?);
    let noted =
        call.run(move |app| async move { app.dashboard.presence.note(workspace, member, id, doing).await });
    act::ok(&PresenceBody::from(noted.await?.ok_or_else(unknown)?))
}

/// Notes that the member has left a conversation. Nothing changes if they were not in it, or it is not there.
pub(in crate::pages) async fn leave(call: Call) -> Answer {
    let (workspace, member, id) = (call.workspace(), call.by.session.member, conversation(&call)?);
    call.run(move |app| async move { app.dashboard.presence.leave(workspace, member, id).await }).await?;
    Ok(HttpResponse::NoContent().finish())
}
