//! `/conversations` and `/conversations/{id}`, on the pages the inbox: the list, with or without an open
//! conversation.

use dashboard_pages::{InboxPage, Section};
use domain::{
    conversation::Conversation,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    zone::Zone,
};
use time::Duration;

use super::{
    super::{
        act::{self, Answer, Call},
        answer, refusal,
    },
    found, list,
    query::{conversation, path_of, read_query, unknown},
    refused::RefusedAct,
    shown,
    wire::{ConversationMessagesBody, InboxBody, PageBody},
};
use crate::{app::App, paging::read_page, problem::Problem, query::Parameters};

/// The inbox: conversations by their newest message, the newest first, or those whose customers wait, the
/// longest first.
///
/// A page may hold less than `limit`, even nothing, and have a `nextCursor`: of a tag or a search that finds
/// very much, only so many conversations are looked at for each page.
pub(in crate::pages) async fn list_conversations(call: Call) -> Answer {
    if !call.is_of_api() {
        return show(&call, None, RefusedAct::default()).await;
    }
    let parameters = Parameters::of(&call.request)?;
    let wanted = list::parse_filters(&parameters, &call.by.session)?;
    let page = list::list_page(&call, wanted, read_page(&parameters)?).await?;
    let workspace = call.workspace();
    let set = call.run(move |app| async move { app.dashboard.assistant.manage.get(workspace).await });
    act::ok(&PageBody::new(page, &set.await?))
}

/// One conversation.
pub(in crate::pages) async fn show_conversation(call: Call) -> Answer {
    let (workspace, id) = (call.workspace(), conversation(&call)?);
    if !call.is_of_api() {
        return show(&call, Some(id), RefusedAct::default()).await;
    }
    let found = call.run(move |app| async move {
        match app.get_conversation.run(workspace, id).await? {
            Some(found) => tagged(&app, workspace, found).await.map(Some),
            None => Ok(None),
        }
    });
    act::ok(&found.await?.ok_or_else(unknown)?)
}

/// Builds the body of a conversation with its tags and its need of attention.
pub(super) async fn tagged(
    app: &App,
    workspace: WorkspaceId,
    conversation: Conversation,
) -> Result<InboxBody, StoreError> {
    let tags = app.tag_conversation.tags(workspace, conversation.id).await?;
    let attention = app.dashboard.list_inbox.attention(workspace, conversation.id).await?;
    Ok(InboxBody::new(conversation, tags, attention))
}

/// The messages of a conversation and its own notices, newest first.
pub(in crate::pages) async fn messages(call: Call) -> Answer {
    let asked = read_page(&call.parameters()?)?;
    let (workspace, id) = (call.workspace(), conversation(&call)?);
    let listed = call.run(move |app| async move {
        let Some(page) = app.list_messages.run(workspace, id, &asked).await? else { return Ok(None) };
        let names = found::broadcasts_of(&app, workspace, &page.rows).await?;
        Ok::<_, Problem>(Some(ConversationMessagesBody::new(page, names)))
    });
    act::ok(&listed.await?.ok_or_else(unknown)?)
}

/// Answers JSON with what was done, and a form by leading to the conversation, or by showing it with why it
/// was refused.
pub(super) async fn show_or_leave(
    call: &Call,
    conversation: ConversationId,
    done: Answer,
    kept: RefusedAct,
) -> Answer {
    if call.is_of_api() {
        return done;
    }
    let path = path_of(call, conversation)?;
    call.answer(done, &path, |problem| refuse(call, conversation, problem, kept)).await
}

/// Shows a conversation with why an act in it was refused.
async fn refuse(call: &Call, conversation: ConversationId, problem: Problem, kept: RefusedAct) -> Answer {
    let (request, words) = (&call.request, call.words());
    let refused = match &kept {
        RefusedAct { tag: Some(_), .. } => {
            refusal::of_only(request, problem, ("add", words.wrong.tag), words)?
        }
        RefusedAct { name: Some(_), .. } => {
            refusal::of_only(request, problem, ("name", words.wrong.person), words)?
        }
        RefusedAct { note: Some(_), .. } => {
            refusal::of_only(request, problem, ("text", words.wrong.note), words)?
        }
        _ => refusal::of_form(request, problem, words)?,
    };
    show(call, Some(conversation), RefusedAct { refused: Some(refused), ..kept }).await
}

/// Parses the page of the messages; a day is one of this zone.
fn read_messages_page(parameters: &Parameters, zone: &Zone) -> Result<found::MessagePage, Problem> {
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

pub(super) async fn show(call: &Call, open: Option<ConversationId>, refused: RefusedAct) -> Answer {
    let parameters = Parameters::of(&call.request)?.filled();
    let query = read_query(&parameters)?;
    let frame = call.frame(Section::Inbox).await?;
    let words = frame.words();
    let status = refusal::status(refused.refused.as_ref());
    let team = found::team(&call.app, &call.by).await?;
    let found = match open {
        None => None,
        Some(id) => {
            let page = read_messages_page(&parameters, &call.by.session.time_zone)?;
            let found = found::conversation(call, id, page).await?;
            found::seen(call, &found).await?;
            Some(found)
        }
    };
    let around = list::Around { open, several: None };
    let mut list = list::of(call, &parameters, &query, &team, words, around).await?;
    // The page has one reason: that of the act.
    list.refused = list.refused.filter(|_| refused.refused.is_none());
    let insert = parameters.get("insert")?.map(str::to_owned);
    let refused = RefusedAct { insert, ..refused };
    let conversation = found.map(|found| shown::of(found, call, &query, &team, words, refused));
    answer::page(status, &InboxPage { frame: &frame, list, conversation })
}
