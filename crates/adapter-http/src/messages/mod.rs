//! `GET /v1/conversations/{id}/messages`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{access::Scope, messages::MessageBody};
use serde::Serialize;

use crate::{
    App,
    access::permitted,
    paging::{asked, id, not_found},
    problem::Problem,
    query::Parameters,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessagesBody {
    data: Vec<MessageBody>,
    next_cursor: Option<String>,
}

/// The messages of a conversation, newest first.
pub(crate) async fn list(app: Data<App>, request: HttpRequest) -> Result<Json<MessagesBody>, Problem> {
    let caller = permitted(&request, Scope::ConversationsRead)?;
    let asked = asked(&Parameters::of(&request)?)?;
    let unknown = || not_found("conversation");
    let id = id(&request).ok_or_else(unknown)?;
    let listed = app.run(move |app| async move { app.list_messages.run(caller.workspace, id, &asked).await });
    let page = listed.await??.ok_or_else(unknown)?;
    let data = page.rows.into_iter().map(MessageBody::answer).collect();
    Ok(Json(MessagesBody { data, next_cursor: page.next }))
}
