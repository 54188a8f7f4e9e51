//! The log: its days, reading it, and sending again what is in it.

use domain::{
    audit::Action,
    events::EventType,
    ids::{ResendId, WebhookAddressId},
    paging::{PageLimit, PageRequest, Position},
    webhooks::{
        AddressChange, Delivery, DeliveryFilter, DeliveryState, Failure, NextStep, Resend, ResendError,
        ResendState, ResendWindow,
        ports::{
            AddressStore, AttemptRecord, ClaimLimits, DeliveryLog, DeliveryQueue, DueDelivery, LogKeeper,
            ResendStep,
        },
    },
};
use futures_util::future::join_all;
use time::{OffsetDateTime, ext::NumericalDuration};

use crate::core_tables::world::{NOW, World};

/// A workspace with one address that is owed this many deliveries.
async fn world_owing(deliveries: usize) -> (World, WebhookAddressId) {
    let world = World::new().await;
    let address = world.subscribe(&[EventType::MessageSent]).await;
    for _ in 0..deliveries {
        world.send(&world.notice(&world.somebody())).await;
    }
    (world, address)
}

async fn claim(world: &World, now: OffsetDateTime) -> Vec<DueDelivery> {
    world.claim(now, now + 1.minutes(), &ClaimLimits::any(100)).await
}

fn attempt(delivery: &DueDelivery, next_step: NextStep) -> AttemptRecord {
    let failure = Failure::Status { status: 500, retry_after: None };
    AttemptRecord {
        leased: delivery.leased,
        started_at: NOW,
        duration_ms: 12,
        answer: b"out of order".to_vec(),
        is_whole: true,
        outcome: if next_step == NextStep::Delivered { Ok(204) } else { Err(failure) },
        next_step,
    }
}

async fn record(world: &World, due: &[DueDelivery], next_step: NextStep) {
    let attempts: Vec<_> = due.iter().map(|delivery| attempt(delivery, next_step)).collect();
    world.stores.webhooks.record(world.workspace, &attempts).await.unwrap();
}

async fn keep(world: &World, now: OffsetDateTime) {
    world.stores.webhooks.keep(now, now + 7.days(), now - 31.days()).await.unwrap();
}

async fn days(world: &World, table: &str) -> Vec<String> {
    let days = format!(
        "SELECT child.relname::text FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
         WHERE inhparent = '{table}'::regclass ORDER BY 1"
    );
    world.texts(&days).await
}

#[tokio::test]
async fn days_are_made_ahead_and_dropped_after_their_month() {
    let world = World::new().await;
    keep(&world, NOW).await;
    for table in ["delivery_log", "delivery_attempts"] {
        let days = days(&world, table).await;
        assert_eq!(days.len(), 8, "{days:?}");
        assert_eq!(days.first(), Some(&format!("{table}_20261122")), "today has begun");
        assert_eq!(days.last(), Some(&format!("{table}_default")));
    }
    keep(&world, NOW).await;
    // A day is past when its last moment is a month ago.
    keep(&world, NOW + 32.days()).await;
    assert!(days(&world, "delivery_log").await.contains(&"delivery_log_20261122".to_owned()));
    keep(&world, NOW + 33.days()).await;
    assert!(!days(&world, "delivery_log").await.contains(&"delivery_log_20261122".to_owned()));
    assert!(!days(&world, "delivery_attempts").await.contains(&"delivery_attempts_20261122".to_owned()));
}

#[tokio::test]
async fn a_delivery_goes_with_its_day_and_one_of_no_day_after_its_month_too() {
    let (strays, _) = world_owing(2).await;
    record(&strays, &claim(&strays, NOW).await, NextStep::Delivered).await;
    keep(&strays, NOW).await;
    assert_eq!(strays.count("delivery_log_default").await, 2, "its day began without a table");
    keep(&strays, NOW + 30.days()).await;
    assert_eq!(strays.count("deliveries WHERE attempts = 1").await, 2);
    keep(&strays, NOW + 32.days()).await;
    assert_eq!(strays.count("delivery_log").await + strays.count("delivery_attempts").await, 0);

    let world = World::new().await;
    keep(&world, NOW - 1.days()).await;
    world.subscribe(&[EventType::MessageSent]).await;
    world.send(&world.notice(&world.somebody())).await;
    record(&world, &claim(&world, NOW).await, NextStep::Delivered).await;
    assert_eq!(world.count("delivery_log_20261121").await, 1);
    assert_eq!(world.count("delivery_attempts_20261121").await, 1);
    keep(&world, NOW + 32.days()).await;
    assert_eq!(world.count("deliveries").await + world.count("delivery_attempts").await, 0);
}

