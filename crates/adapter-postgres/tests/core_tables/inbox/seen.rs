//! Watermarks of what a person has read.

use domain::{
    events::EventType,
    inbound::{SeenUpTo, UpdateKind, UpdateOutcome},
    messages::DeliveryStatus,
};
use time::{Duration, OffsetDateTime};

use super::{SARA, network_id, number, update, wrote};
use crate::core_tables::world::{NOW, World, phone};

/// A conversation with three sends a minute apart, as those of a page: without a number.
async fn a_page_s_conversation(world: &World) -> Vec<String> {
    world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    for minute in 1..=3 {
        let sent = world.send(&world.notice(&phone(SARA))).await;
        let at = NOW + Duration::minutes(minute);
        let shape = "UPDATE sends SET from_phone = NULL, created_at = $2 WHERE id = $1";
        world.execute(shape, &[&sent.id.uuid(), &at]).await;
    }
    world.texts("SELECT id::text FROM sends ORDER BY created_at").await
}

fn seen(status: DeliveryStatus, up_to: SeenUpTo) -> UpdateKind {
    UpdateKind::Seen { status, up_to }
}

async fn statuses(world: &World) -> Vec<String> {
    world.texts("SELECT status FROM sends ORDER BY created_at").await
}

fn minute(minutes: i64) -> OffsetDateTime {
    NOW + Duration::minutes(minutes)
}

#[tokio::test]
async fn a_watermark_moves_every_send_behind_it_forward_and_announces_each_move_once() {
    let world = World::new().await;
    let sends = a_page_s_conversation(&world).await;
    world.subscribe(&[EventType::MessageDelivered, EventType::MessageRead]).await;
    let by_time = |status, minutes| seen(status, SeenUpTo::Time(minute(minutes)));
    let (delivered, read) = (DeliveryStatus::Delivered, DeliveryStatus::Read);
    let by_message = seen(read, SeenUpTo::Message(network_id(&format!("wamid.{}", sends[1]))));
    for (what, outcome, wanted) in [
        (by_time(delivered, 2), UpdateOutcome::Finished, ["delivered", "delivered", "sent"]),
        (by_time(delivered, 2), UpdateOutcome::Handled, ["delivered", "delivered", "sent"]),
        (by_time(read, 1), UpdateOutcome::Finished, ["read", "delivered", "sent"]),
        (by_message, UpdateOutcome::Finished, ["read", "read", "sent"]),
        (by_time(delivered, 1), UpdateOutcome::Handled, ["read", "read", "sent"]),
    ] {
        assert_eq!(world.record(vec![update(&[number(SARA)], what)]).await, [outcome]);
        assert_eq!(statuses(&world).await, wanted);
    }
    let events = "SELECT event || ' ' || count(*) FROM deliveries GROUP BY event ORDER BY 1";
    assert_eq!(world.texts(events).await, ["message.delivered 2", "message.read 2"]);
}

#[tokio::test]
async fn a_watermark_of_somebody_unknown_is_acknowledged() {
    let world = World::new().await;
    let what = seen(DeliveryStatus::Read, SeenUpTo::Time(NOW));
    assert_eq!(world.record(vec![update(&[number(SARA)], what)]).await, [UpdateOutcome::Handled]);
}

#[tokio::test]
async fn a_watermark_waits_for_a_send_that_may_still_be_settled_and_is_taken_in_for_the_others() {
    let world = World::new().await;
    let sends = a_page_s_conversation(&world).await;
    let begun = |ago: i64| {
        let shape =
            "UPDATE sends SET state = 'in_flight', network_id_sealed = NULL, created_at = $2 WHERE id = $1";
        let (world, at, last) =
            (&world, NOW - Duration::seconds(ago), uuid::Uuid::parse_str(&sends[2]).unwrap());
        async move { world.execute(shape, &[&last, &at]).await }
    };
    let read = || seen(DeliveryStatus::Read, SeenUpTo::Time(minute(5)));
    begun(1).await;
    assert_eq!(world.record(vec![update(&[number(SARA)], read())]).await, [UpdateOutcome::HoldsUp]);
    assert_eq!(statuses(&world).await, ["sent", "read", "read"]);
    begun(179).await;
    assert_eq!(world.record(vec![update(&[number(SARA)], read())]).await, [UpdateOutcome::HoldsUp]);
    begun(181).await;
    assert_eq!(world.record(vec![update(&[number(SARA)], read())]).await, [UpdateOutcome::Handled]);
}
