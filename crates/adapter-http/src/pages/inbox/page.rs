//! The list, with or without an open conversation.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{InboxPage, Section};
use domain::{
    ids::{ConversationId, MessageId},
    zone::Zone,
};
use time::Duration;

use super::{
    super::{answer, frame, refusal},
    found, list,
    query::{read_conversation, read_query},
    refused::RefusedAct,
    shown,
};
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

pub(in crate::pages) async fn list_conversations(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show(&app, &by, &request, None, RefusedAct::default()).await
}

pub(in crate::pages) async fn show_conversation(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = read_conversation(&request)?;
    show(&app, &by, &request, Some(id), RefusedAct::default()).await
}

/// Parses the page of the messages; a day is one of this zone.
fn read_page(parameters: &Parameters, zone: &Zone) -> Result<found::MessagePage, Problem> {
    let message: Option<MessageId> = parameters.read("at", |text| text.parse().ok(), "a UUID")?;
    let before = parameters.get("before")?;
    let end_of = |day: &str| zone.moment(&format!("{day}T00:00"))?.checked_add(Duration::DAY);
    let until = parameters.read("day", end_of, "a day such as 2026-11-28")?;
    Ok(match (message, before, until) {
        (Some(message), ..) => found::MessagePage::Message(message),
        (None, Some(cursor), _) => found::MessagePage::Before(cursor.to_owned()),
        (None, None, Some(at)) => found::MessagePage::Until(at),
        (None, None, None) => found::MessagePage::Newest,
    })
}

pub(super) async fn show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    open: Option<ConversationId>,
    refused: RefusedAct,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(request)?.filled();
    let query = read_query(&parameters)?;
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let words = frame.words();
    let status = refusal::status(refused.refused.as_ref());
    let team = found::team(app, by).await?;
    let found = match open {
        None => None,
        Some(id) => {
            let found =
                found::conversation(app, by, id, read_page(&parameters, &by.session.time_zone)?).await?;
            found::seen(app, by, &found).await?;
            Some(found)
        }
    };
    let mut list =
        list::of(app, by, &parameters, &query, &team, words, list::Around { request, open, several: None })
            .await?;
    // The page has one reason: that of the act.
    list.refused = list.refused.filter(|_| refused.refused.is_none());
    let insert = parameters.get("insert")?.map(str::to_owned);
    let refused = RefusedAct { insert, ..refused };
    let conversation = found.map(|found| shown::of(found, app, by, &query, &team, words, refused));
    answer::page(status, &InboxPage { frame: &frame, list, conversation })
}
