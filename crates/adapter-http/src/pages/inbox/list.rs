//! The list of conversations on a page.

use std::{collections::HashMap, sync::Arc};

use dashboard_pages::{InboxList, InboxQuery, Refused, Row, Tab, Words};
use domain::{
    access::{members::Member, sessions::Session},
    channels::{AccountKind, ChannelKind, ListedAccount},
    conversation::ConversationStatus,
    conversations::inbox::{
        AskedInbox, InboxCounts, InboxOrder, InboxRow, ListInboxError, MOST_COUNTED, View,
    },
    errors::StoreError,
    ids::{ChannelId, ConversationId, GroupId, MemberId},
    notes::Note,
    paging::{AskedPage, Page, PageLimit},
    tag::{InvalidTag, Tag},
};

use super::{
    super::{act::Call, refusal},
    found::Team,
};
use crate::{app::App, problem::Problem, query::Parameters};

/// Most characters of a note in a list.
const MENTION_CHARS: usize = 200;

/// Context of the list.
pub(super) struct Around {
    /// The open conversation, if one is.
    pub(super) open: Option<ConversationId>,
    /// Why not all of several conversations were moved, and which were chosen.
    pub(super) several: Option<(String, Vec<ConversationId>)>,
}

/// Builds the list. If it cannot be read, it says why, and the rest of the page is shown.
pub(super) async fn of<'a>(
    call: &Call,
    parameters: &Parameters,
    query: &'a InboxQuery,
    team: &Team,
    words: &'static Words,
    Around { open, several }: Around,
) -> Result<InboxList<'a>, Problem> {
    let (workspace, member) = (call.workspace(), call.by.session.member);
    let read = call.run(move |app| async move {
        let counts = app.dashboard.count_inbox.run(workspace, member).await?;
        Ok::<_, StoreError>((counts, app.tag_conversation.in_use(workspace).await?))
    });
    let (counts, tags) = read.await?;
    let (why, chosen) = several.unzip();
    let (page, refused) = match rows(call, parameters, query).await {
        Ok(page) => (page, None),
        Err(problem) => {
            let refused = refusal::of_fields(&call.request, problem, words)?;
            (Page { rows: Vec::new(), next: None }, Some(refused))
        }
    };
    let pages = page_names(call, &page.rows).await?;
    Ok(InboxList {
        words,
        zone: call.by.session.time_zone.clone(),
        query,
        tabs: tabs(query, &counts, team, words),
        rows: page.rows.into_iter().map(|row| Row::of(row, &team.names, &pages, words)).collect(),
        next: page.next,
        mentions: mentions(call, query, team).await?,
        holders: holders(query, team),
        tags,
        open: open.map(|id| id.to_string()),
        takers: (team.member_choices(), team.group_choices()),
        chosen: chosen.unwrap_or_default().iter().map(ToString::to_string).collect(),
        refused: why.map(Refused::new).or(refused),
    })
}

async fn rows(call: &Call, parameters: &Parameters, query: &InboxQuery) -> Result<Page<InboxRow>, Problem> {
    let wanted = parse_filters(parameters, &call.by.session)?;
    let cursor = Some(query.cursor.clone()).filter(|cursor| !cursor.is_empty());
    list_page(call, wanted, AskedPage { limit: PageLimit::default(), cursor }).await
}

/// Returns a page of the inbox. A search counts towards the member's concurrent searches.
pub(super) async fn list_page(
    call: &Call,
    wanted: AskedInbox,
    page: AskedPage,
) -> Result<Page<InboxRow>, Problem> {
    let is_search = wanted.search.is_some() || wanted.tag.is_some();
    let Session { workspace, member, region, .. } = call.by.session;
    let list = move |app: Arc<App>| async move {
        app.dashboard.list_inbox.run(workspace, member, region, wanted, &page).await
    };
    let listed = if is_search { call.app.search(&call.by, list).await } else { call.app.run(list).await };
    Ok(listed??)
}

pub(super) fn parse_filters(parameters: &Parameters, session: &Session) -> Result<AskedInbox, Problem> {
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

/// Returns the names of the pages that the listed conversations run over, by channel.
async fn page_names(call: &Call, rows: &[InboxRow]) -> Result<HashMap<ChannelId, String>, Problem> {
    // Channels with a number need no name.
    if rows.iter().all(|row| row.number.is_some()) {
        return Ok(HashMap::new());
    }
    let workspace = call.workspace();
    let listed =
        call.run(
            move |app| async move { app.dashboard.channels.manage.list(workspace, AccountKind::Page).await },
        );
    let mut names = HashMap::new();
    for ListedAccount { page_name, connections, .. } in listed.await? {
        if let Some(name) = page_name {
            names.extend(connections.iter().map(|connection| (connection.id, name.clone())));
        }
    }
    Ok(names)
}

/// Lists notes that mention the member: link, author and text.
async fn mentions(
    call: &Call,
    query: &InboxQuery,
    team: &Team,
) -> Result<Vec<(String, String, String)>, Problem> {
    let (workspace, member) = (call.workspace(), call.by.session.member);
    let listed = call.run(move |app| async move { app.dashboard.notes.mentions(workspace, member).await });
    let mention = |note: Note| {
        let by = team.names.get(&note.author.to_string()).cloned().unwrap_or_default();
        let text = note.text.chars().take(MENTION_CHARS).collect();
        (query.conversation(&note.conversation.to_string()), by, text)
    };
    Ok(listed.await?.into_iter().map(mention).collect())
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
