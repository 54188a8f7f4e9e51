//! `GET /conversations`.

pub(crate) mod wire;

use std::sync::Arc;

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    access::sessions::Session,
    channels::ChannelKind,
    conversation::ConversationStatus,
    conversations::inbox::{AskedInbox, InboxOrder, InboxRow, ListInboxError, View},
    ids::{GroupId, MemberId},
    paging::{AskedPage, Page},
    tag::{InvalidTag, Tag},
};

use crate::{app::App, paging::read_page, problem::Problem, query::Parameters, session::SignedIn};
use wire::PageBody;

/// The inbox: conversations by their newest message, the newest first, or those whose customers wait, the
/// longest first.
///
/// A page may hold less than `limit`, even nothing, and have a `nextCursor`: of a tag or a search that finds
/// very much, only so many conversations are looked at for each page.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<PageBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let (wanted, page) = (parse_filters(&parameters, &by.session)?, read_page(&parameters)?);
    let page = list_page(&app, &by, wanted, page).await?;
    let workspace = by.session.workspace;
    let set = app.run(move |app| async move { app.dashboard.assistant.manage.get(workspace).await });
    Ok(Json(PageBody::new(page, &set.await??)))
}

/// Returns a page of the inbox. A search counts towards the member's concurrent searches.
pub(crate) async fn list_page(
    app: &Data<App>,
    by: &SignedIn,
    wanted: AskedInbox,
    page: AskedPage,
) -> Result<Page<InboxRow>, Problem> {
    let is_search = wanted.search.is_some() || wanted.tag.is_some();
    let (workspace, member, region) = (by.session.workspace, by.session.member, by.session.region);
    let list = move |app: Arc<App>| async move {
        app.dashboard.list_inbox.run(workspace, member, region, wanted, &page).await
    };
    let listed = if is_search { app.search(by, list).await } else { app.run(list).await };
    Ok(listed??)
}

pub(crate) fn parse_filters(parameters: &Parameters, session: &Session) -> Result<AskedInbox, Problem> {
    let group: Option<GroupId> = parameters.read("groupId", |text| text.parse().ok(), "a UUID")?;
    let holder: Option<MemberId> = parameters.read("memberId", |text| text.parse().ok(), "a UUID")?;
    let words = ["mine", "unassigned", "group", "all"];
    let word = |text: &str| words.into_iter().find(|word| *word == text);
    let view = parameters.word("view", word, &words)?.unwrap_or("all");
    if holder.is_some() && view != "mine" {
        return Err(Problem::invalid("`memberId` goes with `view=mine` only"));
    }
    let view = match (view, group) {
        ("group", Some(group)) => View::Group(group),
        ("group", None) => return Err(Problem::invalid("`groupId` is missing")),
        (_, Some(_)) => return Err(Problem::invalid("`groupId` goes with `view=group` only")),
        ("mine", None) => View::Mine(holder.unwrap_or(session.member)),
        ("unassigned", None) => View::Unassigned,
        _ => View::All,
    };
    let statuses = ConversationStatus::ALL.map(ConversationStatus::as_str);
    let orders = InboxOrder::ALL.map(InboxOrder::as_str);
    let channels = ChannelKind::ALL.map(ChannelKind::as_str);
    Ok(AskedInbox {
        view,
        status: parameters.word("status", ConversationStatus::read, &statuses)?,
        channel: parameters.word("channel", ChannelKind::read, &channels)?,
        tag: parameters.read("tag", |text| Tag::read(text).ok(), &InvalidTag.to_string())?,
        search: parameters.get("search")?.map(str::to_owned),
        order: parameters.word("order", InboxOrder::read, &orders)?.unwrap_or_default(),
    })
}

impl From<ListInboxError> for Problem {
    fn from(error: ListInboxError) -> Self {
        match error {
            ListInboxError::Store(error) => error.into(),
            wrong @ (ListInboxError::Search(_) | ListInboxError::Cursor(_)) => {
                Self::invalid(wrong.to_string())
            }
        }
    }
}
