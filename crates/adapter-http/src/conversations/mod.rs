//! `GET /v1/conversations` and `GET /v1/conversations/{id}`.

mod wire;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::Scope,
    conversations::{ConversationFilter, ConversationStatus, read_since},
};
use serde::Serialize;

use crate::{
    App,
    access::permitted,
    paging::{asked, id, not_found},
    problem::Problem,
    query::Parameters,
};
use wire::ConversationBody;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationsBody {
    data: Vec<ConversationBody>,
    next_cursor: Option<String>,
}

/// The workspace's conversations, newest first.
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<ConversationsBody>, Problem> {
    let caller = permitted(&request, Scope::ConversationsRead)?;
    let parameters = Parameters::of(&request)?;
    let (filter, asked) = (filter(&parameters)?, asked(&parameters)?);
    let listed =
        app.run(move |app| async move { app.list_conversations.run(caller.workspace, filter, &asked).await });
    let page = listed.await??;
    let data = page.rows.into_iter().map(ConversationBody::from).collect();
    Ok(Json(ConversationsBody { data, next_cursor: page.next }))
}

/// One conversation.
pub(crate) async fn get(app: Data<App>, request: HttpRequest) -> Result<Json<ConversationBody>, Problem> {
    let caller = permitted(&request, Scope::ConversationsRead)?;
    let unknown = || not_found("conversation");
    let id = id(&request).ok_or_else(unknown)?;
    let found = app.run(move |app| async move { app.get_conversation.run(caller.workspace, id).await });
    Ok(Json(found.await??.ok_or_else(unknown)?.into()))
}

fn filter(parameters: &Parameters) -> Result<ConversationFilter, Problem> {
    let statuses = ConversationStatus::ALL.map(ConversationStatus::as_str);
    let moment = "a date or a date and time, such as 2026-11-21 or 2026-11-21T10:00:00Z, with `+` as %2B";
    Ok(ConversationFilter {
        status: parameters.word("status", ConversationStatus::read, &statuses)?,
        contact: parameters.read("contactId", |text| text.parse().ok(), "a UUID")?,
        group: parameters.read("groupId", |text| text.parse().ok(), "a UUID")?,
        since: parameters.read("since", read_since, moment)?,
    })
}
