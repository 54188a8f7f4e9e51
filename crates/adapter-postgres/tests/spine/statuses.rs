//! What the network says of sent messages.

use domain::{
    errors::StoreError,
    ids::MessageId,
    inbound::{SentMessage, StatusChange, StatusUpdate, ports::SentMessages},
    messages::{DeliveryStatus, NetworkMessageId, Progress},
    sending::SendState,
    webhooks::{Event, EventType},
};
use futures_util::future::join_all;
use time::ext::NumericalDuration;

use crate::world::{NOW, World, network_id};

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
        workspace: found.entry.intent.workspace,
        id,
        before: found.entry.progress,
        after: found.entry.progress.advance(to, NOW + 1.minutes()).0,
        kept_error: (to == DeliveryStatus::Failed).then(|| "blocked\0".to_owned()),
        events: vec![Event::message_status(found, &update, &update.network_id, NOW)],
    }
}

#[tokio::test]
async fn a_send_is_found_by_its_tag_while_in_flight_and_by_the_networks_id_once_settled() {
    let world = World::new().await;
    let to = world.somebody();
    for intent in [world.notice(&to), world.code()] {
        let network_id = network_id(&intent);
        let find = |tag| world.store.find(world.workspace, tag, &network_id);
        world.begin(&intent).await;
        assert_eq!(find(None).await.unwrap(), None);
        assert_eq!(find(Some(MessageId::new(&*world.ids))).await.unwrap(), None);
        let found = find(Some(intent.id)).await.unwrap().unwrap();
        assert_eq!((&found.entry.intent, found.entry.state), (&intent, SendState::InFlight));
        assert_eq!((found.customer, found.entry.progress), (None, Progress::SENT));

        let result = world.settle(&intent).await.unwrap().unwrap();
        let found = find(None).await.unwrap().unwrap();
        assert_eq!(found.entry.intent, intent);
        let customer = found.customer.clone();
        let wanted = intent.leaves.notice().map(|_| (Some("Layla".to_owned()), Some(to.clone())));
        assert_eq!(customer.map(|customer| (customer.name, customer.phone)), wanted);
        assert_eq!(found.entry.state, SendState::Sent(Box::new(result)));
        assert_eq!(find(Some(intent.id)).await.unwrap(), Some(found));
    }
}

#[tokio::test]
async fn the_tag_comes_before_the_networks_id() {
    let world = World::new().await;
    let (one, other) = (world.code(), world.code());
    world.send(&one).await;
    world.send(&other).await;
    let found = world.store.find(world.workspace, Some(one.id), &network_id(&other)).await.unwrap();
    assert_eq!(found.unwrap().entry.intent.id, one.id);
    let unknown = Some(MessageId::new(&*world.ids));
    let found = world.store.find(world.workspace, unknown, &network_id(&other)).await.unwrap();
    assert_eq!(found.unwrap().entry.intent.id, other.id);
}

#[tokio::test]
async fn another_workspaces_send_is_not_found() {
    let world = World::new().await;
    let intent = world.code();
    world.send(&intent).await;
    let other = world.add_workspace().await;
    assert_eq!(world.store.find(other, Some(intent.id), &network_id(&intent)).await.unwrap(), None);
}

#[tokio::test]
async fn of_changes_decided_on_one_state_the_first_wins_and_the_others_are_stale() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageDelivered]).await;
    let intent = world.notice(&world.somebody());
    world.send(&intent).await;
    let network_id = network_id(&intent);
    let find = || world.store.find(world.workspace, Some(intent.id), &network_id);
    for (to, deliveries) in [(DeliveryStatus::Delivered, 1), (DeliveryStatus::Failed, 1)] {
        let found = find().await.unwrap().unwrap();
        let change = change(&found, to);
        let written = join_all((0..8).map(|_| world.store.commit(&change))).await;
        assert_eq!(written.iter().filter(|written| written.is_ok()).count(), 1);
        assert_eq!(written.iter().filter(|written| matches!(written, Err(StoreError::Stale))).count(), 7);
        assert_eq!(find().await.unwrap().unwrap().entry.progress, change.after);
        assert_eq!(world.count("deliveries").await, deliveries);
    }
    assert_eq!(world.texts("SELECT error FROM sends").await, ["blocked"]);
}
