//! Feeds: every change is told once, in one order, whatever was committed when.

use std::{collections::HashMap, sync::Arc};

use adapter_postgres::Stores;
use domain::{
    audit::{Action, AuditEntry, AuditStore},
    canned_replies::{CannedReply, CannedReplyError, Shortcut, ports::CannedReplyStore},
    contacts::{Contact, ports::ContactStore},
    conversations::{Command, Move, inbox::MarkSeen, ports::TagStore},
    ids::{ConversationId, MemberId, WorkspaceId},
    live::{Feed, FeedPosition, LiveEvent, LiveKind, ports::LiveStore},
    phone::PhoneNumber,
    tag::Tag,
    testing::a_contact,
};
use futures_util::future::join_all;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::conversations::world::{START, World, conversation, entry, id, message, workspace};

const EPOCH: Uuid = Uuid::from_u128(7);

/// Returns every change of a workspace so far, in the order of the feed.
async fn told(stores: &Stores, workspace: WorkspaceId) -> Vec<LiveEvent> {
    stores.live.number(workspace, START).await.unwrap();
    let (mut told, mut after) = (Vec::new(), 0);
    loop {
        let page = stores.live.events(workspace, after, 7).await.unwrap();
        let Some(last) = page.last() else { return told };
        after = last.number;
        told.extend(page);
    }
}

/// Returns the conversations of all changes.
async fn conversations_told(stores: &Stores) -> Vec<ConversationId> {
    told(stores, workspace(1)).await.into_iter().filter_map(|event| event.conversation).collect()
}

async fn world(conversations: u32) -> World {
    World::with(workspace(1), &(0..conversations).map(conversation).collect::<Vec<_>>()).await
}

