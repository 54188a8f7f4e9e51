//! Posts and updates that could not be read or handled: listed sealed, replayed in one transaction, dropped.

use domain::{
    channels::ChannelKind,
    ids::JournalId,
    inbound::{
        JournalEntry, JournalItem, QuarantinedItem, SetAside, Settlement,
        ports::{Journal, Quarantine},
    },
};
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World};

const RAW: &[u8] = b"not json \xff";

fn an_entry(world: &World) -> JournalEntry {
    let item = JournalItem::TemplatesChanged { account_network_id: "waba-1".to_owned() };
    let id = JournalId::new(&*world.ids);
    JournalEntry { id, workspace: world.workspace, received_at: NOW, attempts: 0, item }
}

/// Returns an entry for an update of WhatsApp.
pub(crate) fn set_aside(entry: &JournalEntry, reason: &str) -> SetAside {
    SetAside { id: entry.id, network: Some(ChannelKind::Whatsapp), reason: reason.to_owned() }
}

/// A post, and an update that was tried often enough.
async fn a_quarantine(world: &World) -> JournalEntry {
    world.stores.inbound.quarantine("kiosk", RAW, None, "no JSON", NOW).await.unwrap();
    let entry = an_entry(world);
    world.stores.inbound.append(world.workspace, std::slice::from_ref(&entry), false).await.unwrap();
    let settlement =
        Settlement { set_aside: vec![set_aside(&entry, "no such account")], ..Settlement::default() };
    world.stores.inbound.settle(world.workspace, &settlement).await.unwrap();
    entry
}

#[tokio::test]
async fn it_is_listed_oldest_first_page_by_page() {
    let world = World::new().await;
    a_quarantine(&world).await;
    world
        .stores
        .inbound
        .quarantine("meta", b"[]", Some(ChannelKind::Instagram), "it has no list of entries", NOW + 1.hours())
        .await
        .unwrap();
    let listed = world.stores.inbound.list(0, 10).await.unwrap();
    let said: Vec<_> = listed
        .iter()
        .map(|kept| (kept.network, kept.workspace, kept.reason.as_str(), kept.received_at))
        .collect();
    assert_eq!(
        said,
        [
            (None, None, "no JSON", NOW),
            (Some(ChannelKind::Whatsapp), Some(world.workspace), "no such account", NOW),
            (Some(ChannelKind::Instagram), None, "it has no list of entries", NOW + 1.hours()),
        ]
    );
    assert!(listed.iter().all(|kept| kept.bytes > 0));
    assert_eq!(world.stores.inbound.list(0, 1).await.unwrap(), listed[..1]);
    assert_eq!(world.stores.inbound.list(listed[0].id, 10).await.unwrap(), listed[1..]);
    assert!(world.stores.inbound.list(listed[2].id, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn it_opens_as_it_was_kept() {
    let world = World::new().await;
    let entry = a_quarantine(&world).await;
    let listed = world.stores.inbound.list(0, 10).await.unwrap();
    let post = world.stores.inbound.open(listed[0].id).await.unwrap();
    let Some(QuarantinedItem::Post { webhook, payload }) = post else { panic!("a post") };
    assert_eq!((webhook.as_str(), payload.as_slice()), ("kiosk", RAW));
    let Some(QuarantinedItem::Update(update)) = world.stores.inbound.open(listed[1].id).await.unwrap() else {
        panic!("an update")
    };
    assert_eq!(*update, entry);
    assert!(world.stores.inbound.open(9_999).await.unwrap().is_none());

    world.execute("UPDATE quarantine SET payload_sealed = '\\x00'", &[]).await;
    for kept in listed {
        assert!(matches!(
            world.stores.inbound.open(kept.id).await.unwrap(),
            Some(QuarantinedItem::Sealed(_))
        ));
    }
}

#[tokio::test]
async fn what_is_replayed_is_due_at_once_and_leaves_or_stays_with_its_new_reason() {
    let world = World::new().await;
    a_quarantine(&world).await;
    let other = world.add_workspace().await;
    let listed = world.stores.inbound.list(0, 10).await.unwrap();
    let entries = [an_entry(&world), JournalEntry { workspace: other, ..an_entry(&world) }];
    assert!(world.stores.inbound.replay(listed[0].id, &entries, Some("entry\0".to_owned())).await.unwrap());
    assert_eq!(world.texts("SELECT reason FROM quarantine ORDER BY id").await, ["entry", "no such account"]);
    let _holding = world.stores.inbound.hold_updates().await.unwrap();
    for entry in &entries {
        let due =
            world.stores.inbound.claim(entry.workspace, NOW, NOW + 1.minutes(), 10).await.unwrap().entries;
        let due: Vec<_> = due.into_iter().map(|held| held.entry).collect();
        assert_eq!(due, [JournalEntry { attempts: 1, ..entry.clone() }]);
    }
    assert!(world.stores.inbound.replay(listed[0].id, &[], None).await.unwrap());
    assert_eq!(world.count("quarantine").await, 1);
}

#[tokio::test]
async fn of_two_replays_at_once_one_journals() {
    let world = World::new().await;
    let entry = a_quarantine(&world).await;
    let id = world.stores.inbound.list(0, 10).await.unwrap()[1].id;
    let entries = [entry];
    let (one, other) = tokio::join!(
        world.stores.inbound.replay(id, &entries, None),
        world.stores.inbound.replay(id, &entries, None)
    );
    assert_ne!(one.unwrap(), other.unwrap());
    assert_eq!(world.count("journal").await, 1);
}

#[tokio::test]
async fn what_is_dropped_is_gone() {
    let world = World::new().await;
    a_quarantine(&world).await;
    let id = world.stores.inbound.list(0, 10).await.unwrap()[0].id;
    assert!(world.stores.inbound.discard(id).await.unwrap());
    assert!(!world.stores.inbound.discard(id).await.unwrap());
    assert!(!world.stores.inbound.replay(id, &[an_entry(&world)], None).await.unwrap());
    assert_eq!((world.count("quarantine").await, world.count("journal").await), (1, 0));
}
