//! Recording of messages.

use domain::{
    attachments::{AttachmentKind, MediaSource},
    contacts::{Identity, ports::ContactStore},
    conversations::{
        ReadMark,
        ports::{ConversationStore, ReceiptStore},
    },
    events::EventType,
    ids::MessageId,
    inbound::{InboundMedia, UpdateKind, UpdateOutcome, Written},
};
use time::Duration;

use super::{SARA, network_id, number, update, words, wrote};
use crate::core_tables::world::{NOW, World, phone};

const ALL: &[EventType] = EventType::SUBSCRIBABLE;

#[tokio::test]
async fn a_stranger_s_message_makes_a_contact_a_conversation_and_its_events() {
    let world = World::new().await;
    world.subscribe(ALL).await;
    let outcomes = world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    assert_eq!(outcomes, [UpdateOutcome::Finished]);
    let found = world.stores.contacts.find_by_phone(world.workspace, &phone(SARA)).await.unwrap().unwrap();
    assert_eq!(found.contact.name.as_deref(), Some("سارة"));
    assert_eq!(found.contact.source.as_str(), "messaged");
    assert_eq!(found.conversations, 1);
    assert_eq!(found.channels.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(), ["whatsapp"]);
    assert_eq!(found.last_active_at, Some(NOW - Duration::seconds(3)));
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01'").await, 1);
    assert_eq!(world.texts("SELECT content FROM messages WHERE role = 'customer'").await, ["نص wamid.1"]);
    let events = "SELECT event FROM deliveries ORDER BY id";
    assert_eq!(world.texts(events).await, ["conversation.created", "message.received"]);
    assert_eq!(world.count("delivery_queue").await, 2);
    assert_eq!(world.count("journal").await, 0, "what is recorded has left the journal");
    assert_eq!(world.count("contact_counts WHERE contacts = 1").await, 1);
}

#[tokio::test]
async fn a_batch_of_many_people_and_messages_is_recorded_together_in_order() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageReceived]).await;
    let updates =
        (0..100).map(|n| wrote(&[number(&format!("+96477000010{:02}", n % 10))], &format!("wamid.{n:03}")));
    let outcomes = world.record(updates.collect()).await;
    assert!(outcomes.iter().all(|outcome| *outcome == UpdateOutcome::Finished), "{outcomes:?}");
    assert_eq!(world.count("contacts").await, 10);
    assert_eq!(world.count("conversations WHERE announced AND version = 2").await, 10);
    assert_eq!(world.count("messages").await, 100);
    assert_eq!(world.count("delivery_queue").await, 100);
    let conversation = "SELECT content FROM messages WHERE conversation_id =
                  (SELECT conversation_id FROM messages WHERE content = 'نص wamid.003') ORDER BY created_at, id";
    let wanted: Vec<String> = (0..10).map(|n| format!("نص wamid.{:03}", n * 10 + 3)).collect();
    assert_eq!(world.texts(conversation).await, wanted);
    assert_eq!(world.texts("SELECT sum(contacts)::text FROM contact_counts").await, ["10"]);
    let parts = "SELECT sum(contacts)::text FROM contact_part_counts WHERE part = '96'";
    assert_eq!(world.texts(parts).await, ["10"]);
}

#[tokio::test]
async fn what_the_network_posts_twice_is_recorded_once() {
    let world = World::new().await;
    world.subscribe(ALL).await;
    let twice = || vec![wrote(&[number(SARA)], "wamid.1"), wrote(&[number(SARA)], "wamid.1")];
    for _ in 0..2 {
        let outcomes = world.record(twice()).await;
        assert_eq!(outcomes, [UpdateOutcome::Finished, UpdateOutcome::Finished]);
    }
    assert_eq!(world.count("messages").await, 1);
    assert_eq!(world.count("deliveries").await, 2);
    assert_eq!(world.count("journal").await, 0);
}

#[tokio::test]
async fn a_message_into_a_closed_conversation_reopens_it_and_a_further_one_announces_nothing() {
    let world = World::new().await;
    world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    world.execute("UPDATE conversations SET status = 'closed', version = 7", &[]).await;
    world.subscribe(ALL).await;
    world.record(vec![wrote(&[number(SARA)], "wamid.2"), wrote(&[number(SARA)], "wamid.3")]).await;
    let events = "SELECT event FROM deliveries ORDER BY id";
    assert_eq!(world.texts(events).await, ["conversation.created", "message.received", "message.received"]);
    assert_eq!(world.count("conversations WHERE status = 'bot' AND version = 8").await, 1);
}

