//! `/dashboard/messages`: searching messages by their words, in all conversations or in one.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use dashboard_pages::{MatchRow, SearchPage, Section, Words};
use domain::{ids::ConversationId, messages::MessageMatch};
use url::form_urlencoded::Serializer;

use super::{
    super::{answer::page, frame, refusal},
    query::unknown,
};
use crate::{
    app::App, dashboard::messages::search::search_page, problem::Problem, query::Parameters,
    session::SignedIn,
};

const PATH: &str = "/dashboard/messages";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Inbox).await?;
    let parameters = Parameters::of(&request)?.filled();
    let search = parameters.get("search")?.unwrap_or_default().to_owned();
    let within = parameters.get("conversationId")?;
    let within: Option<ConversationId> = within.map(|id| id.parse().map_err(|_| unknown())).transpose()?;
    let (mut status, mut matches, mut earlier, mut refused) = (StatusCode::OK, None, None, None);
    if !search.is_empty() {
        match search_page(&app, &by, &parameters, "search", within).await {
            Ok(found) => {
                let found = found.ok_or_else(unknown)?;
                earlier = found.next.map(|next| link(&search, within, Some(&next)));
                matches = Some(found.rows.into_iter().map(|found| row(found, frame.words())).collect());
            }
            Err(problem) => {
                status = StatusCode::UNPROCESSABLE_ENTITY;
                let words = frame.words();
                refused = Some(refusal::of_only(&request, problem, ("search", words.wrong.words), words)?);
            }
        }
    }
    let everywhere = link(&search, None, None);
    let within = within.map(|id| id.to_string());
    page(status, &SearchPage { frame: &frame, search, within, everywhere, matches, earlier, refused })
}

fn link(search: &str, within: Option<ConversationId>, cursor: Option<&str>) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("search", search);
    if let Some(within) = within {
        query.append_pair("conversationId", &within.to_string());
    }
    query.extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
    format!("{PATH}?{}", query.finish())
}

fn row(found: MessageMatch, words: &Words) -> MatchRow {
    let query = Serializer::new(String::new()).append_pair("before", &found.from_here).finish();
    let phone = found.phone.map(|phone| phone.as_str().to_owned());
    MatchRow {
        href: format!("/dashboard/inbox/{}?{query}#message-{}", found.conversation, found.id),
        name: found.name.or(phone).unwrap_or_else(|| words.inbox.nameless.to_owned()),
        channel: found.channel,
        role: found.role,
        snippet: found.snippet.into_iter().map(|part| (part.text, part.is_match)).collect(),
        at: found.created_at.into(),
    }
}
