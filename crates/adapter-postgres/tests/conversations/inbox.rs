//! The team's lists, every filter alone and together, against the same rule in plain code.

use std::collections::HashSet;

use domain::{
    channels::ChannelKind,
    conversation::{Conversation, ConversationStatus},
    conversations::{
        inbox::{
            AskedInbox, CountInbox, InboxCounts, InboxFilter, InboxOrder, InboxRow, ListInbox, MOST_UNREAD,
            MarkSeen, ReadState, View,
        },
        ports::{InboxLists, TagStore},
    },
    messages::{Message, Role},
    paging::{AskedPage, PageLimit, PageRequest},
    tag::Tag,
    testing::a_region,
};
use time::Duration;

use crate::conversations::world::{START, World, conversation, cursors, group, id, message, workspace};

/// Returns the conversations of workspace 1, with newest messages in another order than their beginnings.
fn conversations() -> Vec<Conversation> {
    let moved = |number: u32| Conversation {
        last_message_at: START + Duration::minutes((number * 37 % 90 / 2).into()),
        ..conversation(number)
    };
    (0..90).map(moved).collect()
}

/// Which conversations are tagged.
fn is_vip(conversation: &Conversation) -> bool {
    conversation.id.uuid().as_u128().is_multiple_of(4)
}

/// Whether a search for `ali` finds the contact, as for a third of the people.
fn is_ali(conversation: &Conversation) -> bool {
    conversation.contact.uuid().as_u128().is_multiple_of(3)
}

async fn world() -> World {
    let world = World::with(workspace(1), &conversations()).await;
    world
        .run(
            "UPDATE contacts SET name = 'Ali', searchable = 'ali' || chr(10)
             WHERE workspace_id = id(1) AND ('x' || right(id::text, 8))::bit(32)::int % 3 = 0;
             INSERT INTO contact_part_counts
                 SELECT workspace_id, part, 0, count(*) FROM contacts, unnest(short_parts(searchable)) part
                 GROUP BY workspace_id, part",
        )
        .await;
    for conversation in conversations().iter().filter(|conversation| is_vip(conversation)) {
        world
            .stores
            .conversations
            .tag(workspace(1), conversation.id, &Tag::read("VIP").unwrap(), 20, None)
            .await
            .unwrap();
    }
    world
}

fn asked(view: View) -> AskedInbox {
    AskedInbox { view, status: None, channel: None, tag: None, search: None, order: InboxOrder::Newest }
}

fn expected(asked: &AskedInbox) -> Vec<Conversation> {
    let in_view = |conversation: &Conversation| match asked.view {
        View::Mine(member) => conversation.assigned_to == Some(member),
        View::Unassigned => {
            conversation.status == ConversationStatus::Open && conversation.assigned_to.is_none()
        }
        View::Group(group) => conversation.group.as_ref().is_some_and(|of| of.id == group),
        View::All => true,
    };
    let mut wanted: Vec<_> = conversations()
        .into_iter()
        .filter(in_view)
        .filter(|conversation| asked.status.is_none_or(|status| conversation.status == status))
        .filter(|conversation| asked.channel.is_none_or(|channel| conversation.channel_kind == channel))
        .filter(|conversation| asked.tag.is_none() || is_vip(conversation))
        .filter(|conversation| asked.search.is_none() || is_ali(conversation))
        .collect();
    wanted.sort_by_key(|conversation| std::cmp::Reverse((conversation.last_message_at, conversation.id)));
    wanted
}

fn every() -> Vec<AskedInbox> {
    let statuses = [None].into_iter().chain(ConversationStatus::ALL.map(Some));
    let channels = || [None].into_iter().chain(ChannelKind::ALL.map(Some));
    let mut every = Vec::new();
    for view in [View::All, View::Unassigned, View::Mine(id(1)), View::Mine(id(2)), View::Group(id(1))] {
        for status in statuses.clone() {
            for channel in channels() {
                for tag in [None, Some(Tag::read("vip").unwrap())] {
                    for search in [None, Some("ALI".to_owned())] {
                        let tag = tag.clone();
                        every.push(AskedInbox { status, channel, tag, search, ..asked(view) });
                    }
                }
            }
        }
    }
    every
}

async fn walk(list: &ListInbox, asked: &AskedInbox, rows: u64) -> Vec<InboxRow> {
    let mut page = AskedPage { limit: PageLimit::new(rows).unwrap(), cursor: None };
    let mut seen = Vec::new();
    loop {
        let found = list.run(workspace(1), id(1), a_region(), asked.clone(), &page).await.unwrap();
        assert!(found.rows.len() <= usize::try_from(rows).unwrap());
        seen.extend(found.rows);
        page.cursor = found.next;
        if page.cursor.is_none() {
            return seen;
        }
    }
}

