//! What a request names: a conversation, and the list that it was opened from.

use dashboard_pages::InboxQuery;
use domain::ids::ConversationId;

use super::super::act::Call;
use crate::{paging::not_found, problem::Problem, query::Parameters};

pub(super) fn unknown() -> Problem {
    not_found("conversation")
}

/// Parses the id of the conversation in the path.
pub(super) fn conversation(call: &Call) -> Result<ConversationId, Problem> {
    call.id(unknown)
}

/// Returns the path of the conversation's page, in the list that it was opened from.
pub(super) fn path_of(call: &Call, conversation: ConversationId) -> Result<String, Problem> {
    Ok(read_query(&Parameters::of(&call.request)?)?.conversation(&conversation.to_string()))
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
