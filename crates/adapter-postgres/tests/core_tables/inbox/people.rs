//! Identification of people by all their names at networks.

use domain::{
    contacts::{ContactSignal, ports::ContactStore},
    conversation::Conversation,
    conversations::{
        ReadMark,
        ports::{ConversationStore, ReceiptStore},
    },
    errors::StoreError,
    ids::ContactId,
    inbound::{UpdateKind, UpdateOutcome, ports::InboxStore},
    messages::ports::MessageStore,
    paging::{AskedPage, Cursors},
};
use time::Duration;

use super::{SARA, number, update, user, wrote};
use crate::core_tables::world::{NOW, World, phone};

const OTHER: &str = "+9647709999999";

async fn contact_of(world: &World, e164: &str) -> Option<ContactId> {
    let found = world.stores.contacts.find_by_phone(world.workspace, &phone(e164)).await.unwrap();
    found.map(|profile| profile.contact.id)
}

async fn all_finished(world: &World, updates: Vec<domain::inbound::ConversationUpdate>) {
    let outcomes = world.record(updates).await;
    assert!(outcomes.iter().all(|outcome| *outcome == UpdateOutcome::Finished), "{outcomes:?}");
}

#[tokio::test]
async fn somebody_without_a_number_is_a_contact_and_gets_the_number_when_it_is_known() {
    let world = World::new().await;
    all_finished(&world, vec![wrote(&[user("IQ.1")], "wamid.1")]).await;
    assert_eq!(world.count("contacts WHERE phone IS NULL").await, 1);
    all_finished(&world, vec![wrote(&[number(SARA), user("IQ.1")], "wamid.2")]).await;
    assert!(contact_of(&world, SARA).await.is_some());
    all_finished(&world, vec![wrote(&[number(SARA)], "wamid.3"), wrote(&[user("IQ.1")], "wamid.4")]).await;
    assert_eq!((world.count("contacts").await, world.count("conversations").await), (1, 1));
    assert_eq!(world.count("messages").await, 4);
    let parts = "SELECT sum(contacts)::text FROM contact_part_counts WHERE part = '77'";
    assert_eq!(world.texts(parts).await, ["1"], "the number is searched for, too");
}

#[tokio::test]
async fn names_of_a_new_person_that_only_their_last_message_joins_are_one_person() {
    let world = World::new().await;
    let updates = vec![
        wrote(&[number(SARA)], "wamid.1"),
        wrote(&[user("IQ.1")], "wamid.2"),
        wrote(&[user("IQ.1"), number(SARA)], "wamid.3"),
    ];
    all_finished(&world, updates).await;
    assert_eq!((world.count("contacts").await, world.count("messages").await), (1, 3));
}

/// Two contacts, each with a conversation and messages; the second has tags and the later state.
async fn two_contacts(world: &World) -> [Conversation; 2] {
    all_finished(world, vec![wrote(&[user("IQ.1")], "wamid.1"), wrote(&[user("IQ.1")], "wamid.2")]).await;
    let other = world.send(&world.notice(&phone(SARA))).await;
    all_finished(world, vec![wrote(&[number(SARA)], "wamid.3")]).await;
    world
        .execute(
            "INSERT INTO conversation_tags VALUES ($1, $2, 'vip')",
            &[&world.workspace.uuid(), &other.conversation.unwrap().uuid()],
        )
        .await;
    let close = "UPDATE conversations SET status = 'closed' WHERE id <> $1";
    world.execute(close, &[&other.conversation.unwrap().uuid()]).await;
    let ids = world.texts("SELECT id::text FROM conversations ORDER BY created_at, id").await;
    let mut conversations = Vec::new();
    for id in ids {
        let found: Option<Conversation> =
            ConversationStore::find(&*world.stores.conversations, world.workspace, id.parse().unwrap())
                .await
                .unwrap();
        conversations.push(found.unwrap());
    }
    conversations.try_into().unwrap()
}

