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

/// The conversation that the path names.
fn named(request: &HttpRequest) -> Result<ConversationId, Problem> {
    id(request).ok_or_else(unknown)
}

/// What stands in the address, as it was written.
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

/// What somebody tried in a conversation that was not done.
#[derive(Default)]
struct Refused {
    /// Why.
    because: Option<&'static str>,
    /// What became of it then.
    outcome: Option<Outcome>,
    /// What they wrote, and the key it was to be sent under.
    draft: Option<(String, String)>,
    /// The note that they wrote.
    note: Option<String>,
    /// Whom it was to mention.
    mentions: Vec<MemberId>,
    /// The tag that they wrote.
    tag: Option<String>,
    /// The name that they gave the person.
    name: Option<String>,
    /// The shortcut of a canned reply that is to be put in, where nothing was tried.
    insert: Option<String>,
}

/// The list alone.
pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show(&app, &by, &request, None, Refused::default()).await
}

/// A conversation beside the list.
pub(super) async fn conversation(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = named(&request)?;
    show(&app, &by, &request, Some(id), Refused::default()).await
}

/// Which page of the messages is asked for.
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
