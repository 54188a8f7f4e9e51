//! `/dashboard/inbox`: the list of conversations, and one of them beside it.

pub(super) mod acts;
pub(super) mod canned;
pub(super) mod found;
mod list;
pub(super) mod notes;
pub(super) mod proposals;
pub(super) mod search;
pub(super) mod several;
mod shown;
pub(super) mod templates;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use dashboard_pages::{InboxPage, InboxQuery, Outcome, Section};
use domain::ids::{ConversationId, MemberId, MessageId};

use super::{answer, frame};
use crate::{
    App,
    dashboard::SignedIn,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
};

fn unknown() -> Problem {
    not_found("conversation")
}

fn named(request: &HttpRequest) -> Result<ConversationId, Problem> {
    id(request).ok_or_else(unknown)
}

/// Reads the list's query from the URL, unparsed.
fn asked(parameters: &Parameters) -> Result<InboxQuery, Problem> {
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

/// A refused action in a conversation, with its input to show again.
#[derive(Default)]
struct Refused {
    because: Option<&'static str>,
    /// Outcome of the message, if one was to be sent.
    outcome: Option<Outcome>,
    /// Text and idempotency key.
    draft: Option<(String, String)>,
    note: Option<String>,
    mentions: Vec<MemberId>,
    tag: Option<String>,
    /// New name of the contact.
    name: Option<String>,
    /// Shortcut of the canned reply to insert; set without a refusal.
    insert: Option<String>,
}

pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show(&app, &by, &request, None, Refused::default()).await
}

pub(super) async fn conversation(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = named(&request)?;
    show(&app, &by, &request, Some(id), Refused::default()).await
}

/// Parses the page of the messages.
fn from(parameters: &Parameters) -> Result<found::MessagePage, Problem> {
    let message: Option<MessageId> = parameters.read("at", |text| text.parse().ok(), "a UUID")?;
    let before = parameters.get("before")?;
    Ok(match (message, before) {
        (Some(message), _) => found::MessagePage::Message(message),
        (None, Some(cursor)) => found::MessagePage::Before(cursor.to_owned()),
        (None, None) => found::MessagePage::Newest,
    })
}

async fn show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    open: Option<ConversationId>,
    refused: Refused,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(request)?.filled();
    let query = asked(&parameters)?;
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let words = frame.words();
    let status = if refused.because.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let team = found::team(app, by).await?;
    let found = match open {
        None => None,
        Some(id) => {
            let found = found::conversation(app, by, id, from(&parameters)?).await?;
            found::seen(app, by, &found).await?;
            Some(found)
        }
    };
    let list =
        list::of(app, by, &parameters, &query, &team, words, list::Around { request, open, several: None })
            .await?;
    let insert = parameters.get("insert")?.map(str::to_owned);
    let refused = Refused { insert, ..refused };
    let conversation = found.map(|found| shown::of(found, app, by, &query, &team, words, refused));
    answer::page(status, &InboxPage { frame: &frame, list, conversation })
}