#[tokio::test]
async fn two_contacts_that_turn_out_to_be_one_person_are_merged_without_losing_a_row() {
    let world = World::new().await;
    let [older, newer] = two_contacts(&world).await;
    all_finished(&world, vec![wrote(&[number(SARA), user("IQ.1")], "wamid.4")]).await;

    assert_eq!((world.count("contacts").await, world.count("conversations").await), (1, 1));
    assert_eq!(world.count("messages").await, 5);
    assert_eq!(contact_of(&world, SARA).await, Some(older.contact), "the older one stays");
    let cursors = Cursors { vault: std::sync::Arc::new(crate::core_tables::vault::TestVault) };
    for (contact, conversation) in [(older.contact, older.id), (newer.contact, newer.id)] {
        let profile =
            ContactStore::find(&*world.stores.contacts, world.workspace, contact).await.unwrap().unwrap();
        assert_eq!(profile.contact.id, older.contact);
        assert_eq!((profile.conversations, profile.tags), (1, vec!["vip".to_owned()]));
        let found = ConversationStore::find(&*world.stores.conversations, world.workspace, conversation)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((found.id, found.contact, found.status.as_str()), (older.id, older.contact, "bot"));
        let page = cursors.open(world.workspace, "any", &AskedPage::default()).unwrap();
        let messages =
            MessageStore::list(&*world.stores.messages, world.workspace, conversation, page).await.unwrap();
        assert_eq!(messages.unwrap().len(), 5);
    }
    assert_eq!(world.count("sends WHERE contact_id IS NOT NULL").await, 1);
    assert_eq!(world.texts("SELECT sum(contacts)::text FROM contact_counts").await, ["1"]);
    let wrong = "contact_part_counts WHERE contacts < 0";
    assert_eq!(world.count(wrong).await, 0);
}

#[tokio::test]
async fn whoever_waits_for_the_assistant_waits_on_where_the_conversation_becomes_one_with_another() {
    for also_there in [false, true] {
        let world = World::new().await;
        let [older, newer] = two_contacts(&world).await;
        let waits = "INSERT INTO assistant_turns (workspace_id, conversation_id, due_at, waiting_since, heard, day, turns)
            VALUES ($1, $2, '2026-11-21 10:00:02Z', '2026-11-21 10:00Z', 1, '2026-11-21', 3)";
        world.execute(waits, &[&world.workspace.uuid(), &newer.id.uuid()]).await;
        if also_there {
            let later = waits.replace("10:00:02Z", "10:02Z").replace("10:00Z", "10:01Z");
            world.execute(&later, &[&world.workspace.uuid(), &older.id.uuid()]).await;
        }
        let renumbered = UpdateKind::Renumbered { now: vec![number(SARA)] };
        all_finished(&world, vec![update(&[user("IQ.1")], renumbered)]).await;
        assert_eq!(world.count("conversations").await, 1);
        let turns =
            world.texts("SELECT concat_ws(' ', conversation_id, heard, turns) FROM assistant_turns").await;
        assert_eq!(turns, [format!("{} 2 3", older.id)], "{also_there}");
        let since_the_earlier = "assistant_turns WHERE due_at - waiting_since = interval '2 seconds'";
        assert_eq!(world.count(since_the_earlier).await, 1, "{also_there}");
    }
}

#[tokio::test]
async fn words_of_a_conversation_that_becomes_one_with_another_confirm_nothing_that_is_asked_there() {
    let world = World::new().await;
    let [older, newer] = two_contacts(&world).await;
    let asked =
        "INSERT INTO drafts (workspace_id, id, conversation_id, kind, state, language, summary_id, system_id,
            read_until, only_button, created_at, expires_at)
        VALUES ($1, $2, $2, 'order', 'open', 'ar', $2, $2, '2026-11-21 10:00Z', false, '2026-11-21 10:00Z',
            '2026-11-21 10:30Z')";
    for conversation in [&older, &newer] {
        world.execute(asked, &[&world.workspace.uuid(), &conversation.id.uuid()]).await;
    }
    let renumbered = UpdateKind::Renumbered { now: vec![number(SARA)] };
    all_finished(&world, vec![update(&[user("IQ.1")], renumbered)]).await;
    let drafts =
        world.texts("SELECT concat_ws(' ', id, state, only_button) FROM drafts ORDER BY state").await;
    assert_eq!(drafts, [format!("{} open t", older.id), format!("{} withdrawn f", newer.id)]);
}