#[tokio::test]
async fn a_notice_and_its_answer_share_their_person_and_their_conversation() {
    let world = World::new().await;
    let intent = world.notice(&phone(SARA));
    let sent = world.send(&intent).await;
    world.subscribe(ALL).await;
    world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    assert_eq!((world.count("contacts").await, world.count("conversations").await), (1, 1));
    let found = world.stores.contacts.find_by_phone(world.workspace, &phone(SARA)).await.unwrap().unwrap();
    assert_eq!(Some(found.contact.id), sent.contact);
    assert_eq!(found.contact.name.as_deref(), Some("Layla"), "a known name stays");
    let conversation =
        ConversationStore::find(&*world.stores.conversations, world.workspace, sent.conversation.unwrap())
            .await;
    assert!(conversation.unwrap().unwrap().announced);
    let events = "SELECT event FROM deliveries ORDER BY id";
    assert_eq!(world.texts(events).await, ["conversation.created", "message.received"]);
}

#[tokio::test]
async fn reactions_edits_and_deletions_are_kept_with_their_message_whatever_their_order() {
    let world = World::new().await;
    world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    let at = |what, second| {
        let mut update = update(&[number(SARA)], what);
        update.at = NOW - Duration::seconds(second);
        update
    };
    let reacted = |emoji: Option<&str>| UpdateKind::Reacted {
        message: network_id("wamid.1"),
        emoji: emoji.map(str::to_owned),
    };
    let edited = |content: &str| UpdateKind::Edited {
        message: network_id("wamid.1"),
        content: content.to_owned(),
        held_elsewhere: false,
    };
    for (updates, reaction, content) in [
        (vec![at(reacted(Some("👍")), 9)], Some("👍"), "نص wamid.1"),
        (vec![at(reacted(Some("😀")), 10), at(edited("two\0"), 8)], Some("👍"), "two"),
        (vec![at(edited("one"), 9), at(reacted(None), 7)], None, "two"),
    ] {
        let outcomes = world.record(updates).await;
        assert!(outcomes.iter().all(|outcome| *outcome == UpdateOutcome::Finished), "{outcomes:?}");
        let kept = world.texts("SELECT coalesce(reaction, '-') || ' ' || content FROM messages").await;
        assert_eq!(kept, [format!("{} {content}", reaction.unwrap_or("-"))]);
    }
    let deleted = UpdateKind::Deleted { message: network_id("wamid.1") };
    world.record(vec![at(deleted, 1)]).await;
    assert_eq!(world.count("messages WHERE deleted_at IS NOT NULL AND content = 'two'").await, 1);
}

#[tokio::test]
async fn what_is_about_an_unknown_message_waits_a_little_and_is_then_dropped() {
    let world = World::new().await;
    let deleted =
        || vec![(world.channel, update(&[number(SARA)], UpdateKind::Deleted { message: network_id("x") }))];
    assert_eq!(world.record_over(&world.stores, deleted(), NOW).await, [UpdateOutcome::Waits]);
    let later = NOW + Duration::minutes(2);
    assert_eq!(world.record_over(&world.stores, deleted(), later).await, [UpdateOutcome::Handled]);
    assert_eq!(world.count("contacts").await, 0, "nobody is made known by it");
}

#[tokio::test]
async fn what_the_team_writes_in_the_network_s_own_app_is_theirs_and_our_own_echo_is_dropped() {
    let world = World::new().await;
    let sent = world.send(&world.notice(&phone(SARA))).await;
    world.subscribe(ALL).await;
    let echo = |id: &str, tag: Option<String>| UpdateKind::Echoed {
        written: words(id, "from the app"),
        tag,
        by_us: false,
    };
    let ours = format!("wamid.{}", sent.id);
    let updates = || {
        let own = [echo(&ours, None), echo(&ours, Some(sent.id.to_string())), echo("wamid.app", None)];
        own.map(|what| (world.channel, update(&[number(SARA)], what))).to_vec()
    };
    for at in [NOW, NOW + Duration::seconds(11)] {
        let outcomes = world.record_over(&world.stores, updates(), at).await;
        assert_eq!(outcomes, [UpdateOutcome::Finished, UpdateOutcome::Finished, UpdateOutcome::Finished]);
    }
    assert_eq!(world.texts("SELECT content FROM messages ORDER BY id").await, ["طلبك جاهز", "from the app"]);
    assert_eq!(world.texts("SELECT event FROM deliveries").await, ["message.sent"]);
}