#[tokio::test]
async fn a_list_holds_what_passes_every_filter_by_the_newest_message() {
    let world = world().await;
    let list = ListInbox { store: world.stores.conversations.clone(), cursors: cursors() };
    let mut sizes = HashSet::new();
    for asked in every() {
        let seen: Vec<_> = walk(&list, &asked, 7).await.into_iter().map(|row| row.conversation).collect();
        assert_eq!(seen, expected(&asked), "{asked:?}");
        sizes.insert(seen.len());
    }
    assert!(sizes.contains(&0) && sizes.contains(&90) && sizes.len() > 8, "{sizes:?}");
}

/// A tag and a search find more conversations here than can be collected.
#[tokio::test]
async fn of_very_many_finds_no_page_skips_or_repeats_a_conversation() {
    let world = world().await;
    world
        .run(
            "INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, last_message_at,
                                        created_at)
                 SELECT id(1), id(10000 + n), id(96), id(2), 'instagram', 'closed', now(), now()
                 FROM generate_series(0, 0) n;
             INSERT INTO contacts (workspace_id, id, source, created_at, searchable)
                 SELECT id(1), id(20000 + n), 'import', now(), 'ali ' || n || chr(10) FROM generate_series(1, 4100) n;
             INSERT INTO contact_part_counts VALUES (id(1), 'al', 1, 4100);
             UPDATE conversations SET last_message_at = '2026-11-01' WHERE id = id(10000)",
        )
        .await;
    let list = ListInbox { store: world.stores.conversations.clone(), cursors: cursors() };
    for search in ["al", "ali"] {
        let asked = AskedInbox { search: Some(search.to_owned()), ..asked(View::All) };
        let seen: Vec<_> = walk(&list, &asked, 7).await.into_iter().map(|row| row.conversation.id).collect();
        let mut wanted: Vec<_> = expected(&asked).into_iter().map(|conversation| conversation.id).collect();
        wanted.push(id(10_000));
        assert_eq!(seen, wanted, "{search}");
    }
}

#[tokio::test]
async fn a_row_shows_with_whom_what_tags_and_what_was_last_written() {
    let world = world().await;
    let mut long = message(0, 2);
    long.content = "م".repeat(300);
    for message in [message(0, 0), long] {
        world.write(workspace(1), &message).await;
    }
    let page = PageRequest { limit: PageLimit::new(100).unwrap(), after: None };
    let found = world
        .stores
        .conversations
        .inbox(workspace(1), id(1), &InboxFilter::of(View::All), page)
        .await
        .unwrap();
    assert_eq!(found.reached, None);
    let row = found.rows.iter().find(|row| row.conversation.id == id(0)).unwrap();
    assert_eq!(row.contact.name.as_deref(), Some("Ali"));
    assert_eq!(row.contact.phone.as_ref().unwrap().as_str(), "+9647701234567");
    assert_eq!(row.tags, ["VIP"]);
    let last = row.last_message.as_ref().unwrap();
    assert_eq!(
        (last.role, &last.text, last.created_at),
        (Role::Customer, &"م".repeat(200), START + Duration::seconds(1))
    );
    assert_eq!(found.rows.iter().filter(|row| row.last_message.is_some()).count(), 1);
}

/// Returns since when every third conversation that is not closed waits: the greater its number, the longer.
fn waits(conversation: &Conversation) -> Option<time::OffsetDateTime> {
    let number = i64::try_from(conversation.id.uuid().as_u128() % 1_000).unwrap();
    let waits = conversation.status != ConversationStatus::Closed && number % 3 == 0;
    waits.then(|| START - Duration::minutes(number / 2))
}

