//! Adding, naming and looking up.

use std::sync::Arc;

use domain::{
    channels::ChannelKind,
    contacts::{AskedContacts, ContactProfile, ContactSource},
    paging::AskedPage,
    testing::a_moment,
};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::contacts::world::World;

#[tokio::test]
async fn who_is_added_is_found_by_id_and_only_in_their_workspace() {
    let world = World::new().await;
    let added = world.add("0770 123 4567", Some("سارة")).await;
    assert_eq!(added.contact.source, ContactSource::Import);
    assert_eq!(added.contact.created_at, a_moment());
    assert_eq!(added, ContactProfile::without_conversations(added.contact.clone()));
    assert_eq!(world.get(world.workspace, added.contact.id).await, Some(added.clone()));
    assert_eq!(world.get(world.other_workspace, added.contact.id).await, None);
    assert_eq!(world.get(world.workspace, Uuid::from_u128(77).into()).await, None);
}

#[tokio::test]
async fn adding_again_changes_nothing_but_a_blank_name() {
    let world = World::new().await;
    let nameless = world.add("+9647701234567", None).await;
    for (phone, name, now) in [
        ("07701234567", None, None),
        ("٠٧٧٠١٢٣٤٥٦٧", Some(" سارة "), Some("سارة")),
        ("9647701234567", Some("Sara"), Some("سارة")),
        ("+964 (0) 770 123 4567", None, Some("سارة")),
    ] {
        let again = world.add(phone, name).await;
        assert_eq!(again.contact.id, nameless.contact.id, "{phone}");
        assert_eq!(again.contact.name.as_deref(), now, "{phone}");
        assert_eq!(world.get(world.workspace, again.contact.id).await, Some(again));
    }
    let elsewhere = world.add_to(world.other_workspace, "07701234567", None).await;
    assert_ne!(elsewhere.contact.id, nameless.contact.id);
    assert_eq!(world.miscounts().await, 0);
}

#[tokio::test]
async fn a_number_added_fifty_times_at_once_is_one_contact() {
    let world = World::new().await;
    let names: Vec<String> = (0..50).map(|index| format!("Sara {index}")).collect();
    let adding = names
        .iter()
        .map(|name| world.add("07701234567", Some(name).filter(|_| name.len() > 6).map(String::as_str)));
    let added = join_all(adding).await;
    assert!(added.iter().all(|one| one.contact.id == added[0].contact.id));
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 1);
    assert_eq!(world.number("SELECT sum(contacts)::bigint FROM contact_counts").await, 1);
    let kept = world.get(world.workspace, added[0].contact.id).await.unwrap().contact.name.unwrap();
    assert!(names.contains(&kept), "the first name that came stays");
    assert_eq!(world.miscounts().await, 0);
}

#[tokio::test]
async fn adding_and_renaming_at_once_miscounts_nothing() {
    let world = Arc::new(World::new().await);
    let tasks = (0..60_u32).map(|index| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let added = world.add(&format!("0770{:07}", index % 40), Some("زينب Ali")).await;
            for name in ["Omar", "علي", "Omar Ali"] {
                world.rename(added.contact.id, &format!("{name} {index}")).await.unwrap();
            }
        })
    });
    for ended in join_all(tasks).await {
        ended.unwrap();
    }
    assert_eq!(world.number("SELECT count(*) FROM contacts").await, 40);
    assert_eq!(world.miscounts().await, 0);
}

#[tokio::test]
async fn a_renamed_person_is_found_by_the_new_name_only() {
    let world = World::new().await;
    let added = world.add("07701234567", Some("Omar")).await;
    let renamed = world.rename(added.contact.id, "  Khalid ").await.unwrap();
    assert_eq!(renamed.contact.name.as_deref(), Some("Khalid"));
    assert_eq!(world.get(world.workspace, added.contact.id).await, Some(renamed));
    for (text, finds) in [("Oma", 0), ("om", 0), ("kh", 1), ("khalid", 1), ("k", 1), ("1234567", 1), ("5", 1)]
    {
        assert_eq!(world.search(text).await.1, finds, "{text}");
    }
    assert_eq!(world.miscounts().await, 0);
    assert_eq!(world.rename(Uuid::from_u128(77).into(), "Khalid").await, None);
}

#[tokio::test]
async fn a_profile_tells_of_every_conversation_of_the_person() {
    let world = World::new().await;
    let id = world.add("07701234567", Some("سارة")).await.contact.id;
    let (workspace, account, written) = (world.workspace.uuid(), world.new_id(), a_moment());
    world
        .execute(
            "INSERT INTO accounts (workspace_id, id, network_id, token_sealed, connected_at, templates_due_at)
             VALUES ($1, $2, 'waba', '', now(), now())",
            &[&workspace, &account],
        )
        .await;
    for (index, (kind, tags)) in
        [("whatsapp", vec!["vip", "آجل"]), ("messenger", vec!["late", "vip"]), ("instagram", vec![])]
            .iter()
            .enumerate()
    {
        let (channel, conversation) = (world.new_id(), world.new_id());
        world
            .execute(
                "INSERT INTO channels (workspace_id, id, kind, account_id, network_id, connected_at, position)
                 VALUES ($1, $2, $3, $4, $5, now(), 0)",
                &[&workspace, &channel, kind, &account, &index.to_string()],
            )
            .await;
        world
            .execute(
                "INSERT INTO conversations
                     (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
                 VALUES ($1, $2, $3, $4, $5, 'bot', now(), now())",
                &[&workspace, &conversation, &id.uuid(), &channel, kind],
            )
            .await;
        for tag in tags {
            world
                .execute(
                    "INSERT INTO conversation_tags VALUES ($1, $2, $3)",
                    &[&workspace, &conversation, tag],
                )
                .await;
        }
    }
    world
        .execute(
            "UPDATE contacts SET channels = '{whatsapp,messenger}', last_active_at = $2, avatar_url = 'https://x.example/a'
             WHERE id = $1",
            &[&id.uuid(), &written],
        )
        .await;
    let profile = world.get(world.workspace, id).await.unwrap();
    assert_eq!(profile.conversations, 3);
    assert_eq!(profile.tags, ["late", "vip", "آجل"]);
    assert_eq!(profile.channels, [ChannelKind::Messenger, ChannelKind::Whatsapp]);
    assert_eq!(profile.last_active_at, Some(written));
    assert_eq!(profile.avatar_url.as_deref(), Some("https://x.example/a"));
    let listed = world.list(world.workspace, &AskedContacts::default(), &AskedPage::default()).await.unwrap();
    assert_eq!(listed.page.rows, [profile]);
}
