//! The deliveries that a change owes.

use domain::{
    events::EventType,
    sending::{ConversationParts, ports::SendLedger},
    webhooks::ports::{ClaimLimits, DeliveryQueue},
};
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World};

#[tokio::test]
async fn each_subscribed_address_is_owed_a_delivery_of_its_own() {
    let world = World::new().await;
    let one = world.subscribe(&[EventType::MessageSent]).await;
    let other = world.subscribe(&[EventType::MessageSent, EventType::MessageRead]).await;
    world.subscribe(&[EventType::MessageRead]).await;
    let intent = world.notice(&world.somebody());
    world.begin(&intent).await;
    let accepted = world.accepted(&intent, ConversationParts::default());
    SendLedger::record(&*world.stores.sends, world.workspace, &accepted).await.unwrap();

    assert!(world.claim(NOW - 1.milliseconds(), NOW, &ClaimLimits::any(9)).await.is_empty());
    let due = world.claim(NOW, NOW + 1.minutes(), &ClaimLimits::any(9)).await;
    let mut addresses: Vec<_> = due.iter().map(|delivery| delivery.leased.address).collect();
    addresses.sort_unstable();
    assert_eq!(addresses, [one, other]);
    assert_ne!(due[0].leased.id, due[1].leased.id);
    for delivery in &due {
        assert_eq!((delivery.event, delivery.leased.attempt), (EventType::MessageSent, 1));
        assert_eq!(delivery.body, accepted.events[0].body(delivery.leased.id, world.workspace));
    }
}

#[tokio::test]
async fn several_events_of_one_change_go_to_those_who_subscribe_to_each() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    world.subscribe(&[EventType::MessageSent, EventType::MessageReceived]).await;
    let intent = world.notice(&world.somebody());
    world.begin(&intent).await;
    let mut accepted = world.accepted(&intent, ConversationParts::default());
    let mut received = accepted.events[0].clone();
    received.kind = EventType::MessageReceived;
    accepted.events.push(received);
    SendLedger::record(&*world.stores.sends, world.workspace, &accepted).await.unwrap();
    let events = world.texts("SELECT event FROM deliveries ORDER BY event").await;
    assert_eq!(events, ["message.received", "message.sent", "message.sent"]);
}

#[tokio::test]
async fn a_disabled_address_has_the_event_logged_without_an_attempt() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    world.execute("UPDATE webhook_addresses SET state = 'disabled'", &[]).await;
    world.send(&world.notice(&world.somebody())).await;
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 1);
    assert_eq!(world.count("delivery_queue").await, 0);
}

#[tokio::test]
async fn what_was_queued_while_its_address_was_being_disabled_is_held() {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    world.send(&world.notice(&world.somebody())).await;
    // The next attempt would be in an hour, but the delivery is held at once.
    world.execute("UPDATE delivery_queue SET due_at = $1", &[&(NOW + 1.hours())]).await;
    assert!(world.stores.webhooks.due_workspaces(NOW).await.unwrap().is_empty());
    world.execute("UPDATE webhook_addresses SET state = 'disabled'", &[]).await;
    assert!(world.claim(NOW, NOW, &ClaimLimits::any(9)).await.is_empty());
    let due = world.stores.webhooks.due_workspaces(NOW).await.unwrap();
    assert!(due.iter().all(|due| due.due_since.is_none() && due.has_stranded), "{due:?}");
    assert_eq!(world.stores.webhooks.hold(world.workspace, NOW, 9).await.unwrap(), 1);
    assert!(world.stores.webhooks.due_workspaces(NOW).await.unwrap().is_empty());
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 1);
    assert_eq!(world.count("delivery_queue").await, 0);
}
