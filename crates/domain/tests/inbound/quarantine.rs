//! What is in the quarantine is replayed like a fresh post, and leaves it when nothing is left to read.

use std::sync::Arc;

use domain::{
    channels::ports::MockUnreadUpdates,
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{
        JournalEntry, JournalItem, ManageQuarantine, NetworkUpdate, Quarantined, QuarantinedItem,
        ReceiveUpdates, Replayed,
        ports::{
            MockJournal, MockNetworkWebhook, MockQuarantine, MockUpdateSignals, NumberRoute,
            UnreadablePayload,
        },
    },
    messages::DeliveryStatus,
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_moment, a_number, a_status, a_workspace},
};
use mockall::predicate::eq;
use uuid::Uuid;

const RAW: &[u8] = b"{\"entry\":[]}";

fn status() -> NetworkUpdate {
    NetworkUpdate::Status { number_network_id: "own".to_owned(), status: a_status(DeliveryStatus::Delivered) }
}

fn unreadable() -> NetworkUpdate {
    NetworkUpdate::Unreadable { part: "an entry".to_owned(), of: None }
}

fn an_update() -> JournalEntry {
    JournalEntry {
        id: Uuid::from_u128(77).into(),
        workspace: a_workspace().id,
        received_at: a_moment() - time::Duration::days(2),
        attempts: 0,
        item: JournalItem::Status(a_status(DeliveryStatus::Read)),
    }
}

/// A post that came by this webhook.
fn a_post(webhook: &str) -> QuarantinedItem {
    QuarantinedItem::Post { webhook: webhook.to_owned(), payload: RAW.to_vec() }
}

/// A quarantine that holds this under the number 5.
fn holding(kept: QuarantinedItem) -> MockQuarantine {
    let mut quarantine = MockQuarantine::new();
    quarantine.expect_open().with(eq(5)).return_once(|_| Ok(Some(kept)));
    quarantine
}

/// Reads posts so. Signatures are not looked at, and the journal is written to by the quarantine alone: the
/// mocks would panic.
fn manage(
    read: Result<Vec<NetworkUpdate>, UnreadablePayload>,
    quarantine: MockQuarantine,
    woken: Option<WorkspaceId>,
) -> ManageQuarantine {
    let mut other = MockNetworkWebhook::new();
    other.expect_name().return_const("other");
    let mut network = MockNetworkWebhook::new();
    network.expect_name().return_const("here");
    network.expect_read().withf(|raw| raw == RAW).return_const(read);
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| {
        let route = NumberRoute {
            workspace: a_workspace().id,
            channel: a_number(0, 1).id,
            send_only: false,
            disconnected: false,
        };
        Ok(ids.iter().map(|id| (id == "own").then_some(route)).collect())
    });
    let mut signals = MockUpdateSignals::new();
    if let Some(id) = woken {
        signals.expect_updates_journaled().with(eq(id)).once().return_const(());
    }
    let receive = ReceiveUpdates {
        webhooks: vec![Arc::new(other), Arc::new(network)],
        journal: Arc::new(journal),
        unread: Arc::new(MockUnreadUpdates::new()),
        signals: Arc::new(signals),
        deps: Deps {
            clock: Arc::new(ManualClock::at(a_moment())),
            ids: Arc::new(SequentialIds::default()),
            signals: Arc::new(MockSignals::new()),
        },
    };
    ManageQuarantine { quarantine: Arc::new(quarantine), receive: Arc::new(receive) }
}

fn replayed(journaled: usize, passed_over: usize, stays: Option<&str>) -> Replayed {
    Replayed { journaled, passed_over, stays: stays.map(str::to_owned) }
}

#[pollster::test]
async fn a_post_that_became_readable_is_journaled_and_leaves() {
    let mut quarantine = holding(a_post("here"));
    quarantine
        .expect_replay()
        .withf(|id, entries, stays| {
            let items: Vec<_> = entries.iter().map(|entry| entry.item.clone()).collect();
            *id == 5 && stays.is_none() && items == [JournalItem::Status(a_status(DeliveryStatus::Delivered))]
        })
        .once()
        .returning(|_, _, _| Ok(true));
    let ignored = NetworkUpdate::Ignored { field: "flows".to_owned() };
    let manage = manage(Ok(vec![status(), ignored]), quarantine, Some(a_workspace().id));
    assert_eq!(manage.replay(5).await.unwrap(), Some(replayed(1, 1, None)));
}

