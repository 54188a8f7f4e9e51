//! Claiming deliveries and writing down their attempts.

use domain::{
    events::EventType,
    webhooks::{
        DISABLE_AFTER, Failure, NextStep,
        ports::{AttemptRecord, ClaimLimits, DeliveryQueue, DueDelivery, DueWorkspace},
    },
};
use futures_util::future::join_all;
use time::{OffsetDateTime, ext::NumericalDuration};

use crate::core_tables::world::{NOW, World};

const LEASE: OffsetDateTime = time::macros::datetime!(2026-11-21 10:01 UTC);

/// A workspace with one address that is owed this many deliveries.
async fn world_owing(deliveries: usize) -> World {
    let world = World::new().await;
    world.subscribe(&[EventType::MessageSent]).await;
    for _ in 0..deliveries {
        world.send(&world.notice(&world.somebody())).await;
    }
    world
}

fn attempt(delivery: &DueDelivery, next_step: NextStep) -> AttemptRecord {
    let failure = Failure::Status { status: 500, retry_after: None };
    AttemptRecord {
        leased: delivery.leased,
        started_at: NOW,
        duration_ms: 12,
        answer: b"thank you".to_vec(),
        is_whole: true,
        outcome: if next_step == NextStep::Delivered { Ok(204) } else { Err(failure) },
        next_step,
    }
}

/// Records results, and returns how many of them came too late.
async fn record(world: &World, due: &[DueDelivery], next_step: NextStep) -> u32 {
    let attempts: Vec<_> = due.iter().map(|delivery| attempt(delivery, next_step)).collect();
    world.stores.webhooks.record(world.workspace, &attempts).await.unwrap()
}

async fn claim(world: &World, now: OffsetDateTime) -> Vec<DueDelivery> {
    world.claim(now, now + 1.minutes(), &ClaimLimits::any(100)).await
}

async fn failures(world: &World) -> String {
    world.texts("SELECT consecutive_failures::text FROM webhook_addresses").await.remove(0)
}

#[tokio::test]
async fn two_nodes_never_claim_the_same_delivery_until_its_lease_runs_out() {
    let world = world_owing(60).await;
    let nodes = [world.stores.clone(), world.other_node()];
    let five = ClaimLimits::any(5);
    let claims =
        (0..12).map(|round: usize| nodes[round % 2].webhooks.claim(world.workspace, NOW, LEASE, &five));
    let taken: Vec<_> = join_all(claims).await.into_iter().flat_map(|taken| taken.unwrap().due).collect();
    let mut ids: Vec<_> = taken.iter().map(|delivery| delivery.leased.id).collect();
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
    record(&world, &due[..2], NextStep::RetryAt(LEASE - 10.seconds())).await;
    let ids = |due: &[DueDelivery]| due.iter().map(|delivery| delivery.leased.id).collect::<Vec<_>>();
    let mut again = world.claim(LEASE, LEASE, &ClaimLimits::any(4)).await;
    assert_eq!(again.len(), 4);
    again.sort_by_key(|delivery| delivery.leased.id);
    // Three that were never attempted, and one of those that came due since.
    assert_eq!(ids(&again[1..]), ids(&due[2..]));
    assert_eq!([again[0].leased.attempt, again[1].leased.attempt], [2, 1]);
}