#[tokio::test]
async fn a_deleted_address_is_forgotten_after_a_month_once_its_queue_is_empty() {
    let (world, address) = world_owing(2).await;
    let other = world.subscribe(&[EventType::MessageFailed]).await;
    let window = ResendWindow { address, since: NOW - 1.hours(), until: NOW + 1.hours() };
    let entry = world.entry(Action::WindowResent, NOW);
    world
        .stores
        .webhooks
        .begin_resend(world.workspace, ResendId::new(&*world.ids), &window, 2, &entry)
        .await
        .unwrap();
    let entry = world.entry(Action::WebhookRemoved, NOW);
    assert!(
        world.stores.webhooks.change(world.workspace, address, &AddressChange::Delete, &entry).await.unwrap()
    );
    keep(&world, NOW + 30.days()).await;
    keep(&world, NOW + 32.days()).await;
    assert_eq!(world.count("webhook_addresses").await, 2, "its deliveries wait to be held");

    assert_eq!(world.stores.webhooks.hold(world.workspace, NOW + 32.days(), 100).await.unwrap(), 2);
    keep(&world, NOW + 30.days()).await;
    assert_eq!((world.count("webhook_addresses").await, world.count("webhook_resends").await), (2, 1));
    keep(&world, NOW + 32.days()).await;
    let left = world.texts("SELECT id::text FROM webhook_addresses").await;
    assert_eq!((left, world.count("webhook_resends").await), (vec![other.to_string()], 0));
}

#[tokio::test]
async fn nodes_that_keep_the_log_at_once_do_not_disturb_each_other() {
    let world = World::new().await;
    let nodes = [world.stores.clone(), world.other_node(), world.other_node()];
    let keeps = nodes.iter().map(|node| node.webhooks.keep(NOW, NOW + 7.days(), NOW - 31.days()));
    for kept in join_all(keeps).await {
        kept.unwrap();
    }
    assert_eq!(days(&world, "delivery_log").await.len(), 8);
}

async fn list(world: &World, filter: &DeliveryFilter) -> Vec<Delivery> {
    DeliveryLog::list(&*world.stores.webhooks, world.workspace, filter, PageRequest::default()).await.unwrap()
}

#[tokio::test]
async fn the_log_is_listed_by_state_and_time() {
    let (world, address) = world_owing(5).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..2], NextStep::Delivered).await;
    record(&world, &due[2..3], NextStep::Failed).await;
    record(&world, &due[3..4], NextStep::RetryAt(NOW + 5.minutes())).await;
    world.execute("UPDATE webhook_addresses SET state = 'disabled'", &[]).await;
    world.send(&world.notice(&world.somebody())).await;

    let of = |state| DeliveryFilter { state, ..DeliveryFilter::of(address) };
    let count = async |state| list(&world, &of(state)).await.len();
    assert_eq!(count(None).await, 6);
    for (state, wanted) in [
        (DeliveryState::Delivered, 2),
        (DeliveryState::Failed, 1),
        (DeliveryState::Pending, 2),
        (DeliveryState::Held, 1),
    ] {
        let listed = list(&world, &of(Some(state))).await;
        assert_eq!(listed.len(), wanted, "{state:?}");
        assert!(listed.iter().all(|delivery| delivery.state == state));
    }
    let put_off = list(&world, &of(Some(DeliveryState::Pending))).await;
    let put_off = put_off.iter().find(|delivery| delivery.id == due[3].leased.id).unwrap();
    assert_eq!((put_off.attempts, put_off.next_attempt_at), (1, Some(NOW + 5.minutes())));
    for (event, state, rows) in [
        (EventType::MessageSent, None, 6),
        (EventType::MessageSent, Some(DeliveryState::Pending), 2),
        (EventType::Ping, None, 0),
        (EventType::Ping, Some(DeliveryState::Pending), 0),
    ] {
        let filter = DeliveryFilter { event: Some(event), ..of(state) };
        assert_eq!(list(&world, &filter).await.len(), rows, "{event} {state:?}");
    }
    let later = DeliveryFilter { since: Some(NOW + 1.seconds()), ..of(None) };
    assert!(list(&world, &later).await.is_empty());
    let earlier = DeliveryFilter { until: Some(NOW), ..of(None) };
    assert!(list(&world, &earlier).await.is_empty());
    let other = world.subscribe(&[EventType::MessageRead]).await;
    assert!(list(&world, &DeliveryFilter::of(other)).await.is_empty());
}