#[tokio::test]
async fn a_paused_or_full_plan_stops_nobody_from_writing() {
    let world = World::new().await;
    world.execute("UPDATE workspaces SET paused = true, active_customer_limit = 0", &[]).await;
    assert_eq!(world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await, [UpdateOutcome::Finished]);
    assert_eq!(world.count("messages").await, 1);
}

#[tokio::test]
async fn a_message_with_files_is_recorded_at_once_and_told_of_when_they_are_here() {
    let world = World::new().await;
    world.subscribe(ALL).await;
    let image = InboundMedia {
        kind: AttachmentKind::Image,
        source: MediaSource::Id("1037543291543636".to_owned()),
        content_type: Some("image/jpeg".to_owned()),
        title: None,
        sha256: None,
        voice: false,
    };
    let written = Written { media: vec![image], ..words("wamid.1", "") };
    let outcomes = world.record(vec![update(&[number(SARA)], UpdateKind::Wrote(written))]).await;
    assert_eq!(outcomes, [UpdateOutcome::Finished]);
    assert_eq!(world.texts("SELECT event FROM deliveries").await, ["conversation.created"]);
    assert_eq!(world.count("attachments WHERE state = 'pending'").await, 1);
    assert_eq!(world.count("attachment_queue").await, 1);
}

#[tokio::test]
async fn the_newest_message_that_was_read_is_taken_once_and_only_where_networks_are_to_be_told() {
    let world = World::new().await;
    world.record(vec![wrote(&[number(SARA)], "wamid.1"), wrote(&[number(SARA)], "wamid.2")]).await;
    let ids = world.texts("SELECT id::text FROM messages ORDER BY id").await;
    let messages: Vec<MessageId> = ids.iter().map(|id| id.parse().unwrap()).collect();
    let conversation = world.texts("SELECT conversation_id::text FROM unread_messages").await;
    let [conversation] = conversation.as_slice() else { panic!("{conversation:?}") };
    let conversation = conversation.parse().unwrap();
    let store = &world.stores.conversations;
    let take = async |message| store.take_receipt(world.workspace, conversation, message).await.unwrap();
    assert!(take(messages[0]).await.is_none(), "the newest has not been read");
    world.execute("UPDATE workspaces SET marks_read = false", &[]).await;
    assert!(take(messages[1]).await.is_none(), "nobody is to be told");
    world.execute("UPDATE workspaces SET marks_read = true", &[]).await;
    let due = take(messages[1]).await.unwrap();
    assert_eq!(due.mark, ReadMark::Message("wamid.2".to_owned().into()));
    assert!(take(messages[1]).await.is_none(), "it was taken");
    assert_eq!(world.count("unread_messages").await, 0);
}

#[tokio::test]
async fn no_message_s_id_is_kept_for_a_network_that_is_told_of_the_person() {
    let world = World::new().await;
    world.execute("UPDATE channels SET kind = 'messenger', phone = NULL", &[]).await;
    world.record(vec![wrote(&[Identity::MessengerUser("2481".to_owned())], "m_1")]).await;
    let kept = world.texts("SELECT octet_length(network_id_sealed)::text FROM unread_messages").await;
    assert_eq!(kept, ["0"]);
    let key = |column: &'static str| {
        let world = &world;
        async move { world.texts(&format!("SELECT {column}::text FROM unread_messages")).await.remove(0) }
    };
    let conversation = key("conversation_id").await.parse().unwrap();
    let message = key("message_id").await.parse().unwrap();
    let due = world.stores.conversations.take_receipt(world.workspace, conversation, message).await;
    assert_eq!(due.unwrap().unwrap().mark, ReadMark::Person("2481".to_owned().into()));
}