#[pollster::test]
async fn what_still_cannot_be_read_stays_with_its_new_reason() {
    let cases = [
        (Err(UnreadablePayload("no JSON".to_owned())), "no JSON", 0, 0),
        (Ok(vec![unreadable(), status(), unreadable()]), "cannot be read: an entry", 1, 2),
    ];
    for (read, reason, journaled, passed_over) in cases {
        let mut quarantine = holding(a_post("here"));
        quarantine
            .expect_replay()
            .withf(move |_, entries, stays| (entries.len(), stays.as_deref()) == (journaled, Some(reason)))
            .once()
            .returning(|_, _, _| Ok(true));
        let woken = (journaled > 0).then_some(a_workspace().id);
        let manage = manage(read, quarantine, woken);
        assert_eq!(manage.replay(5).await.unwrap(), Some(replayed(journaled, passed_over, Some(reason))));
    }
}

#[pollster::test]
async fn a_post_of_a_webhook_that_is_not_here_stays() {
    let mut quarantine = holding(a_post("gone"));
    quarantine
        .expect_replay()
        .withf(|_, entries, stays| entries.is_empty() && stays.as_deref() == Some("no webhook `gone` here"))
        .once()
        .returning(|_, _, _| Ok(true));
    let manage = manage(Ok(vec![status()]), quarantine, None);
    assert_eq!(manage.replay(5).await.unwrap(), Some(replayed(0, 0, Some("no webhook `gone` here"))));
}

#[pollster::test]
async fn an_update_goes_back_into_the_journal_as_it_was() {
    let mut quarantine = holding(QuarantinedItem::Update(Box::new(an_update())));
    quarantine
        .expect_replay()
        .withf(|_, entries, stays| entries == [an_update()] && stays.is_none())
        .once()
        .returning(|_, _, _| Ok(true));
    let manage = manage(Ok(Vec::new()), quarantine, Some(a_workspace().id));
    assert_eq!(manage.replay(5).await.unwrap(), Some(replayed(1, 0, None)));
}

#[pollster::test]
async fn what_cannot_be_opened_stays_and_says_why() {
    let mut quarantine = holding(QuarantinedItem::Sealed("no such key".to_owned()));
    quarantine
        .expect_replay()
        .withf(|_, entries, stays| entries.is_empty() && stays.as_deref() == Some("no such key"))
        .once()
        .returning(|_, _, _| Ok(true));
    let manage = manage(Ok(Vec::new()), quarantine, None);
    assert_eq!(manage.replay(5).await.unwrap(), Some(replayed(0, 0, Some("no such key"))));
}

#[pollster::test]
async fn what_somebody_else_has_replayed_meanwhile_wakes_nobody() {
    let mut quarantine = holding(a_post("here"));
    quarantine.expect_replay().once().returning(|_, _, _| Ok(false));
    assert_eq!(manage(Ok(vec![status()]), quarantine, None).replay(5).await.unwrap(), None);

    let mut gone = MockQuarantine::new();
    gone.expect_open().return_once(|_| Ok(None));
    assert_eq!(manage(Ok(Vec::new()), gone, None).replay(5).await.unwrap(), None);
}

#[pollster::test]
async fn all_are_replayed_once_each_page_by_page_also_those_that_stay() {
    let mut quarantine = MockQuarantine::new();
    quarantine.expect_list().returning(|after, limit| {
        let first = after + 1;
        let kept = |id| Quarantined {
            id,
            network: None,
            workspace: None,
            reason: "no JSON".to_owned(),
            received_at: a_moment(),
            bytes: 12,
        };
        Ok((first..first + i64::from(limit)).take_while(|id| *id <= 250).map(kept).collect())
    });
    quarantine.expect_open().times(250).returning(|_| Ok(Some(a_post("here"))));
    quarantine.expect_replay().times(250).returning(|_, _, _| Ok(true));
    let mut told = Vec::new();
    let manage = manage(Ok(vec![unreadable()]), quarantine, None);
    let done = manage.replay_all(|count| told.push(count)).await.unwrap();
    assert_eq!(told, (1..=250).collect::<Vec<_>>());
    let ids: Vec<i64> = done.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, (1..=250).collect::<Vec<_>>());
    assert!(done.iter().all(|(_, replayed)| replayed.stays.as_deref() == Some("cannot be read: an entry")));
}

#[pollster::test]
async fn a_store_that_fails_ends_a_replay_of_all() {
    let mut quarantine = MockQuarantine::new();
    quarantine.expect_list().returning(|_, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let failed = manage(Ok(Vec::new()), quarantine, None).replay_all(|_| ()).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
}