#[tokio::test]
async fn pages_of_the_log_show_every_delivery_once() {
    let (world, address) = world_owing(7).await;
    let mut page = PageRequest { limit: PageLimit::new(3).unwrap(), after: None };
    let mut seen = Vec::new();
    loop {
        let filter = DeliveryFilter::of(address);
        let mut rows =
            DeliveryLog::list(&*world.stores.webhooks, world.workspace, &filter, page).await.unwrap();
        let more = rows.len() > 3;
        rows.truncate(3);
        let last = rows.last().unwrap();
        page.after = Some(Position { at: last.created_at, id: last.id.uuid() });
        seen.extend(rows.iter().map(|delivery| delivery.id));
        if !more {
            break;
        }
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|one, next| one > next));
}

#[tokio::test]
async fn a_delivery_is_shown_with_its_bytes_and_what_was_answered() {
    let (world, address) = world_owing(1).await;
    let due = claim(&world, NOW).await;
    record(&world, &due, NextStep::RetryAt(NOW + 1.minutes())).await;
    let again = claim(&world, NOW + 1.minutes()).await;
    record(&world, &again, NextStep::Delivered).await;
    let id = due[0].leased.id;
    let found = DeliveryLog::find(&*world.stores.webhooks, world.workspace, id).await.unwrap().unwrap();
    assert_eq!(found.body, due[0].body);
    assert_eq!((found.delivery.state, found.delivery.attempts), (DeliveryState::Delivered, 2));
    assert_eq!(found.delivery.address, address);
    let attempts: Vec<_> = found.attempts.iter().map(|attempt| (attempt.number, attempt.status)).collect();
    assert_eq!(attempts, [(1, Some(500)), (2, Some(204))]);
    assert_eq!(found.attempts[0].failure.as_deref(), Some("the answer was status 500"));
    assert_eq!(found.attempts[0].answer.as_deref(), Some(b"out of order".as_slice()));
    let other = world.add_workspace().await;
    assert!(DeliveryLog::find(&*world.stores.webhooks, other, id).await.unwrap().is_none());
}

#[tokio::test]
async fn a_delivery_is_sent_again_under_its_id_for_one_more_attempt() {
    let (world, _) = world_owing(2).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..1], NextStep::Delivered).await;
    record(&world, &due[1..], NextStep::Failed).await;
    let later = NOW + 1.hours();
    for delivery in &due {
        let entry = world.entry(Action::DeliveryResent, later);
        world.stores.webhooks.resend(world.workspace, delivery.leased.id, &entry).await.unwrap();
    }
    let again = claim(&world, later).await;
    assert_eq!(again.len(), 2);
    for delivery in &again {
        let first = due.iter().find(|first| first.leased.id == delivery.leased.id).unwrap();
        assert_eq!((delivery.leased.attempt, &delivery.body), (2, &first.body));
    }
    assert_eq!(world.count("deliveries WHERE state = 'pending'").await, 2);
    record(&world, &again, NextStep::Delivered).await;
    assert_eq!(world.count("deliveries WHERE state = 'delivered' AND attempts = 2").await, 2);

    let other = world.add_workspace().await;
    assert_eq!(
        world
            .stores
            .webhooks
            .resend(other, due[0].leased.id, &world.entry(Action::DeliveryResent, later))
            .await,
        Err(ResendError::Unknown)
    );
    assert_eq!(world.logged(Action::DeliveryResent).await, 2);
}