#[tokio::test]
async fn a_delivery_is_attempted_until_it_is_delivered_and_every_attempt_is_logged() {
    let world = world_owing(1).await;
    let due = claim(&world, NOW).await;
    let later = NOW + 10.minutes();
    record(&world, &due, NextStep::RetryAt(later)).await;
    assert!(claim(&world, later - 1.milliseconds()).await.is_empty());
    assert_eq!(failures(&world).await, "0", "only what failed for good counts");
    let again = claim(&world, later).await;
    assert_eq!((again[0].leased.attempt, &again[0].body), (2, &due[0].body));
    record(&world, &again, NextStep::Delivered).await;

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
    let told = "live_changes WHERE kind = 'webhooks.changed'";
    let before = world.count(told).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..most - 1], NextStep::Failed).await;
    assert_eq!(failures(&world).await, "49");
    assert_eq!(world.count("webhook_addresses WHERE state = 'enabled'").await, 1);
    assert_eq!(world.count(told).await, before, "browsers hear of no delivery");

    record(&world, &due[most..=most], NextStep::RetryAt(LEASE)).await;
    record(&world, &due[most - 1..most], NextStep::Failed).await;
    let reason = world.texts("SELECT disabled_reason FROM webhook_addresses WHERE state = 'disabled'").await;
    assert!(reason[0].contains("status 500"), "{reason:?}");
    assert_eq!(world.count(told).await, before + 1, "they hear of an address that is disabled");
    assert_eq!(world.count("deliveries WHERE state = 'failed'").await, 50);
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 1, "two are under way");

    // Attempts that were under way meanwhile: a failed one is held, a successful one is delivered.
    record(&world, &due[most + 1..=most + 1], NextStep::RetryAt(LEASE)).await;
    record(&world, &due[most + 2..], NextStep::Delivered).await;
    assert!(claim(&world, LEASE + 1.days()).await.is_empty());
    assert_eq!(world.stores.webhooks.hold(world.workspace, LEASE, 9).await.unwrap(), 1);
    assert_eq!(world.count("deliveries WHERE state = 'held'").await, 2);
    assert_eq!(world.count("delivery_queue").await, 0);
    assert_eq!(world.count("delivery_attempts").await, 53);
}

#[tokio::test]
async fn failures_of_several_nodes_at_once_are_all_counted() {
    let world = world_owing(40).await;
    let due = claim(&world, NOW).await;
    let nodes = [world.stores.clone(), world.other_node()];
    let records = due.chunks(2).zip(nodes.iter().cycle()).map(|(due, node)| async {
        let attempts: Vec<_> = due.iter().map(|delivery| attempt(delivery, NextStep::Failed)).collect();
        node.webhooks.record(world.workspace, &attempts).await.unwrap();
    });
    join_all(records).await;
    assert_eq!(failures(&world).await, "40");
}

#[tokio::test]
async fn a_success_forgets_the_failures_before_it() {
    let world = world_owing(4).await;
    let due = claim(&world, NOW).await;
    let next_steps = [NextStep::Failed, NextStep::Failed, NextStep::Delivered, NextStep::Failed];
    let attempts: Vec<_> =
        due.iter().zip(next_steps).map(|(delivery, next_step)| attempt(delivery, next_step)).collect();
    world.stores.webhooks.record(world.workspace, &attempts).await.unwrap();
    assert_eq!(failures(&world).await, "1");
}

#[tokio::test]
async fn a_late_result_of_a_delivery_that_another_node_took_over_breaks_nothing() {
    let world = world_owing(3).await;
    let due = claim(&world, NOW).await;
    let again = claim(&world, LEASE).await;

    // Finished by the other node: the late result is neither counted nor moves anything back.
    record(&world, &again[..1], NextStep::Delivered).await;
    record(&world, &due[..1], NextStep::Failed).await;
    record(&world, &due[..1], NextStep::RetryAt(LEASE)).await;
    assert_eq!(world.count("deliveries WHERE state = 'delivered'").await, 1);
    assert_eq!(failures(&world).await, "0");

    // Put off by the other node: a late failure changes nothing, a late success is one.
    record(&world, &again[1..], NextStep::RetryAt(LEASE + 2.minutes())).await;
    assert_eq!(record(&world, &due[1..2], NextStep::Failed).await, 1);
    assert_eq!(record(&world, &due[2..], NextStep::Delivered).await, 0);
    assert_eq!(world.count("delivery_queue WHERE attempt = 2").await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'pending'").await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'delivered'").await, 2);
    assert_eq!(failures(&world).await, "0");
}