#[tokio::test]
async fn what_was_read_stays_read_and_the_newest_message_is_told_of_where_two_conversations_become_one() {
    let world = World::new().await;
    let [older, newer] = two_contacts(&world).await;
    let joins = "INSERT INTO members (workspace_id, id, email, role, created_at)
                 VALUES ($1, $2, $2::uuid::text || '@shop.example', 'owner', now())";
    let looked = "INSERT INTO seen_conversations (workspace_id, member_id, conversation_id, seen_at)
                VALUES ($1, $2, $3, date '2026-11-21' + $4 * interval '1 hour')";
    // Members who have read one of the two conversations, or both, the one or the other further.
    let marks = [(1, &newer, 9.0), (2, &older, 9.0), (3, &older, 9.0), (3, &newer, 11.0)];
    let marks = marks.into_iter().chain([(4, &older, 11.0), (4, &newer, 9.0)]);
    for member in 1..=4 {
        world.execute(joins, &[&world.workspace.uuid(), &uuid::Uuid::from_u128(member)]).await;
    }
    for (member, conversation, hour) in marks {
        let (member, hour): (_, f64) = (uuid::Uuid::from_u128(member), hour);
        world.execute(looked, &[&world.workspace.uuid(), &member, &conversation.id.uuid(), &hour]).await;
    }
    let renumbered = UpdateKind::Renumbered { now: vec![number(SARA)] };
    all_finished(&world, vec![update(&[user("IQ.1")], renumbered)]).await;
    let seen = "SELECT concat_ws(' ', conversation_id, extract(hour FROM seen_at))
                FROM seen_conversations ORDER BY member_id";
    let kept = [9, 9, 11, 11].map(|hour| format!("{} {hour}", older.id));
    assert_eq!(world.texts(seen).await, kept);

    let newest = world.texts("SELECT message_id::text FROM unread_messages").await;
    let store = &world.stores.conversations;
    let due = store.take_receipt(world.workspace, older.id, newest[0].parse().unwrap()).await.unwrap();
    assert_eq!(due.unwrap().mark, ReadMark::Message("wamid.3".to_owned().into()));
    assert_eq!(world.count("unread_messages").await, 0);
}

#[tokio::test]
async fn what_people_signal_is_kept_with_who_they_are_by_now() {
    let world = World::new().await;
    let [older, newer] = two_contacts(&world).await;
    let marketing = |stopped| ContactSignal::Marketing { stopped };
    let signals = |names: &[_], stopped| update(names, UpdateKind::Signalled { signal: marketing(stopped) });
    let unknown = world.record(vec![signals(&[user("IQ.9")], true)]).await;
    assert_eq!(unknown, [UpdateOutcome::Waits], "they may be about to write");
    for (names, stopped) in [(user("IQ.1"), false), (number(SARA), false), (number(SARA), true)] {
        assert_eq!(world.record(vec![signals(&[names], stopped)]).await, [UpdateOutcome::Handled]);
    }
    assert_eq!(world.count("contact_signals").await, 2, "of each kind the latest");
    let earlier = NOW - Duration::hours(1);
    let channel = older.channel;
    let resumed = marketing(false);
    let late = world.stores.inbound.signalled(world.workspace, newer.contact, channel, &resumed, earlier);
    late.await.unwrap();
    all_finished(&world, vec![wrote(&[number(SARA), user("IQ.1")], "wamid.4")]).await;
    for contact in [older.contact, newer.contact] {
        let kept = world.stores.contacts.signals(world.workspace, contact).await.unwrap();
        let [kept] = kept.as_slice() else { panic!("{kept:?}") };
        assert_eq!((kept.channel, kept.at), (channel, NOW - Duration::seconds(3)));
    }
    let gone =
        world.stores.inbound.signalled(world.workspace, newer.contact, channel, &marketing(false), NOW).await;
    assert!(matches!(gone, Err(StoreError::Stale)), "{gone:?}");
}

#[tokio::test]
async fn what_a_signal_says_is_kept_whatever_its_characters() {
    let world = World::new().await;
    all_finished(&world, vec![wrote(&[number(SARA)], "wamid.1")]).await;
    let contact = contact_of(&world, SARA).await.unwrap();
    let says = |title: &str| {
        let payload = Some(r"a \u0000 of its own".to_owned());
        ContactSignal::OptIn { stopped: false, title: Some(title.to_owned()), payload }
    };
    let told = update(&[number(SARA)], UpdateKind::Signalled { signal: says("a\0b") });
    assert_eq!(world.record(vec![told]).await, [UpdateOutcome::Handled]);
    let kept = world.stores.contacts.signals(world.workspace, contact).await.unwrap();
    assert_eq!(kept.into_iter().map(|kept| kept.signal).collect::<Vec<_>>(), [says("ab")]);
}