#[tokio::test]
async fn a_delivery_is_sent_again_to_a_disabled_address_once_and_all_else_stays_held() {
    let (world, _) = world_owing(3).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..1], NextStep::Failed).await;
    record(&world, &due[1..], NextStep::RetryAt(NOW + 1.hours())).await;
    world.execute("UPDATE webhook_addresses SET state = 'disabled'", &[]).await;
    // A delivery that has failed, and one that waits and is not held yet.
    for delivery in &due[..2] {
        let entry = world.entry(Action::DeliveryResent, NOW);
        world.stores.webhooks.resend(world.workspace, delivery.leased.id, &entry).await.unwrap();
    }
    assert_eq!(world.stores.webhooks.hold(world.workspace, NOW, 10).await.unwrap(), 1);
    let again = claim(&world, NOW).await;
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|delivery| delivery.leased.once && delivery.leased.attempt == 2));
    record(&world, &again, NextStep::Failed).await;
    assert!(claim(&world, NOW + 2.hours()).await.is_empty());

    // Once the address is enabled, the delivery is like any other.
    world.execute("UPDATE webhook_addresses SET state = 'enabled'", &[]).await;
    let entry = world.entry(Action::DeliveryResent, NOW);
    world.stores.webhooks.resend(world.workspace, due[0].leased.id, &entry).await.unwrap();
    let again = claim(&world, NOW).await;
    assert!(matches!(again.as_slice(), [one] if !one.leased.once && one.leased.id == due[0].leased.id));

    world.execute("UPDATE webhook_addresses SET state = 'deleted'", &[]).await;
    let entry = world.entry(Action::DeliveryResent, NOW);
    assert_eq!(
        world.stores.webhooks.resend(world.workspace, due[0].leased.id, &entry).await,
        Err(ResendError::Unknown)
    );
}

#[tokio::test]
async fn a_delivery_that_waits_is_due_at_once_when_it_is_sent_again() {
    let (world, _) = world_owing(1).await;
    let due = claim(&world, NOW).await;
    record(&world, &due, NextStep::RetryAt(NOW + 30.minutes())).await;
    let entry = world.entry(Action::DeliveryResent, NOW + 1.minutes());
    world.stores.webhooks.resend(world.workspace, due[0].leased.id, &entry).await.unwrap();
    assert_eq!(claim(&world, NOW + 1.minutes()).await[0].leased.attempt, 2);
}

async fn begin(world: &World, address: WebhookAddressId) -> Result<Resend, ResendError> {
    let window = ResendWindow { address, since: NOW - 1.hours(), until: NOW + 1.hours() };
    let (id, entry) = (ResendId::new(&*world.ids), world.entry(Action::WindowResent, NOW));
    world.stores.webhooks.begin_resend(world.workspace, id, &window, 2, &entry).await
}

async fn begun(world: &World, address: WebhookAddressId) -> Resend {
    begin(world, address).await.unwrap()
}

#[tokio::test]
async fn of_many_windows_asked_for_at_once_as_many_are_begun_as_there_may_be() {
    let (world, address) = world_owing(1).await;
    let asked = join_all((0..20).map(|_| begin(&world, address))).await;
    assert_eq!(asked.iter().filter(|asked| asked.is_ok()).count(), 2);
    assert_eq!(asked.iter().filter(|asked| **asked == Err(ResendError::TooMany)).count(), 18);
    assert_eq!(world.count("webhook_resends").await, 2);
}

#[tokio::test]
async fn a_window_is_sent_again_step_by_step_by_any_node() {
    let (world, address) = world_owing(7).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..1], NextStep::Delivered).await;
    record(&world, &due[1..], NextStep::Failed).await;
    let begun = begun(&world, address).await;
    assert_eq!(world.logged(Action::WindowResent).await, 1);
    assert_eq!((begun.total, begun.queued, begun.ended_at), (6, 0, None));

    let nodes = [world.stores.clone(), world.other_node()];
    let mut steps = Vec::new();
    let mut progress = Vec::new();
    for node in nodes.iter().cycle().take(3) {
        assert_eq!(node.webhooks.workspaces_resending().await.unwrap(), [world.workspace]);
        steps.push(node.webhooks.step_resend(world.workspace, NOW + 1.hours(), 4).await.unwrap());
        let now = node.webhooks.find_resend(world.workspace, begun.id).await.unwrap().unwrap();
        progress.push((now.queued, now.in_queue, now.refused, now.ended_at.is_some()));
        // The same window does not re-send what fails again meanwhile.
        record(&world, &claim(&world, NOW + 1.hours()).await, NextStep::Failed).await;
        if now.ended_at.is_some() {
            break;
        }
    }
    assert_eq!(progress, [(4, 4, 0, false), (6, 2, 4, true)]);
    let now = world.stores.webhooks.find_resend(world.workspace, begun.id).await.unwrap().unwrap();
    assert_eq!((now.in_queue, now.refused, now.held), (0, 6, 0));
    assert!(steps.iter().all(|step| *step == ResendStep::More));
    let after = world.stores.webhooks.step_resend(world.workspace, NOW, 4).await.unwrap();
    assert_eq!(after, ResendStep::Nothing);
    assert!(world.stores.webhooks.workspaces_resending().await.unwrap().is_empty());
    assert_eq!(world.count("deliveries WHERE state = 'failed' AND attempts = 2").await, 6);
    assert_eq!(world.stores.webhooks.list_resends(world.workspace, address).await.unwrap().len(), 1);
}

