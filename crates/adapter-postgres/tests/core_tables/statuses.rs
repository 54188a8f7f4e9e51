//! Statuses of sent messages.

use domain::{
    clock::stamp_after,
    errors::StoreError,
    events::{Event, EventType},
    ids::{JournalId, MessageId, WorkspaceId},
    inbound::{
        JournalEntry, JournalItem, MessageNames, SentMessage, StatusChange, StatusUpdate,
        ports::{Journal, SentMessages},
    },
    messages::{DeliveryStatus, NetworkMessageId, Progress},
    sending::SendState,
};
use futures_util::future::join_all;
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World, network_id};

fn change(found: &SentMessage, to: DeliveryStatus) -> StatusChange {
    let id = found.entry.intent.id;
    let update = StatusUpdate {
        network_id: NetworkMessageId::from("wamid".to_owned()),
        tag: None,
        status: to,
        at: NOW,
        error: None,
    };
    StatusChange {
        id,
        before: found.entry.progress,
        after: found.entry.progress.advance(to, NOW + 1.minutes()).0,
        kept_error: (to == DeliveryStatus::Failed).then(|| "blocked\0".to_owned()),
        error_code: (to == DeliveryStatus::Failed).then_some(131_026),
        events: vec![Event::message_status(
            found,
            &update,
            &update.network_id,
            stamp_after(found.stamped_at, NOW),
        )],
    }
}

async fn find(
    world: &World,
    workspace: WorkspaceId,
    tag: Option<MessageId>,
    network_id: &NetworkMessageId,
) -> Option<SentMessage> {
    let names = MessageNames { tag, network_id: network_id.clone() };
    let found = world.stores.inbound.find(workspace, &[names]).await.unwrap();
    assert_eq!(found.len(), 1);
    found.into_iter().next().unwrap()
}

#[tokio::test]
async fn a_send_is_found_by_its_tag_while_in_flight_and_by_the_networks_id_once_settled() {
    let world = World::new().await;
    let to = world.somebody();
    for intent in [world.notice(&to), world.code()] {
        let network_id = network_id(&intent);
        let find = |tag| find(&world, world.workspace, tag, &network_id);
        world.begin(&intent).await;
        assert_eq!(find(None).await, None);
        assert_eq!(find(Some(MessageId::new(&*world.ids))).await, None);
        let found = find(Some(intent.id)).await.unwrap();
        assert_eq!((&found.entry.intent, found.entry.state), (&intent, SendState::InFlight));
        assert_eq!((found.customer, found.entry.progress), (None, Progress::SENT));

        let result = world.settle(&intent).await.unwrap().unwrap();
        let found = find(None).await.unwrap();
        assert_eq!(found.entry.intent, intent);
        let customer = found.customer.clone();
        let wanted =
            intent.conversation_entry.template_send().map(|_| (Some("Layla".to_owned()), Some(to.clone())));
        assert_eq!(customer.map(|customer| (customer.name, customer.phone)), wanted);
        assert_eq!(found.entry.state, SendState::Sent(Box::new(result)));
        assert_eq!(find(Some(intent.id)).await, Some(found));
    }
}

#[tokio::test]
async fn the_tag_comes_before_the_networks_id() {
    let world = World::new().await;
    let (one, other) = (world.code(), world.code());
    world.send(&one).await;
    world.send(&other).await;
    let found = find(&world, world.workspace, Some(one.id), &network_id(&other)).await;
    assert_eq!(found.unwrap().entry.intent.id, one.id);
    let unknown = Some(MessageId::new(&*world.ids));
    let found = find(&world, world.workspace, unknown, &network_id(&other)).await;
    assert_eq!(found.unwrap().entry.intent.id, other.id);
}

#[tokio::test]
async fn another_workspaces_send_is_not_found() {
    let world = World::new().await;
    let intent = world.code();
    world.send(&intent).await;
    let other = world.add_workspace().await;
    assert_eq!(find(&world, other, Some(intent.id), &network_id(&intent)).await, None);
}

#[tokio::test]
async fn of_changes_decided_on_one_state_the_first_wins_and_the_others_are_stale() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageDelivered]).await;
    let intent = world.notice(&world.somebody());
    world.send(&intent).await;
    let network_id = network_id(&intent);
    let find = || find(&world, world.workspace, Some(intent.id), &network_id);
    for (to, deliveries) in [(DeliveryStatus::Delivered, 1), (DeliveryStatus::Failed, 1)] {
        let found = find().await.unwrap();
        let change = change(&found, to);
        let written = join_all(
            (0..8).map(|_| world.stores.inbound.commit(world.workspace, std::slice::from_ref(&change), &[])),
        )
        .await;
        assert_eq!(written.iter().filter(|written| written.is_ok()).count(), 1);
        assert_eq!(written.iter().filter(|written| matches!(written, Err(StoreError::Stale))).count(), 7);
        assert_eq!(find().await.unwrap().entry.progress, change.after);
        assert_eq!(world.count("deliveries").await, deliveries);
    }
    assert_eq!(world.texts("SELECT error FROM sends").await, ["blocked"]);
}