#[tokio::test]
async fn a_result_under_a_lease_that_was_lost_does_not_count_though_it_is_of_the_same_attempt() {
    let world = world_owing(2).await;
    let due = claim(&world, NOW).await;
    let again = claim(&world, LEASE).await;
    assert_eq!(record(&world, &due[..1], NextStep::Failed).await, 1);
    assert_eq!(record(&world, &due[1..], NextStep::RetryAt(LEASE)).await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'pending'").await, 2);
    assert_eq!(failures(&world).await, "0");
    assert_eq!(record(&world, &again, NextStep::RetryAt(LEASE)).await, 0);
}

#[tokio::test]
async fn what_arrived_after_another_node_had_given_up_on_it_is_delivered() {
    let world = world_owing(1).await;
    let due = claim(&world, NOW).await;
    let again = claim(&world, LEASE).await;
    record(&world, &again, NextStep::Failed).await;
    assert_eq!(world.count("deliveries WHERE state = 'failed'").await, 1);
    record(&world, &due, NextStep::Delivered).await;
    assert_eq!(world.count("deliveries WHERE state = 'delivered'").await, 1);
}

#[tokio::test]
async fn what_is_given_back_is_due_at_once() {
    let world = world_owing(3).await;
    let due = claim(&world, NOW).await;
    assert!(claim(&world, NOW).await.is_empty());
    let leased: Vec<_> = due[..2].iter().map(|delivery| delivery.leased).collect();
    world.stores.webhooks.release(world.workspace, &leased).await.unwrap();
    let again = claim(&world, NOW + 1.seconds()).await;
    assert_eq!(again.len(), 2);
    // Another has it by now.
    world.stores.webhooks.release(world.workspace, &leased).await.unwrap();
    assert!(claim(&world, NOW + 2.seconds()).await.is_empty());
}

#[tokio::test]
async fn an_address_gets_no_more_than_it_has_room_for() {
    let world = World::new().await;
    let addresses = [
        world.subscribe(&[EventType::MessageSent]).await,
        world.subscribe(&[EventType::MessageSent]).await,
        world.subscribe(&[EventType::MessageSent]).await,
    ];
    for _ in 0..6 {
        world.send(&world.notice(&world.somebody())).await;
    }
    let limits =
        ClaimLimits { rooms: vec![(addresses[0], 0), (addresses[1], 4)], room_elsewhere: 1, limit: 100 };
    let taken = world.claim(NOW, LEASE, &limits).await;
    let of = |address| taken.iter().filter(|delivery| delivery.leased.address == address).count();
    assert_eq!(addresses.map(of), [0, 4, 1]);
    assert_eq!(world.claim(NOW, LEASE, &ClaimLimits { limit: 3, ..limits }).await.len(), 3, "2 and 1");
}

#[tokio::test]
async fn a_delivery_that_cannot_be_read_blocks_no_other_and_is_failed_in_the_end() {
    let world = world_owing(3).await;
    let spoil = "UPDATE delivery_log SET body_sealed = '\\x00'
                 WHERE id = (SELECT min(id::text)::uuid FROM delivery_log)";
    world.execute(spoil, &[]).await;
    let taken = world.stores.webhooks.claim(world.workspace, NOW, LEASE, &ClaimLimits::any(9)).await.unwrap();
    assert_eq!((taken.due.len(), taken.unreadable.len()), (2, 1));
    let spoiled = AttemptRecord {
        leased: taken.unreadable[0],
        outcome: Err(Failure::Unreadable),
        answer: Vec::new(),
        is_whole: true,
        ..attempt(&taken.due[0], NextStep::Failed)
    };
    world.stores.webhooks.record(world.workspace, &[spoiled]).await.unwrap();
    assert_eq!(world.count("deliveries WHERE state = 'failed'").await, 1);
    assert_eq!(failures(&world).await, "0", "no fault of the receiver");
    let failure = world.texts("SELECT failure FROM delivery_attempts").await;
    assert_eq!(failure, ["what was stored of this delivery cannot be read"]);
}

#[tokio::test]
async fn only_workspaces_with_something_due_are_named() {
    let world = world_owing(2).await;
    world.add_workspace().await;
    assert!(world.stores.webhooks.due_workspaces(NOW - 1.seconds()).await.unwrap().is_empty());
    let wanted = DueWorkspace { workspace: world.workspace, due_since: Some(NOW), has_stranded: false };
    assert_eq!(world.stores.webhooks.due_workspaces(NOW).await.unwrap(), [wanted]);
    assert_eq!(world.stores.webhooks.depth().await.unwrap(), 2);
    record(&world, &claim(&world, NOW).await, NextStep::Delivered).await;
    assert!(world.stores.webhooks.due_workspaces(LEASE).await.unwrap().is_empty());
    assert_eq!(world.stores.webhooks.depth().await.unwrap(), 0);
}