#[tokio::test]
async fn so_many_windows_are_under_way_at_once_and_one_that_ends_makes_room() {
    let (world, address) = world_owing(1).await;
    record(&world, &claim(&world, NOW).await, NextStep::Failed).await;
    begun(&world, address).await;
    begun(&world, address).await;
    assert_eq!(begin(&world, address).await, Err(ResendError::TooMany));
    assert_eq!(world.logged(Action::WindowResent).await, 2, "what was refused is not in the log");
    world.stores.webhooks.step_resend(world.workspace, NOW, 4).await.unwrap();
    begun(&world, address).await;
}

#[tokio::test]
async fn a_window_ends_when_its_address_is_disabled_and_none_begins_for_one_that_is() {
    let (world, address) = world_owing(2).await;
    record(&world, &claim(&world, NOW).await, NextStep::Failed).await;
    let begun = begun(&world, address).await;
    world.execute("UPDATE webhook_addresses SET state = 'disabled'", &[]).await;
    world.stores.webhooks.step_resend(world.workspace, NOW, 4).await.unwrap();
    let ended = world.stores.webhooks.find_resend(world.workspace, begun.id).await.unwrap().unwrap();
    assert_eq!((ended.queued, ended.stopped.as_deref()), (0, Some("the address is disabled")));
    assert_eq!(begin(&world, address).await, Err(ResendError::Disabled));
    let unknown = WebhookAddressId::new(&*world.ids);
    assert_eq!(begin(&world, unknown).await, Err(ResendError::Unknown));
    assert_eq!(world.logged(Action::WindowResent).await, 1);
    assert_eq!(world.count("deliveries WHERE state = 'failed'").await, 2);
}

#[tokio::test]
async fn a_window_brings_forward_what_waits_and_leaves_what_is_being_attempted_to_its_attempt() {
    let (world, address) = world_owing(6).await;
    let due = claim(&world, NOW).await;
    record(&world, &due[..1], NextStep::Delivered).await;
    record(&world, &due[1..2], NextStep::Failed).await;
    for delivery in &due[2..5] {
        record(&world, std::slice::from_ref(delivery), NextStep::RetryAt(NOW + 30.minutes())).await;
    }
    let begun = begun(&world, address).await;
    assert_eq!((begun.total, begun.queued), (5, 0));
    for _ in 0..3 {
        world.stores.webhooks.step_resend(world.workspace, NOW + 1.seconds(), 2).await.unwrap();
    }
    let again = claim(&world, NOW + 2.seconds()).await;
    let mut attempts: Vec<_> =
        again.iter().map(|delivery| (delivery.leased.id, delivery.leased.attempt)).collect();
    let mut wanted: Vec<_> = due[1..5].iter().map(|delivery| (delivery.leased.id, 2)).collect();
    attempts.sort();
    wanted.sort();
    assert_eq!(attempts, wanted, "the sixth is still leased for its first attempt");

    record(&world, &due[5..], NextStep::Delivered).await;
    record(&world, &again[..2], NextStep::Delivered).await;
    record(&world, &again[2..3], NextStep::Failed).await;
    let now = world.stores.webhooks.find_resend(world.workspace, begun.id).await.unwrap().unwrap();
    assert_eq!((now.queued, now.delivered(), now.refused, now.waiting()), (5, 3, 1, 1));
    assert_eq!(now.state(), ResendState::UnderWay);
    record(&world, &again[3..], NextStep::Delivered).await;
    let now = world.stores.webhooks.find_resend(world.workspace, begun.id).await.unwrap().unwrap();
    assert_eq!((now.delivered(), now.waiting(), now.state()), (4, 0, ResendState::Done));
}
