//! Claiming deliveries and writing down their attempts.

use domain::webhooks::{
    DISABLE_AFTER, EventType, Failure, Verdict,
    ports::{AttemptRecord, DeliveryQueue, DueDelivery},
};
use futures_util::future::join_all;
use time::{OffsetDateTime, ext::NumericalDuration};

use crate::world::{NOW, World};

const LEASE: OffsetDateTime = time::macros::datetime!(2026-11-21 10:01 UTC);

/// A workspace with one address that is owed this many deliveries.
async fn world_owing(deliveries: usize) -> World {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    let to = world.somebody();
    for _ in 0..deliveries {
        world.send(&world.notice(&to)).await;
    }
    world
}

fn attempt(delivery: &DueDelivery, verdict: Verdict) -> AttemptRecord {
    let failure = Failure::Status { status: 500, retry_after: None };
    AttemptRecord {
        delivery: delivery.id,
        address: delivery.address,
        attempt: delivery.attempt,
        started_at: NOW,
        duration_ms: 12,
        outcome: if verdict == Verdict::Delivered { Ok(204) } else { Err(failure) },
        verdict,
    }
}

async fn record(world: &World, due: &[DueDelivery], verdict: Verdict) {
    let attempts: Vec<_> = due.iter().map(|delivery| attempt(delivery, verdict)).collect();
    world.store.record(world.workspace, &attempts).await.unwrap();
}

async fn claim(world: &World, now: OffsetDateTime) -> Vec<DueDelivery> {
    world.store.claim(world.workspace, now, now + 1.minutes(), 100).await.unwrap()
}

async fn failures(world: &World) -> String {
    world.texts("SELECT consecutive_failures::text FROM webhook_addresses").await.remove(0)
}

#[tokio::test]
async fn two_nodes_never_claim_the_same_delivery_until_its_lease_runs_out() {
    let world = world_owing(60).await;
    let nodes = [world.store.clone(), world.other_node()];
    let claims = (0..12).map(|round: usize| nodes[round % 2].claim(world.workspace, NOW, LEASE, 5));
    let taken: Vec<_> = join_all(claims).await.into_iter().flat_map(Result::unwrap).collect();
    let mut ids: Vec<_> = taken.iter().map(|delivery| delivery.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((taken.len(), ids.len()), (60, 60));
    assert!(claim(&world, LEASE - 1.milliseconds()).await.is_empty());
    assert_eq!(claim(&world, LEASE).await.len(), 60);
}

#[tokio::test]
async fn the_longest_due_are_claimed_first_and_at_most_as_many_as_asked() {
    let world = world_owing(5).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..2], Verdict::RetryAt(LEASE - 10.seconds())).await;
    let ids = |due: &[DueDelivery]| due.iter().map(|delivery| delivery.id).collect::<Vec<_>>();
    let again = world.store.claim(world.workspace, LEASE, LEASE, 3).await.unwrap();
    assert_eq!(ids(&again), ids(&due[..3]));
    assert_eq!([again[0].attempt, again[2].attempt], [2, 1]);
}

#[tokio::test]
async fn a_delivery_is_attempted_until_it_is_delivered_and_every_attempt_is_logged() {
    let world = world_owing(1).await;
    let due = claim(&world, NOW).await;
    let later = NOW + 10.minutes();
    record(&world, &due, Verdict::RetryAt(later)).await;
    assert!(claim(&world, later - 1.milliseconds()).await.is_empty());
    assert_eq!(failures(&world).await, "0", "only what failed for good counts");
    let again = claim(&world, later).await;
    assert_eq!((again[0].attempt, &again[0].body), (2, &due[0].body));
    record(&world, &again, Verdict::Delivered).await;

    assert!(claim(&world, later + 1.days()).await.is_empty());
    assert_eq!(world.count("delivery_queue").await, 0);
    assert_eq!(world.count("deliveries WHERE state = 'delivered' AND attempts = 2").await, 1);
    let log =
        "SELECT concat_ws(' ', attempt, status, duration_ms, failure) FROM delivery_attempts ORDER BY 1";
    assert_eq!(world.texts(log).await, ["1 500 12 the answer was status 500", "2 204 12"]);
}

#[tokio::test]
async fn an_address_is_disabled_after_fifty_failures_and_what_it_still_had_is_held() {
    let most = usize::try_from(DISABLE_AFTER).unwrap();
    let world = world_owing(most + 3).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..most - 1], Verdict::Failed).await;
    assert_eq!(failures(&world).await, "49");
    assert_eq!(world.count("webhook_addresses WHERE state = 'enabled'").await, 1);

    record(&world, &due[most..=most], Verdict::RetryAt(LEASE)).await;
    record(&world, &due[most - 1..most], Verdict::Failed).await;
    let reason = world.texts("SELECT disabled_reason FROM webhook_addresses WHERE state = 'disabled'").await;
    assert!(reason[0].contains("status 500"), "{reason:?}");
    assert_eq!(world.count("deliveries WHERE state = 'failed'").await, 50);
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 3);
    assert_eq!(world.count("delivery_queue").await, 0);

    // One that was under way meanwhile is logged, and is delivered if it was.
    record(&world, &due[most + 1..=most + 1], Verdict::RetryAt(LEASE)).await;
    record(&world, &due[most + 2..], Verdict::Delivered).await;
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 2);
    assert_eq!(world.count("delivery_queue").await, 0);
    assert_eq!(world.count("delivery_attempts").await, 53);
}

