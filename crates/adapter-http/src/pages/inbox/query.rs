//! What a request names: a conversation, and the list that it was opened from.

use actix_web::HttpRequest;
use dashboard_pages::InboxQuery;
use domain::ids::ConversationId;

use crate::{
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
};

pub(super) fn unknown() -> Problem {
    not_found("conversation")
}

pub(super) fn read_conversation(request: &HttpRequest) -> Result<ConversationId, Problem> {
    id(request).ok_or_else(unknown)
}

/// Reads the list's query, unparsed.
pub(super) fn read_query(parameters: &Parameters) -> Result<InboxQuery, Problem> {
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default().to_owned());
    Ok(InboxQuery {
        view: text("view")?,
        group: text("groupId")?,
        member: text("memberId")?,
        status: text("status")?,
        channel: text("channel")?,
        tag: text("tag")?,
        search: text("search")?,
        order: text("order")?,
        cursor: text("cursor")?,
    })
}
