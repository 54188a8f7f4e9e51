//! How PostgreSQL runs the statements that deliver webhooks in a large workspace beside others.

use domain::{
    audit::Action,
    events::{Event, EventData, EventType},
    ids::{WebhookAddressId, WorkspaceId},
    paging::{PageLimit, PageRequest, Position},
    webhooks::{
        AddressChange, AddressSettings, DeliveryFilter, DeliveryState, DeliverySubject, Failure, NextStep,
        ResendWindow,
        ports::{
            AddressStore, AttemptRecord, ClaimLimits, DeliveryLog, DeliveryQueue, Leased, LogKeeper,
            NewAddress,
        },
    },
};
use time::{Duration, OffsetDateTime, macros::datetime};
use tokio_postgres::Client;

use super::{
    queue::{CLAIM, DUE, STRANDED},
    search::BY_REFERENCE,
};
use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
    testing::TestDatabase,
};

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);
const SEEDED_FROM: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

const _: [&str; 4] = [CLAIM, DUE, STRANDED, BY_REFERENCE];

async fn explained() -> (TestDatabase, Client, ExplainedStore) {
    let (database, client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    (database, client, explained)
}

fn large() -> WorkspaceId {
    id(1, 0).into()
}

fn address() -> WebhookAddressId {
    id(4, 0).into()
}

fn leased(number: u128) -> Leased {
    Leased {
        id: id(9, number).into(),
        address: address(),
        created_at: SEEDED_FROM + Duration::seconds(i64::try_from(number).unwrap()),
        attempt: 1,
        until: NOW + Duration::MINUTE,
        once: false,
    }
}

/// Returns results of about fifty deliveries, with fewer failures than disable an address.
fn results(next_step: NextStep) -> Vec<AttemptRecord> {
    let failure = Failure::Status { status: 500, retry_after: None };
    let numbers = if next_step == NextStep::Failed { 101..=149 } else { 1..=50 };
    numbers
        .map(|number| AttemptRecord {
            leased: leased(number),
            started_at: NOW,
            duration_ms: 1,
            outcome: if next_step == NextStep::Delivered { Ok(200) } else { Err(failure.clone()) },
            answer: Vec::new(),
            is_whole: true,
            next_step,
        })
        .collect()
}

/// 20,000 deliveries are due.
#[tokio::test]
async fn deliveries_are_claimed_without_reading_those_behind() {
    let (_database, _client, explained) = explained().await;
    let stores = &explained.stores;
    let until = NOW + Duration::MINUTE;
    let busy = ClaimLimits { rooms: vec![(address(), 50)], room_elsewhere: 16, limit: 50 };
    assert_eq!(stores.webhooks.claim(large(), NOW, until, &busy).await.unwrap().unreadable.len(), 50);
    assert_ran_cheaply(&explained, 60).await;
    let any = ClaimLimits { rooms: Vec::new(), room_elsewhere: 16, limit: 50 };
    let taken = stores.webhooks.claim(large(), until, until + Duration::MINUTE, &any).await.unwrap();
    assert_eq!(taken.unreadable.len(), 16);
    assert_ran_cheaply(&explained, 60).await;
    let given_back: Vec<_> = taken.unreadable.into_iter().map(|leased| Leased { until, ..leased }).collect();
    stores.webhooks.release(large(), &given_back).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;
}

#[tokio::test]
async fn an_address_without_room_is_not_looked_at() {
    let (_database, _client, explained) = explained().await;
    let full = ClaimLimits { rooms: vec![(address(), 0)], room_elsewhere: 16, limit: 50 };
    explained.stores.webhooks.claim(large(), NOW, NOW, &full).await.unwrap();
    assert_ran_cheaply(&explained, 1).await;
}

#[tokio::test]
async fn one_look_for_each_address_tells_which_workspaces_have_deliveries() {
    let (_database, _client, explained) = explained().await;
    // In four of the small workspaces everything has failed, and nothing waits.
    assert_eq!(explained.stores.webhooks.due_workspaces(NOW).await.unwrap().len(), 397);
    assert_ran_cheaply(&explained, 401).await;
}

#[tokio::test]
async fn results_are_written_by_keys() {
    let (_database, client, explained) = explained().await;
    let lease = "UPDATE delivery_queue SET leased_until = '2026-11-21 20:01Z', attempt = 1
        WHERE workspace_id = id(1, 0) AND delivery_id = ANY(ids(9, 1, 150))";
    for next_step in [NextStep::RetryAt(NOW), NextStep::Failed, NextStep::Delivered, NextStep::Delivered] {
        client.batch_execute(lease).await.unwrap();
        explained.stores.webhooks.record(large(), &results(next_step)).await.unwrap();
        assert_ran_cheaply(&explained, 50).await;
    }
}

/// The plans are made by recording a batch while the queue is almost empty; then it fills.
#[tokio::test]
async fn plans_that_were_made_over_an_empty_queue_read_what_lies_between_the_keys() {
    let (_database, client, explained) = explained().await;
    let empty = "CREATE TABLE aside AS TABLE delivery_queue; TRUNCATE delivery_queue; ANALYZE delivery_queue";
    client.batch_execute(empty).await.unwrap();
    let next_steps = [NextStep::RetryAt(NOW), NextStep::Failed, NextStep::Delivered];
    for next_step in next_steps {
        explained.stores.webhooks.record(large(), &results(next_step)).await.unwrap();
    }
    explained.stores.webhooks.release(large(), &[leased(1)]).await.unwrap();
    explained.stores.webhooks.claim(large(), NOW, NOW, &ClaimLimits::any(50)).await.unwrap();
    explained.stores.webhooks.hold(large(), NOW, 50).await.unwrap();
    explained.ran().await;
    client.batch_execute("INSERT INTO delivery_queue TABLE aside").await.unwrap();
    for next_step in next_steps {
        explained.stores.webhooks.record(large(), &results(next_step)).await.unwrap();
    }
    let all: Vec<_> = (1..=50).map(leased).collect();
    explained.stores.webhooks.release(large(), &all).await.unwrap();
    explained.stores.webhooks.claim(large(), NOW, NOW, &ClaimLimits::any(50)).await.unwrap();
    assert_ran_cheaply(&explained, 60).await;
}

#[tokio::test]
async fn what_a_disabled_address_has_queued_is_held_a_part_at_a_time() {
    let (_database, client, explained) = explained().await;
    client.batch_execute("UPDATE webhook_addresses SET state = 'disabled'").await.unwrap();
    assert_eq!(explained.stores.webhooks.hold(large(), NOW, 50).await.unwrap(), 50);
    assert_ran_cheaply(&explained, 50).await;
}

fn page(after: Option<Position>) -> PageRequest {
    PageRequest { limit: PageLimit::new(50).unwrap(), after }
}

/// Of 20,000 deliveries, 200 have failed and the others wait.
#[tokio::test]
async fn a_page_of_the_log_is_read_by_keys_whatever_its_state() {
    let (_database, _client, explained) = explained().await;
    let after = Position { at: datetime!(2026-11-21 14:10 UTC), id: id(9, 15_000) };
    let list = async |state: Option<DeliveryState>, since: OffsetDateTime, event: Option<EventType>| {
        let until = Some(datetime!(2026-11-22 00:00 UTC));
        let filter = DeliveryFilter { address: address(), state, event, since: Some(since), until };
        DeliveryLog::list(&*explained.stores.webhooks, large(), &filter, page(Some(after)))
            .await
            .unwrap()
            .len()
    };
    let since = datetime!(2026-11-21 00:00 UTC);
    // Delivered rows come after all waiting ones, and there are no pings; a window bounds their search.
    let window = datetime!(2026-11-21 14:09:20 UTC);
    assert_eq!(list(None, since, None).await, 51);
    assert_eq!(list(Some(DeliveryState::Failed), since, None).await, 51);
    assert_eq!(list(Some(DeliveryState::Pending), since, None).await, 51);
    list(Some(DeliveryState::Delivered), window, None).await;
    assert_eq!(list(None, window, Some(EventType::Ping)).await, 0);
    assert_eq!(list(Some(DeliveryState::Pending), window, Some(EventType::Ping)).await, 0);
    assert_ran_cheaply(&explained, 101).await;
    list(Some(DeliveryState::Held), since, None).await;
    assert_ran_cheaply(&explained, 200).await;
}

#[tokio::test]
async fn a_delivery_is_found_and_sent_again_by_its_id() {
    let (_database, _client, explained) = explained().await;
    // The seeded body cannot be opened.
    assert!(DeliveryLog::find(&*explained.stores.webhooks, large(), id(9, 100).into()).await.is_err());
    assert_ran_cheaply(&explained, 2).await;
    explained
        .stores
        .webhooks
        .resend(large(), id(9, 100).into(), &explained.entry(large(), Action::DeliveryResent, NOW))
        .await
        .unwrap();
    assert_ran_cheaply(&explained, 2).await;
}

/// A person with 50 deliveries, a message with one, and a reference of 100 messages.
#[tokio::test]
async fn deliveries_are_searched_by_keys() {
    let (_database, client, explained) = explained().await;
    client
        .batch_execute(
            "UPDATE delivery_log log SET message_id = id(7, n), contact_id = id(5, n % 400)
             FROM generate_series(1, 20000) n WHERE log.workspace_id = id(1, 0) AND log.id = id(9, n);
             UPDATE sends SET reference = 'order ' || n % 200
             FROM generate_series(1, 20000) n WHERE sends.workspace_id = id(1, 0) AND sends.id = id(7, n);
             ANALYZE delivery_log, sends",
        )
        .await
        .unwrap();
    let after = Position { at: datetime!(2026-11-22 00:00 UTC), id: id(9, 0) };
    for (subject, found) in [
        (DeliverySubject::Contact(id(5, 7).into()), 50),
        (DeliverySubject::Message(id(7, 700).into()), 1),
        (DeliverySubject::Reference("order 7".to_owned()), 51),
    ] {
        let search = explained.stores.webhooks.search(large(), &subject, page(Some(after)));
        assert_eq!(search.await.unwrap().len(), found);
        assert_ran_cheaply(&explained, 102).await;
    }
}

#[tokio::test]
async fn a_window_is_sent_again_a_part_at_a_time() {
    let (_database, _client, explained) = explained().await;
    let (since, until) = (datetime!(2026-11-21 00:00 UTC), datetime!(2026-11-22 00:00 UTC));
    let window = ResendWindow { address: address(), since, until };
    let asked = explained.entry(large(), Action::WindowResent, NOW);
    explained.stores.webhooks.begin_resend(large(), id(13, 1).into(), &window, 10, &asked).await.unwrap();
    // The window is counted once: 200 have failed, the others wait.
    assert_ran_cheaply(&explained, 19_800).await;
    // The row that the first step ended with is read once more.
    for rows in [50, 51] {
        explained.stores.webhooks.step_resend(large(), NOW, 50).await.unwrap();
        assert_ran_cheaply(&explained, rows).await;
    }
}

#[tokio::test]
async fn what_is_sent_again_is_found_by_keys() {
    let (_database, _client, explained) = explained().await;
    let workspace = id(1, 11).into();
    assert!(explained.stores.webhooks.find_resend(workspace, id(13, 20_010).into()).await.unwrap().is_some());
    assert!(!explained.stores.webhooks.list_resends(workspace, id(4, 11).into()).await.unwrap().is_empty());
    explained.stores.webhooks.workspaces_resending().await.unwrap();
    assert_ran_cheaply(&explained, 10).await;
}

/// All addresses are deleted; only one of the large workspace has anything in the queue.
#[tokio::test]
async fn deleted_addresses_are_forgotten_by_keys() {
    let (_database, client, explained) = explained().await;
    let delete = "UPDATE webhook_addresses SET state = 'deleted', deleted_at = created_at";
    client.batch_execute(delete).await.unwrap();
    explained.stores.webhooks.keep(NOW, NOW, datetime!(2100-01-01 00:00 UTC)).await.unwrap();
    let of_addresses = |plan: &crate::explained::Plan| {
        plan.statement.contains("webhook_addresses") || plan.statement.contains("webhook_resends")
    };
    let (mut looked, mut forgotten) = (0, 0);
    for plan in explained.ran().await.iter().filter(|plan| of_addresses(plan)) {
        let most = if plan.statement.starts_with("SELECT") { 401.0 } else { 10.0 };
        assert!(plan.scans.iter().all(|scan| scan.rows <= most), "{plan:?}");
        looked += usize::from(plan.statement.starts_with("SELECT"));
        forgotten += usize::from(plan.statement.starts_with("DELETE"));
    }
    assert_eq!((looked, forgotten), (1, 802));
}

/// On a connection for requests: ten addresses of 4,000.
#[tokio::test]
async fn addresses_are_found_and_changed_by_their_workspace() {
    let (_database, client, explained) = explained().await;
    client
        .batch_execute(
            "INSERT INTO webhook_addresses
                 SELECT id(1, n / 10), id(24, n), 'https://n.example', '{message.sent}', '', 'enabled', 0, NULL, now()
                 FROM generate_series(0, 4009) n;
             ANALYZE webhook_addresses",
        )
        .await
        .unwrap();
    let stores = &explained.stores;
    let (workspace, address): (WorkspaceId, WebhookAddressId) = (id(1, 7).into(), id(24, 71).into());
    let entry = |action| explained.entry(workspace, action, NOW);
    let new = NewAddress {
        id: id(24, 30_000).into(),
        url: "https://n.example".to_owned(),
        events: Vec::new(),
        secret: "whsec_new".to_owned().into(),
        is_once: false,
        creator: None,
    };
    assert_eq!(AddressStore::list(&*stores.webhooks, workspace).await.unwrap().len(), 11);
    assert!(AddressStore::find(&*stores.webhooks, workspace, address).await.unwrap().is_some());
    let data = EventData::Ping { message: "a test".to_owned() };
    let ping = Event { kind: EventType::Ping, created_at: NOW, data };
    assert!(
        stores
            .webhooks
            .enqueue(workspace, address, &ping, &entry(Action::WebhookPinged))
            .await
            .unwrap()
            .is_some()
    );
    let settings = AddressSettings { events: Some(Vec::new()), standard_headers: Some(true) };
    let rotation =
        AddressChange::Rotate { secret: "whsec_next".to_owned().into(), previous_until: Some(NOW) };
    for (change, action) in [
        (AddressChange::Settings(settings), Action::WebhookChanged),
        (AddressChange::Move { url: "https://other.example".to_owned() }, Action::WebhookChanged),
        (AddressChange::Pause { reason: "why".to_owned() }, Action::WebhookPaused),
        (AddressChange::Resume, Action::WebhookResumed),
        (rotation, Action::WebhookRotated),
        (AddressChange::Delete, Action::WebhookRemoved),
    ] {
        assert!(stores.webhooks.change(workspace, address, &change, &entry(action)).await.unwrap());
    }
    stores.webhooks.add(workspace, &new, 20, &entry(Action::WebhookAdded)).await.unwrap();
    assert_ran_cheaply(&explained, 11).await;
}