#[tokio::test]
async fn failures_of_several_nodes_at_once_are_all_counted() {
    let world = world_owing(40).await;
    let due = claim(&world, NOW).await;
    let nodes = [world.store.clone(), world.other_node()];
    let records = due.chunks(2).zip(nodes.iter().cycle()).map(|(due, node)| async {
        let attempts: Vec<_> = due.iter().map(|delivery| attempt(delivery, Verdict::Failed)).collect();
        node.record(world.workspace, &attempts).await.unwrap();
    });
    join_all(records).await;
    assert_eq!(failures(&world).await, "40");
}

#[tokio::test]
async fn a_success_forgets_the_failures_before_it() {
    let world = world_owing(4).await;
    let due = claim(&world, NOW).await;
    let verdicts = [Verdict::Failed, Verdict::Failed, Verdict::Delivered, Verdict::Failed];
    let attempts: Vec<_> =
        due.iter().zip(verdicts).map(|(delivery, verdict)| attempt(delivery, verdict)).collect();
    world.store.record(world.workspace, &attempts).await.unwrap();
    assert_eq!(failures(&world).await, "1");
}

#[tokio::test]
async fn a_late_result_of_a_delivery_that_another_node_took_over_breaks_nothing() {
    let world = world_owing(3).await;
    let due = claim(&world, NOW).await;
    let again = claim(&world, LEASE).await;

    // Finished by the other node: the late result is neither counted nor moves anything back.
    record(&world, &again[..1], Verdict::Delivered).await;
    record(&world, &due[..1], Verdict::Failed).await;
    record(&world, &due[..1], Verdict::RetryAt(LEASE)).await;
    assert_eq!(world.count("deliveries WHERE state = 'delivered'").await, 1);
    assert_eq!(failures(&world).await, "0");

    // Put off by the other node: a late failure changes nothing, a late success is one.
    record(&world, &again[1..], Verdict::RetryAt(LEASE + 2.minutes())).await;
    record(&world, &due[1..2], Verdict::Failed).await;
    record(&world, &due[2..], Verdict::Delivered).await;
    assert_eq!(world.count("delivery_queue WHERE attempt = 2").await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'pending'").await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'delivered'").await, 2);
    assert_eq!(failures(&world).await, "0");

    // Forgotten meanwhile.
    world.execute("DELETE FROM deliveries", &[]).await;
    record(&world, &due, Verdict::Delivered).await;
    assert_eq!(world.count("delivery_attempts").await, 0);
}

#[tokio::test]
async fn a_delivery_that_cannot_be_read_blocks_no_other() {
    let world = world_owing(3).await;
    let spoil =
        "UPDATE deliveries SET body_sealed = '\\x00' WHERE id = (SELECT min(id::text)::uuid FROM deliveries)";
    world.execute(spoil, &[]).await;
    assert_eq!(claim(&world, NOW).await.len(), 2);
}

#[tokio::test]
async fn only_workspaces_with_something_due_are_named() {
    let world = world_owing(2).await;
    world.add_workspace().await;
    assert!(world.store.workspaces_with_due(NOW - 1.seconds()).await.unwrap().is_empty());
    assert_eq!(world.store.workspaces_with_due(NOW).await.unwrap(), [world.workspace]);
    record(&world, &claim(&world, NOW).await, Verdict::Delivered).await;
    assert!(world.store.workspaces_with_due(LEASE).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_old_and_not_queued_is_forgotten() {
    let world = world_owing(3).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..2], Verdict::Delivered).await;
    assert!(world.store.workspaces_to_forget(NOW).await.unwrap().is_empty());
    assert_eq!(world.store.forget(world.workspace, NOW).await.unwrap(), 0);
    let later = NOW + 1.seconds();
    assert_eq!(world.store.workspaces_to_forget(later).await.unwrap(), [world.workspace]);
    let other = world.add_workspace().await;
    assert_eq!(world.store.forget(other, later).await.unwrap(), 0);
    assert_eq!(world.store.forget(world.workspace, later).await.unwrap(), 2);
    assert_eq!(world.count("deliveries").await, 1);
    assert_eq!(world.count("delivery_attempts").await, 0);
    assert_eq!(world.count("delivery_queue").await, 1);
}