#[tokio::test]
async fn many_are_found_in_the_order_asked() {
    let world = World::new().await;
    let sends = [world.notice(&world.somebody()), world.code(), world.code()];
    for send in &sends {
        world.send(send).await;
    }
    let by_tag = |index: usize| MessageNames {
        tag: Some(sends[index].id),
        network_id: NetworkMessageId::from("wamid.unknown".to_owned()),
    };
    let by_network_id = |index: usize| MessageNames { tag: None, network_id: network_id(&sends[index]) };
    let unknown = MessageNames {
        tag: Some(MessageId::new(&*world.ids)),
        network_id: NetworkMessageId::from("wamid.unknown".to_owned()),
    };
    let asked = [by_network_id(2), by_tag(0), unknown, by_tag(0), by_network_id(0), by_tag(1)];
    let found = world.stores.inbound.find(world.workspace, &asked).await.unwrap();
    let found: Vec<_> = found.into_iter().map(|found| found.map(|sent| sent.entry.intent.id)).collect();
    let wanted = [Some(2), Some(0), None, Some(0), Some(0), Some(1)];
    assert_eq!(found, wanted.map(|index: Option<usize>| index.map(|index| sends[index].id)));
}

/// Two notices that are sent, and a journaled status of each.
async fn two_sent(world: &World) -> (Vec<SentMessage>, Vec<JournalId>) {
    world.subscribe(&[EventType::MessageDelivered]).await;
    let mut found = Vec::new();
    let mut updates = Vec::new();
    for _ in 0..2 {
        let intent = world.notice(&world.somebody());
        world.send(&intent).await;
        found.extend(find(world, world.workspace, Some(intent.id), &network_id(&intent)).await);
        let id = JournalId::new(&*world.ids);
        let item = JournalItem::TemplatesChanged { account_network_id: "waba-1".to_owned() };
        let workspace = world.workspace;
        updates.push(JournalEntry { id, workspace, received_at: NOW, attempts: 0, item });
    }
    world.stores.inbound.append(world.workspace, &updates, false).await.unwrap();
    (found, updates.iter().map(|update| update.id).collect())
}

#[tokio::test]
async fn many_changes_are_written_at_once_with_their_deliveries_and_leave_the_journal() {
    let world = World::new().await;
    let (found, updates) = two_sent(&world).await;
    let changes: Vec<_> = found.iter().map(|found| change(found, DeliveryStatus::Delivered)).collect();
    world.stores.inbound.commit(world.workspace, &changes, &updates).await.unwrap();
    assert_eq!(world.count("sends WHERE status = 'delivered'").await, 2);
    assert_eq!((world.count("deliveries").await, world.count("delivery_queue").await), (2, 2));
    assert_eq!(world.count("journal").await, 0);
}

#[tokio::test]
async fn one_change_that_comes_too_late_holds_all_back() {
    let world = World::new().await;
    let (found, updates) = two_sent(&world).await;
    let late = change(&found[0], DeliveryStatus::Delivered);
    let faster = change(&found[0], DeliveryStatus::Failed);
    world.stores.inbound.commit(world.workspace, &[faster], &[]).await.unwrap();
    let changes = [change(&found[1], DeliveryStatus::Delivered), late];
    let written = world.stores.inbound.commit(world.workspace, &changes, &updates).await;
    assert!(matches!(written, Err(StoreError::Stale)), "{written:?}");
    assert_eq!(world.texts("SELECT status FROM sends ORDER BY status").await, ["failed", "sent"]);
    assert_eq!((world.count("deliveries").await, world.count("journal").await), (0, 2));
}

#[tokio::test]
async fn a_time_that_is_not_later_than_the_last_of_its_conversation_holds_all_back() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageDelivered]).await;
    let to = world.somebody();
    let intents = [world.notice(&to), world.notice(&to)];
    for intent in &intents {
        world.send(intent).await;
    }
    let find = |index: usize| {
        let intent: &domain::sending::Intent = &intents[index];
        let (id, network_id) = (intent.id, network_id(intent));
        let world = &world;
        async move { find(world, world.workspace, Some(id), &network_id).await.unwrap() }
    };
    let (one, other) = (find(0).await, find(1).await);
    assert_eq!(one.stamped_at, other.stamped_at, "they are in one conversation");
    world
        .stores
        .inbound
        .commit(world.workspace, &[change(&one, DeliveryStatus::Delivered)], &[])
        .await
        .unwrap();
    let late = change(&other, DeliveryStatus::Delivered);
    let written = world.stores.inbound.commit(world.workspace, &[late], &[]).await;
    assert!(matches!(written, Err(StoreError::Stale)), "{written:?}");
    let other = find(1).await;
    assert!(other.stamped_at > one.stamped_at);
    world
        .stores
        .inbound
        .commit(world.workspace, &[change(&other, DeliveryStatus::Delivered)], &[])
        .await
        .unwrap();
    assert_eq!(world.count("deliveries").await, 2);
}

#[tokio::test]
async fn what_changes_nothing_only_leaves_the_journal() {
    let world = World::new().await;
    let (_, updates) = two_sent(&world).await;
    world.stores.inbound.commit(world.workspace, &[], &updates[..1]).await.unwrap();
    assert_eq!((world.count("deliveries").await, world.count("journal").await), (0, 1));
}

#[tokio::test]
async fn batches_that_share_messages_wait_for_each_other_in_one_order() {
    let world = World::new().await;
    let (found, _) = two_sent(&world).await;
    let mut changes: Vec<_> = found.iter().map(|found| change(found, DeliveryStatus::Delivered)).collect();
    let forwards = changes.clone();
    changes.reverse();
    let batches = (0..16)
        .map(|round| world.stores.inbound.commit(world.workspace, [&forwards, &changes][round % 2], &[]));
    let written = join_all(batches).await;
    assert_eq!(written.iter().filter(|written| written.is_ok()).count(), 1);
    let stale = written.iter().filter(|written| matches!(written, Err(StoreError::Stale)));
    assert_eq!(stale.count(), 15, "{written:?}");
}