#[tokio::test]
async fn whoever_has_waited_longest_comes_first_whatever_else_is_asked_for() {
    let world = world().await;
    for conversation in conversations() {
        if let Some(since) = waits(&conversation) {
            let text = format!(
                "UPDATE conversations SET waiting_since = '{since}' WHERE workspace_id = id(1) AND id = '{}'",
                conversation.id
            );
            world.run(&text).await;
        }
    }
    let list = ListInbox { store: world.stores.conversations.clone(), cursors: cursors() };
    let mut sizes = HashSet::new();
    for asked in every() {
        let asked = AskedInbox { order: InboxOrder::Waiting, ..asked };
        let mut wanted = expected(&asked);
        wanted.retain(|conversation| waits(conversation).is_some());
        wanted.sort_by_key(|conversation| (waits(conversation), conversation.id));
        let seen = walk(&list, &asked, 3).await;
        assert!(seen.iter().all(|row| row.waiting_since == waits(&row.conversation)), "{asked:?}");
        let seen: Vec<_> = seen.into_iter().map(|row| row.conversation).collect();
        assert_eq!(seen, wanted, "{asked:?}");
        sizes.insert(seen.len());
    }
    assert!(sizes.contains(&0) && sizes.len() > 4, "{sizes:?}");
    for (workspace, number, known) in [(1, 0, true), (1, 9_999, false), (2, 9_999, false)] {
        let found = list.attention(self::workspace(workspace), id(number)).await.unwrap();
        assert_eq!(found.is_some(), known, "{workspace} {number}");
    }
}

/// Returns how far a member has read the first conversation, according to the list.
async fn read(world: &World, member: u32) -> ReadState {
    let page = PageRequest { limit: PageLimit::new(100).unwrap(), after: None };
    let view = InboxFilter::of(View::All);
    let found = world.stores.conversations.inbox(workspace(1), id(member), &view, page).await.unwrap();
    found.rows.iter().find(|row| row.conversation.id == id(0)).unwrap().read
}

#[tokio::test]
async fn each_member_has_read_for_themselves_and_never_less_than_before() {
    let world = world().await;
    for number in 0..105 {
        world.write(workspace(1), &Message { role: Role::Customer, ..message(0, number) }).await;
    }
    let answer = Message { role: Role::Team, ..message(0, 105) };
    world.write(workspace(1), &answer).await;
    assert_eq!(read(&world, 1).await, ReadState { seen_at: None, unread: MOST_UNREAD - 1 });

    let see = |workspace_id, message: Message| {
        let mark = MarkSeen { store: world.stores.conversations.clone() };
        async move { mark.run(workspace_id, id(1), id(0), message.id).await.unwrap() }
    };
    let first = message(0, 103);
    let state = ReadState { seen_at: Some(first.created_at), unread: 1 };
    assert_eq!(see(workspace(1), first).await, Some(state));
    assert_eq!((read(&world, 1).await, read(&world, 2).await.unread), (state, MOST_UNREAD - 1));
    assert_eq!(see(workspace(1), message(0, 3)).await, Some(state), "what was seen stays seen");
    let all = ReadState { seen_at: Some(answer.created_at), unread: 0 };
    assert_eq!(see(workspace(1), answer.clone()).await, Some(all));
    assert_eq!(read(&world, 1).await, all);

    assert_eq!(see(workspace(1), message(1, 0)).await, None, "a message of another conversation");
    assert_eq!(see(workspace(2), answer).await, None, "another workspace");
}

#[tokio::test]
async fn another_workspace_is_shown_and_counted_nothing() {
    let world = world().await;
    for view in [View::All, View::Unassigned, View::Mine(id(1)), View::Group(id(1))] {
        let found = world
            .stores
            .conversations
            .inbox(workspace(2), id(1), &InboxFilter::of(view), PageRequest::default())
            .await;
        assert_eq!(found.unwrap().rows, [], "{view:?}");
    }
    let counts =
        CountInbox { store: world.stores.conversations.clone() }.run(workspace(2), id(1)).await.unwrap();
    let groups = vec![(id(1), 0), (id(2), 0)];
    assert_eq!(counts, InboxCounts { groups, ..InboxCounts::default() });
}

#[tokio::test]
async fn open_conversations_are_counted_up_to_a_limit() {
    let world = world().await;
    let open = |view: View| {
        let open = AskedInbox { status: Some(ConversationStatus::Open), ..asked(view) };
        u32::try_from(expected(&open).len()).unwrap()
    };
    let counts =
        CountInbox { store: world.stores.conversations.clone() }.run(workspace(1), id(1)).await.unwrap();
    let groups = [1, 2].map(|number| (group(number).id, open(View::Group(id(number))))).to_vec();
    let wanted = InboxCounts {
        mine: open(View::Mine(id(1))),
        unassigned: open(View::Unassigned),
        open: open(View::All),
        groups,
    };
    assert_eq!(counts, wanted);
    assert!(wanted.mine > 3 && wanted.unassigned > 3);
    let few = world.stores.conversations.inbox_counts(workspace(1), id(1), 3).await.unwrap();
    assert_eq!((few.mine, few.unassigned, few.open), (3, 3, 3));
}