#[tokio::test]
async fn a_merged_contact_may_be_merged_again_and_every_old_id_answers() {
    let world = World::new().await;
    all_finished(&world, vec![wrote(&[user("IQ.1")], "wamid.1")]).await;
    all_finished(&world, vec![wrote(&[user("IQ.2")], "wamid.2")]).await;
    all_finished(&world, vec![wrote(&[user("IQ.3")], "wamid.3")]).await;
    let old = world.texts("SELECT id::text FROM contacts ORDER BY created_at, id").await;
    all_finished(&world, vec![wrote(&[user("IQ.3"), user("IQ.2")], "wamid.4")]).await;
    all_finished(&world, vec![wrote(&[user("IQ.2"), user("IQ.1")], "wamid.5")]).await;
    for id in &old {
        let found =
            ContactStore::find(&*world.stores.contacts, world.workspace, id.parse().unwrap()).await.unwrap();
        assert_eq!(found.unwrap().contact.id.to_string(), old[0]);
    }
    assert_eq!(world.count("messages").await, 5);
    assert_eq!(world.count("conversation_aliases").await, 2);
}

#[tokio::test]
async fn a_changed_number_follows_the_person() {
    let world = World::new().await;
    all_finished(&world, vec![wrote(&[number(SARA), user("IQ.1")], "wamid.1")]).await;
    let sara = contact_of(&world, SARA).await;
    let now = vec![number(OTHER), user("IQ.2")];
    all_finished(&world, vec![update(&[number(SARA)], UpdateKind::Renumbered { now })]).await;
    assert_eq!(contact_of(&world, OTHER).await, sara);
    assert_eq!(contact_of(&world, SARA).await, None, "it may be somebody else's one day");
    all_finished(&world, vec![wrote(&[user("IQ.2")], "wamid.2"), wrote(&[number(OTHER)], "wamid.3")]).await;
    assert_eq!((world.count("contacts").await, world.count("conversations").await), (1, 1));
}

#[tokio::test]
async fn a_user_id_that_went_over_to_another_known_number_merges_nobody() {
    let world = World::new().await;
    all_finished(&world, vec![wrote(&[number(SARA), user("IQ.1")], "wamid.1")]).await;
    all_finished(&world, vec![wrote(&[number(OTHER)], "wamid.2")]).await;
    all_finished(&world, vec![wrote(&[number(OTHER), user("IQ.1")], "wamid.3")]).await;
    assert_eq!(world.count("contacts").await, 2);
    let owner = "SELECT contact_id::text FROM identities WHERE value = 'IQ.1'";
    assert_eq!(world.texts(owner).await, [contact_of(&world, OTHER).await.unwrap().to_string()]);
}

#[tokio::test]
async fn somebody_added_by_number_is_the_one_who_writes() {
    let world = World::new().await;
    let contact = domain::contacts::Contact {
        id: ContactId::new(&*world.ids),
        name: None,
        phone: Some(phone(SARA)),
        source: domain::contacts::ContactSource::Import,
        created_at: NOW,
    };
    assert!(ContactStore::add(&*world.stores.contacts, world.workspace, &contact, None).await.unwrap());
    all_finished(&world, vec![wrote(&[number(SARA)], "wamid.1")]).await;
    let profile = world.stores.contacts.find_by_phone(world.workspace, &phone(SARA)).await.unwrap().unwrap();
    assert_eq!(profile.contact.id, contact.id);
    assert_eq!(profile.contact.name.as_deref(), Some("سارة"), "a blank name is filled");
    assert_eq!(profile.contact.source.as_str(), "import", "how they came to be known stays");
    let searchable = "contact_part_counts WHERE part = 'سا' AND contacts = 1";
    assert_eq!(world.count(searchable).await, 1);
}

/// A table that refers to a contact or a conversation has to be moved when two become one.
#[tokio::test]
async fn whatever_refers_to_a_contact_or_a_conversation_is_known_to_merging() {
    let world = World::new().await;
    let referring = "SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
                     WHERE contype = 'f' AND confrelid IN ('contacts'::regclass, 'conversations'::regclass)
                     ORDER BY 1";
    assert_eq!(
        world.texts(referring).await,
        [
            "contact_aliases",
            "contact_signals",
            "conversation_aliases",
            "conversation_tags",
            "conversations",
            "identities",
            "messages",
            "notes",
            // Deleted with the merged conversation: members looking at it look at the other one next.
            "presences",
            "seen_conversations",
            "sends",
            "unread_messages"
        ]
    );
}
