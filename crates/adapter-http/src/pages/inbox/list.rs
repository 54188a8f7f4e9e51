//! The list of conversations on a page.

use std::collections::HashMap;

use actix_web::{HttpRequest, web::Data};
use dashboard_pages::{InboxList, InboxQuery, Refused, Row, Tab, Words};
use domain::{
    access::members::Member,
    channels::{AccountKind, ListedAccount},
    conversation::ConversationStatus,
    conversations::inbox::{InboxCounts, InboxRow, MOST_COUNTED},
    ids::{ChannelId, ConversationId},
    notes::Note,
    paging::{AskedPage, Page, PageLimit},
};

use super::{super::refusal, found::Team};
use crate::{
    app::App,
    dashboard::conversations::inbox::{list_page, parse_filters},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// Most characters of a note in a list.
const MENTION_CHARS: usize = 200;

/// Context of the list.
pub(super) struct Around<'r> {
    pub(super) request: &'r HttpRequest,
    /// The open conversation, if one is.
    pub(super) open: Option<ConversationId>,
    /// Why not all of several conversations were moved, and which were chosen.
    pub(super) several: Option<(String, Vec<ConversationId>)>,
}

/// Builds the list. If it cannot be read, it says why, and the rest of the page is shown.
pub(super) async fn of<'a>(
    app: &Data<App>,
    by: &SignedIn,
    parameters: &Parameters,
    query: &'a InboxQuery,
    team: &Team,
    words: &'static Words,
    Around { request, open, several }: Around<'_>,
) -> Result<InboxList<'a>, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let counted = app.run(move |app| async move { app.dashboard.count_inbox.run(workspace, member).await });
    let counts = counted.await??;
    let tagged = app.run(move |app| async move { app.tag_conversation.in_use(workspace).await });
    let tags = tagged.await??;
    let (why, chosen) = several.unzip();
    let (page, refused) = match rows(app, by, parameters, query).await {
        Ok(page) => (page, None),
        Err(problem) => {
            (Page { rows: Vec::new(), next: None }, Some(refusal::of_fields(request, problem, words)?))
        }
    };
    let pages = page_names(app, by, &page.rows).await?;
    Ok(InboxList {
        words,
        zone: by.session.time_zone.clone(),
        query,
        tabs: tabs(query, &counts, team, words),
        rows: page.rows.into_iter().map(|row| Row::of(row, &team.names, &pages, words)).collect(),
        next: page.next,
        mentions: mentions(app, by, query, team).await?,
        holders: holders(query, team),
        tags,
        open: open.map(|id| id.to_string()),
        takers: (team.member_choices(), team.group_choices()),
        chosen: chosen.unwrap_or_default().iter().map(ToString::to_string).collect(),
        refused: why.map(Refused::new).or(refused),
    })
}

async fn rows(
    app: &Data<App>,
    by: &SignedIn,
    parameters: &Parameters,
    query: &InboxQuery,
) -> Result<Page<InboxRow>, Problem> {
    let wanted = parse_filters(parameters, &by.session)?;
    let cursor = Some(query.cursor.clone()).filter(|cursor| !cursor.is_empty());
    list_page(app, by, wanted, AskedPage { limit: PageLimit::default(), cursor }).await
}

/// Returns the names of the pages that the listed conversations run over, by channel.
async fn page_names(
    app: &Data<App>,
    by: &SignedIn,
    rows: &[InboxRow],
) -> Result<HashMap<ChannelId, String>, Problem> {
    // Channels with a number need no name.
    if rows.iter().all(|row| row.number.is_some()) {
        return Ok(HashMap::new());
    }
    let workspace = by.session.workspace;
    let listed =
        app.run(
            move |app| async move { app.dashboard.channels.manage.list(workspace, AccountKind::Page).await },
        );
    let mut names = HashMap::new();
    for ListedAccount { page_name, connections, .. } in listed.await?? {
        if let Some(name) = page_name {
            names.extend(connections.iter().map(|connection| (connection.id, name.clone())));
        }
    }
    Ok(names)
}

/// Lists notes that mention the member: link, author and text.
async fn mentions(
    app: &Data<App>,
    by: &SignedIn,
    query: &InboxQuery,
    team: &Team,
) -> Result<Vec<(String, String, String)>, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let listed = app.run(move |app| async move { app.dashboard.notes.mentions(workspace, member).await });
    let mention = |note: Note| {
        let by = team.names.get(&note.author.to_string()).cloned().unwrap_or_default();
        let text = note.text.chars().take(MENTION_CHARS).collect();
        (query.conversation(&note.conversation.to_string()), by, text)
    };
    Ok(listed.await??.into_iter().map(mention).collect())
}

/// Builds a tab for each member's conversations.
fn holders(query: &InboxQuery, team: &Team) -> Vec<Tab> {
    let tab = |member: &Member| {
        let id = member.id.to_string();
        Tab {
            name: team.names.get(&id).cloned().unwrap_or_default(),
            count: String::new(),
            href: query.of_holder(&id).list(),
            is_shown: query.member == id,
        }
    };
    team.members.iter().map(tab).collect()
}

/// Formats a count; from `MOST_COUNTED` on, counting has stopped.
fn count(number: u32) -> String {
    if number >= MOST_COUNTED { format!("{}+", MOST_COUNTED - 1) } else { number.to_string() }
}

fn tabs(query: &InboxQuery, counts: &InboxCounts, team: &Team, words: &Words) -> Vec<Tab> {
    let view = if query.view.is_empty() { "all" } else { &query.view };
    let tab = |name: &str, count: String, to: &str, group: &str| Tab {
        name: name.to_owned(),
        count,
        href: query.of_view(to, group).list(),
        is_shown: view == to && query.group == group && query.member.is_empty(),
    };
    // These lists also show closed conversations, so the label says that open ones are counted.
    let open = |number| format!("{}: {}", words.inbox.of_status(&ConversationStatus::Open), count(number));
    let fixed = [
        tab(words.inbox.mine, count(counts.mine), "mine", ""),
        tab(words.inbox.unassigned, count(counts.unassigned), "unassigned", ""),
        tab(words.inbox.all, open(counts.open), "all", ""),
    ];
    let groups = team.groups.iter().map(|group| {
        let counted = counts.groups.iter().find(|(id, _)| *id == group.id).map(|(_, number)| open(*number));
        tab(&group.name, counted.unwrap_or_default(), "group", &group.id.to_string())
    });
    fixed.into_iter().chain(groups).collect()
}