async fn tag(world: &World, conversation: ConversationId, text: &str) {
    world
        .stores
        .conversations
        .tag(workspace(1), conversation, &Tag::read(text).unwrap(), 20, None)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_feed_begins_where_everything_before_it_is_numbered() {
    let world = world(3).await;
    tag(&world, id(0), "one").await;
    assert_eq!(world.stores.live.position(workspace(1), START).await.unwrap(), None, "nobody listens yet");
    let feed = world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    assert_eq!(feed, Feed { epoch: EPOCH, last: 1, forgotten: 0 });
    let again = world.stores.live.open(workspace(1), Uuid::nil(), START).await.unwrap();
    assert_eq!(again, feed, "the feed stays the one it is");
    let here = Some(FeedPosition { epoch: EPOCH, number: 1 });
    assert_eq!(world.stores.live.position(workspace(1), START).await.unwrap(), here);
    world.moving().run(workspace(1), id(1), &Move::manual(id(1), Command::Take(id(2)))).await.unwrap();
    for _ in 0..2 {
        let entry = AuditEntry { action: Action::ConversationUntagged, ..entry(START) };
        let tag = Tag::read("ONE").unwrap();
        world.stores.conversations.untag(workspace(1), id(0), &tag, &entry).await.unwrap();
    }
    let here = Some(FeedPosition { epoch: EPOCH, number: 3 });
    let position = world.stores.live.position(workspace(1), START).await.unwrap();
    assert_eq!(position, here, "what was committed before it has a number");
    let changed = |number, conversation: u32| LiveEvent {
        number,
        kind: LiveKind::ConversationChanged,
        conversation: Some(id(conversation)),
        message: None,
        member: None,
    };
    assert_eq!(told(&world.stores, workspace(1)).await, [changed(1, 0), changed(2, 1), changed(3, 0)]);
    assert_eq!(world.stores.live.number(workspace(2), START).await.unwrap(), None, "nobody listens there");
}

#[tokio::test]
async fn a_change_of_the_workspace_as_a_whole_is_told_without_a_conversation() {
    let world = world(1).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    // Entries of the audit log are noted as changes, except those of what browsers do not show.
    for action in [
        Action::GroupJoined,
        Action::SignedIn,
        Action::ConversationSettingsChanged,
        Action::MemberRemoved,
        Action::KeyIssued,
    ] {
        world.stores.access.add(workspace(1), &AuditEntry { action, ..entry(START) }).await.unwrap();
    }
    let of = |number, kind| LiveEvent { number, kind, conversation: None, message: None, member: None };
    let wanted = [
        of(1, LiveKind::GroupsChanged),
        of(2, LiveKind::WorkspaceChanged),
        of(3, LiveKind::GroupsChanged),
        of(4, LiveKind::TeamChanged),
        of(5, LiveKind::KeysChanged),
    ];
    assert_eq!(told(&world.stores, workspace(1)).await, wanted);
}

#[tokio::test]
async fn canned_replies_and_people_are_told_of_where_something_changed_and_not_otherwise() {
    let world = world(1).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    let replies = &world.stores.canned_replies;
    let reply = |number: u32, shortcut: &str| CannedReply {
        id: id(number),
        shortcut: Shortcut::read(shortcut).unwrap(),
        text: "text".to_owned(),
        author: id(1),
        changed_at: START,
    };
    for (number, shortcut, wanted) in [
        (1, "hours", Ok(())),
        (2, "HOURS", Err(CannedReplyError::Taken)),
        (2, "prices", Ok(())),
        (3, "more", Err(CannedReplyError::TooMany)),
    ] {
        assert_eq!(replies.add(workspace(1), &reply(number, shortcut), 2).await, wanted);
    }
    for (number, shortcut, wanted) in [
        (1, "open", Ok(())),
        (1, "prices", Err(CannedReplyError::Taken)),
        (9, "none", Err(CannedReplyError::Unknown)),
    ] {
        assert_eq!(replies.replace(workspace(1), &reply(number, shortcut)).await, wanted);
    }
    for (number, wanted) in [(1, true), (1, false)] {
        assert_eq!(replies.remove(workspace(1), id(number)).await.unwrap(), wanted);
    }
    let phone = PhoneNumber::from_e164("+9647701234599").unwrap();
    let person = Contact { phone: Some(phone), ..a_contact() };
    for is_new in [true, false] {
        assert_eq!(world.stores.contacts.add(workspace(1), &person, None).await.unwrap(), is_new);
    }
    let told: Vec<_> = told(&world.stores, workspace(1)).await.iter().map(|event| event.kind).collect();
    let mut wanted = vec![LiveKind::CannedRepliesChanged; 4];
    wanted.push(LiveKind::ContactsChanged);
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn what_a_member_reads_is_told_to_them_alone_and_only_where_it_is_news() {
    let world = world(1).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    let (first, second) = (message(0, 1), message(0, 2));
    for message in [&first, &second] {
        world.write(workspace(1), message).await;
    }
    let before = told(&world.stores, workspace(1)).await.len();
    let mark = MarkSeen { store: world.stores.conversations.clone() };
    for (member, message) in [(1, &first), (1, &second), (1, &second), (1, &first), (2, &first)] {
        mark.run(workspace(1), id(member), id(0), message.id).await.unwrap().unwrap();
    }
    let told = told(&world.stores, workspace(1)).await;
    let members: Vec<_> =
        told[before..].iter().map(|event| (event.kind, event.conversation, event.member)).collect();
    let of =
        |member| (LiveKind::ConversationChanged, Some(id::<ConversationId>(0)), Some(id::<MemberId>(member)));
    assert_eq!(members, [of(1), of(1), of(2)]);
    assert!(told[before].is_for(id(1)) && !told[before].is_for(id(2)));
}

#[tokio::test]
async fn a_change_that_is_committed_after_a_later_one_is_told_after_it() {
    let mut world = world(2).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    let slow = world.client.transaction().await.unwrap();
    let change = "INSERT INTO live_changes (workspace_id, kind, conversations, messages)
                  VALUES (id(1), 'message.recorded', ARRAY[id(0)], ARRAY[id(5)])";
    slow.batch_execute(change).await.unwrap();
    world
        .stores
        .conversations
        .tag(workspace(1), id(1), &Tag::read("quick").unwrap(), 20, None)
        .await
        .unwrap();
    let before = conversations_told(&world.stores).await;
    assert_eq!(before, [id(1)]);
    slow.commit().await.unwrap();
    let stirred = world.stores.live.stirred(&[(workspace(1), 1), (workspace(2), 0)]).await.unwrap();
    assert!(stirred.contains(&workspace(1)));
    let after = conversations_told(&world.stores).await;
    assert_eq!(after, [id(1), id(0)]);
    assert_eq!(world.stores.live.stirred(&[(workspace(1), 2)]).await.unwrap(), []);
}

#[tokio::test]
async fn what_a_later_version_tells_of_keeps_nobody_from_hearing_the_rest() {
    let world = world(1).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    tag(&world, id(0), "one").await;
    // More of these than one read takes, in between and at the end.
    let later = "INSERT INTO live_changes (workspace_id, kind, conversations, messages)
                 SELECT id(1), 'later.changed', ARRAY[NULL::uuid], ARRAY[NULL::uuid] FROM generate_series(1, 20)";
    world.run(later).await;
    tag(&world, id(0), "two").await;
    world.run(later).await;
    let numbers: Vec<_> =
        told(&world.stores, workspace(1)).await.iter().map(|event| (event.number, event.kind)).collect();
    assert_eq!(numbers, [(1, LiveKind::ConversationChanged), (22, LiveKind::ConversationChanged)]);
}

/// Several nodes number at once while conversations move.
#[tokio::test]
async fn of_many_changes_at_once_none_is_lost_or_told_twice_and_each_conversation_s_are_in_order() {
    let world = world(8).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    let moving = Arc::new(world.moving());
    let works = (0..8_u32).map(|number| {
        let moving = Arc::clone(&moving);
        async move {
            let mut moved = 0;
            for turn in 0..12 {
                let command = if turn % 2 == 0 { Command::Assign(id(1)) } else { Command::Close };
                let done = moving.run(workspace(1), id(number), &Move::manual(id(1), command)).await.unwrap();
                moved += i64::from(done.changed);
            }
            (id::<ConversationId>(number), moved)
        }
    });
    let numbering = (0..4).map(|_| async {
        for _ in 0..30 {
            world.stores.live.number(workspace(1), START).await.unwrap();
        }
    });
    let (moved, _) = tokio::join!(join_all(works), join_all(numbering));
    let told = told(&world.stores, workspace(1)).await;
    let numbers: Vec<i64> = told.iter().map(|event| event.number).collect();
    let wanted: i64 = moved.iter().map(|(_, moved)| moved).sum();
    assert_eq!(numbers, (1..=wanted).collect::<Vec<_>>());
    let mut count: HashMap<ConversationId, i64> = HashMap::new();
    for event in told {
        *count.entry(event.conversation.unwrap()).or_default() += 1;
    }
    assert_eq!(count, moved.into_iter().collect());
}

fn much_later() -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(4_000_000_000).unwrap()
}

#[tokio::test]
async fn what_is_forgotten_is_said_to_be_whether_it_was_numbered_or_not() {
    let world = world(2).await;
    tag(&world, id(0), "before anybody listens").await;
    assert!(!world.stores.live.forget(workspace(1), much_later()).await.unwrap());
    let feed = world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    assert_eq!((feed.last, feed.forgotten), (0, 0));
    for text in ["a", "b", "c"] {
        tag(&world, id(0), text).await;
    }
    world.stores.live.number(workspace(1), START).await.unwrap();
    tag(&world, id(1), "later").await;
    world.stores.live.number(workspace(1), START + Duration::hours(1)).await.unwrap();
    let before = START + Duration::minutes(30);
    assert_eq!(world.stores.live.stale(before).await.unwrap(), [workspace(1)]);
    assert!(!world.stores.live.forget(workspace(1), before).await.unwrap());
    assert_eq!(world.stores.live.stale(before).await.unwrap(), []);
    let feed = world.stores.live.number(workspace(1), START).await.unwrap().unwrap();
    assert_eq!((feed.last, feed.forgotten), (4, 3));
    assert_eq!(told(&world.stores, workspace(1)).await.len(), 1);

    // Nobody has numbered this change: whoever was told everything before it has missed something.
    tag(&world, id(1), "unheard").await;
    world.stores.live.forget(workspace(1), much_later()).await.unwrap();
    let feed = world.stores.live.number(workspace(1), START).await.unwrap().unwrap();
    assert_eq!((feed.last, feed.forgotten), (5, 5));
}

#[tokio::test]
async fn a_feed_that_is_gone_is_told_from_the_one_after_it() {
    let world = world(1).await;
    world.stores.live.open(workspace(1), EPOCH, START).await.unwrap();
    tag(&world, id(0), "one").await;
    world.run("TRUNCATE live_feeds, live_events, live_changes").await;
    assert_eq!(world.stores.live.stirred(&[(workspace(1), 1)]).await.unwrap(), [workspace(1)]);
    assert_eq!(world.stores.live.number(workspace(1), START).await.unwrap(), None);
    let feed = world.stores.live.open(workspace(1), Uuid::nil(), START).await.unwrap();
    assert_eq!(feed, Feed { epoch: Uuid::nil(), last: 0, forgotten: 0 });
}
