//! A post of the network: who signed it, whose it is, and that it is kept.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use domain::{
    channels::{ChannelKind, ports::MockUnreadUpdates},
    contacts::Identity,
    deps::Deps,
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
    inbound::{
        Addressee, ConversationUpdate, HandedOver, Head, HeldUpdate, JournalEntry, JournalItem,
        NetworkUpdate, Person, ReceiveError, ReceiveUpdates, Received, SignedPost, UpdateKind, Written,
        ports::{MockJournal, MockNetworkWebhook, MockUpdateSignals, NumberRoute, UnreadablePayload},
    },
    messages::{DeliveryStatus, NetworkMessageId},
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_moment, a_number, a_status, a_workspace},
};
use mockall::predicate::eq;
use uuid::Uuid;

const RAW: &[u8] = b"{\"entry\":[]}";

/// A post that is signed and says this.
fn a_post_of(updates: Vec<NetworkUpdate>) -> MockNetworkWebhook {
    let mut network = MockNetworkWebhook::new();
    network
        .expect_verify()
        .withf(|head, raw| raw == RAW && head.header("signed") == Some("right"))
        .returning(|_, raw| Some(raw));
    network.expect_name().return_const("a webhook");
    network.expect_network().return_const(ChannelKind::Whatsapp);
    network.expect_read().returning(move |_| Ok(updates.clone()));
    network
}

/// A journal that knows numbers `own`, `otp` (send-only) and `next` (of another workspace), and accounts
/// `waba` and `waba-next`.
fn a_journal() -> (MockJournal, Arc<Mutex<Vec<JournalEntry>>>) {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(ids.iter().map(|id| number_route(id)).collect()));
    journal.expect_account_routes().returning(|ids| Ok(ids.iter().map(|id| account_route(id)).collect()));
    let kept: Arc<Mutex<Vec<JournalEntry>>> = Arc::default();
    let appended = kept.clone();
    journal.expect_append().returning(move |_, entries, take_up| {
        assert!(!take_up);
        appended.lock().unwrap().extend_from_slice(entries);
        Ok(HandedOver::default())
    });
    (journal, kept)
}

fn number_route(network_id: &str) -> Option<NumberRoute> {
    let (workspace, index) = match network_id {
        "own" => (a_workspace().id, 1),
        "otp" | "gone" => (a_workspace().id, 2),
        "next" => (next_workspace(), 3),
        _ => return None,
    };
    let (send_only, disconnected) = (network_id == "otp", network_id == "gone");
    Some(NumberRoute { workspace, channel: a_number(0, index).id, send_only, disconnected })
}

fn account_route(network_id: &str) -> Option<WorkspaceId> {
    match network_id {
        "waba" => Some(a_workspace().id),
        "waba-next" => Some(next_workspace()),
        _ => None,
    }
}

fn next_workspace() -> WorkspaceId {
    Uuid::from_u128(9).into()
}

/// Signals, of which each workspace named may come once.
fn waking(workspaces: &[WorkspaceId]) -> MockUpdateSignals {
    let mut signals = MockUpdateSignals::new();
    signals.expect_takes_up().return_const(false);
    for id in workspaces.iter().copied() {
        signals.expect_updates_journaled().with(eq(id)).once().return_const(());
    }
    signals
}

/// Counts whatever is not read, all of it as new.
fn counting() -> MockUnreadUpdates {
    let mut unread = MockUnreadUpdates::new();
    unread.expect_count().returning(|_, counts, day| {
        assert_eq!(day, a_moment().date());
        Ok(counts.iter().map(|count| format!("{} {}", count.updates, count.field)).collect())
    });
    unread
}

async fn receive(
    network: MockNetworkWebhook,
    journal: MockJournal,
    signals: MockUpdateSignals,
    signature: Option<&str>,
) -> Result<Received, ReceiveError> {
    let signed = signature.map(|signature| ("signed".to_owned(), signature.to_owned()));
    let head = Head { headers: signed.into_iter().collect(), ..Head::default() };
    let post = SignedPost::check(Arc::new(network), &head, Bytes::from_static(RAW))?;
    let use_case = ReceiveUpdates {
        webhooks: Vec::new(),
        journal: Arc::new(journal),
        unread: Arc::new(counting()),
        signals: Arc::new(signals),
        deps: Deps {
            clock: Arc::new(ManualClock::at(a_moment())),
            ids: Arc::new(SequentialIds::default()),
            signals: Arc::new(MockSignals::new()),
        },
    };
    use_case.take_in(&post).await
}

/// What of these updates is kept, and under which workspace.
async fn kept_of(
    updates: Vec<NetworkUpdate>,
    woken: &[WorkspaceId],
) -> (Received, Vec<(WorkspaceId, JournalItem)>) {
    let (journal, kept) = a_journal();
    let received = receive(a_post_of(updates), journal, waking(woken), Some("right")).await.unwrap();
    let kept = kept.lock().unwrap().drain(..).map(|entry| (entry.workspace, entry.item)).collect();
    (received, kept)
}

fn status_of(number: &str) -> NetworkUpdate {
    NetworkUpdate::Status {
        number_network_id: number.to_owned(),
        status: a_status(DeliveryStatus::Delivered),
    }
}

fn message_to(number: &str) -> NetworkUpdate {
    NetworkUpdate::Conversation { channel_network_id: number.to_owned(), update: written() }
}

fn written() -> ConversationUpdate {
    ConversationUpdate {
        person: Person {
            identities: vec![Identity::MessengerUser("2481".to_owned())],
            name: None,
            avatar_url: None,
        },
        at: a_moment(),
        what: UpdateKind::Wrote(Written {
            network_id: NetworkMessageId::from("m_1".to_owned()),
            content: "مرحبا".to_owned(),
            media: Vec::new(),
            context: domain::messages::Context::default(),
        }),
    }
}

fn templates_changed(account: &str) -> NetworkUpdate {
    NetworkUpdate::TemplatesChanged { account_network_id: account.to_owned() }
}

fn a_status_item() -> JournalItem {
    JournalItem::Status(a_status(DeliveryStatus::Delivered))
}

fn a_message_item(channel: ChannelId) -> JournalItem {
    JournalItem::Conversation { channel, update: Box::new(written()) }
}

fn a_templates_item(account: &str) -> JournalItem {
    JournalItem::TemplatesChanged { account_network_id: account.to_owned() }
}

#[pollster::test]
async fn a_forged_post_is_not_even_read() {
    for signature in [None, Some("wrong"), Some("")] {
        let mut network = MockNetworkWebhook::new();
        network.expect_verify().returning(|_, _| None);
        let answer = receive(network, MockJournal::new(), MockUpdateSignals::new(), signature).await;
        assert!(matches!(answer, Err(ReceiveError::Forged)), "{answer:?}");
    }
}

#[pollster::test]
async fn a_signed_post_that_nobody_can_read_goes_to_the_quarantine_as_its_webhook_has_it() {
    const READ: &[u8] = b"an account, and the post";
    let mut network = MockNetworkWebhook::new();
    network.expect_name().return_const("a webhook");
    network.expect_verify().returning(|_, _| Some(Bytes::from_static(READ)));
    network.expect_network().withf(|payload| payload == READ).return_const(ChannelKind::Messenger);
    network
        .expect_read()
        .withf(|payload| payload == READ)
        .returning(|_| Err(UnreadablePayload("no `entry`".to_owned())));
    let mut journal = MockJournal::new();
    journal
        .expect_quarantine()
        .withf(|webhook, payload, network, reason, now| {
            let network = *network == Some(ChannelKind::Messenger);
            (webhook, payload, reason) == ("a webhook", READ, "no `entry`") && network && *now == a_moment()
        })
        .once()
        .returning(|_, _, _, _, _| Ok(()));
    let received = receive(network, journal, MockUpdateSignals::new(), Some("right")).await.unwrap();
    assert_eq!(received, Received { quarantined: true, ..Received::default() });
}

#[pollster::test]
async fn each_update_is_kept_for_the_workspace_that_its_number_belongs_to() {
    let updates = vec![status_of("own"), message_to("own"), status_of("next"), status_of("own")];
    let (received, kept) = kept_of(updates, &[a_workspace().id, next_workspace()]).await;
    assert_eq!(received, Received { journaled: 4, passed_over: 0, ..Received::default() });
    let of = |id| kept.iter().filter(move |(workspace, _)| *workspace == id).map(|(_, item)| item.clone());
    assert_eq!(
        of(a_workspace().id).collect::<Vec<_>>(),
        [a_status_item(), a_message_item(a_number(0, 1).id), a_status_item()]
    );
    assert_eq!(of(next_workspace()).collect::<Vec<_>>(), [a_status_item()]);
    assert_eq!(kept.len(), 4);
}

#[pollster::test]
async fn what_is_about_foreign_numbers_and_accounts_or_of_no_use_is_passed_over() {
    let unused = NetworkUpdate::Ignored { field: "flows".to_owned() };
    let updates = vec![
        status_of("foreign"),
        status_of("own"),
        message_to("foreign"),
        templates_changed("foreign"),
        unused,
    ];
    let (received, kept) = kept_of(updates, &[a_workspace().id]).await;
    assert_eq!(received, Received { journaled: 1, passed_over: 4, ..Received::default() });
    assert_eq!(kept, [(a_workspace().id, a_status_item())]);
}

#[pollster::test]
async fn what_is_not_read_is_counted_for_whoever_is_connected() {
    let unread = |field: &str, of: Option<&str>| NetworkUpdate::Unread {
        field: field.to_owned(),
        of: of.map(|id| Addressee::Channel(id.to_owned())),
    };
    let updates = vec![
        unread("whispers", Some("own")),
        unread("whispers", Some("own")),
        unread("history", Some("own")),
        unread("whispers", Some("foreign")),
        unread("whispers", None),
    ];
    let (received, kept) = kept_of(updates, &[]).await;
    assert_eq!((received.unread, received.quarantined, kept.len()), (5, false, 0));
    let new = |said: &str| (a_workspace().id, said.to_owned());
    assert_eq!(received.newly_unread, [new("2 whispers"), new("1 history")]);
}

#[pollster::test]
async fn what_customers_write_to_a_send_only_number_is_not_kept_but_its_statuses_are() {
    let updates = vec![message_to("otp"), status_of("otp")];
    let (received, kept) = kept_of(updates, &[a_workspace().id]).await;
    assert_eq!(received, Received { journaled: 1, passed_over: 1, ..Received::default() });
    assert_eq!(kept, [(a_workspace().id, a_status_item())]);
}

#[pollster::test]
async fn an_account_s_templates_are_read_once_however_many_have_changed() {
    let updates = ["waba", "waba-next", "waba", "waba"].map(templates_changed).to_vec();
    let (received, kept) = kept_of(updates, &[a_workspace().id, next_workspace()]).await;
    assert_eq!((received.journaled, received.passed_over), (2, 2));
    assert_eq!(
        kept,
        [(a_workspace().id, a_templates_item("waba")), (next_workspace(), a_templates_item("waba-next"))]
    );
}

#[pollster::test]
async fn a_post_with_nothing_of_ours_writes_nothing() {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(vec![None; ids.len()]));
    let post = a_post_of(vec![status_of("foreign")]);
    let received = receive(post, journal, MockUpdateSignals::new(), Some("right")).await.unwrap();
    assert_eq!(received, Received { journaled: 0, passed_over: 1, ..Received::default() });
}

#[pollster::test]
async fn entries_have_ids_of_their_own_and_the_time_they_came() {
    let (journal, kept) = a_journal();
    let post = a_post_of(vec![status_of("own"), status_of("own")]);
    receive(post, journal, waking(&[a_workspace().id]), Some("right")).await.unwrap();
    let kept = kept.lock().unwrap().clone();
    let [first, second] = kept.as_slice() else { panic!("two entries") };
    assert!(first.id < second.id);
    assert_eq!((first.received_at, first.attempts), (a_moment(), 0));
}

#[pollster::test]
async fn what_cannot_be_kept_is_not_acknowledged_and_wakes_nobody() {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(ids.iter().map(|id| number_route(id)).collect()));
    journal.expect_append().returning(|_, _, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let answer = receive(a_post_of(vec![status_of("own")]), journal, waking(&[]), Some("right")).await;
    assert!(matches!(answer, Err(ReceiveError::Store(_))), "{answer:?}");
}

/// As a journal answers that this process works off, or another.
fn appended(entries: &[JournalEntry], own: bool) -> HandedOver {
    let held = |entry: &JournalEntry| HeldUpdate { entry: entry.clone(), place: 1, late: false, failures: 0 };
    let updates = if own { entries.iter().map(held).collect() } else { Vec::new() };
    HandedOver { updates, holder: 7, behind: true }
}

#[pollster::test]
async fn what_this_process_handles_itself_is_journaled_as_taken_up_and_handed_over() {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(ids.iter().map(|id| number_route(id)).collect()));
    journal
        .expect_append()
        .withf(|workspace, entries, take_up| *workspace == a_workspace().id && entries.len() == 2 && *take_up)
        .once()
        .returning(|_, entries, _| Ok(appended(entries, true)));
    // The other one lags behind.
    journal
        .expect_append()
        .withf(|workspace, entries, take_up| {
            *workspace == next_workspace() && entries.len() == 1 && !*take_up
        })
        .once()
        .returning(|_, entries, _| Ok(appended(entries, false)));
    let mut signals = MockUpdateSignals::new();
    signals.expect_takes_up().with(eq(a_workspace().id), eq(2)).once().return_const(true);
    signals.expect_takes_up().with(eq(next_workspace()), eq(1)).once().return_const(false);
    signals
        .expect_updates_taken_up()
        .withf(|workspace, handed| {
            *workspace == a_workspace().id
                && handed.updates.len() == 2
                && (handed.holder, handed.behind) == (7, true)
        })
        .once()
        .return_const(());
    signals.expect_updates_journaled().with(eq(next_workspace())).once().return_const(());
    let post = a_post_of(vec![status_of("own"), status_of("next"), status_of("own")]);
    let received = receive(post, journal, signals, Some("right")).await.unwrap();
    assert_eq!(received.journaled, 3);
}

#[pollster::test]
async fn what_another_process_works_off_is_left_to_it() {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(ids.iter().map(|id| number_route(id)).collect()));
    journal.expect_append().once().returning(|_, entries, _| Ok(appended(entries, false)));
    let mut signals = MockUpdateSignals::new();
    signals.expect_takes_up().return_const(true);
    signals.expect_updates_journaled().with(eq(a_workspace().id)).once().return_const(());
    receive(a_post_of(vec![status_of("own")]), journal, signals, Some("right")).await.unwrap();
}

#[pollster::test]
async fn what_could_not_be_journaled_is_handed_to_nobody() {
    let mut journal = MockJournal::new();
    journal.expect_number_routes().returning(|ids| Ok(ids.iter().map(|id| number_route(id)).collect()));
    journal.expect_append().returning(|_, _, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let mut signals = MockUpdateSignals::new();
    signals.expect_takes_up().return_const(true);
    let answer = receive(a_post_of(vec![status_of("own")]), journal, signals, Some("right")).await;
    assert!(matches!(answer, Err(ReceiveError::Store(_))), "{answer:?}");
}

#[test]
fn what_a_customer_wrote_does_not_print() {
    let entry = JournalEntry {
        id: Uuid::from_u128(1).into(),
        workspace: a_workspace().id,
        received_at: a_moment(),
        attempts: 0,
        item: a_message_item(a_number(0, 1).id),
    };
    assert!(!format!("{entry:?}").contains("مرحبا"));
}

#[pollster::test]
async fn a_post_that_can_be_read_in_part_is_handled_in_part_and_kept_whole() {
    let mut journal = MockJournal::new();
    journal
        .expect_quarantine()
        .withf(|_, _, _, reason, _| reason == "cannot be read: a status; a message")
        .times(1)
        .returning(|_, _, _, _, _| Ok(()));
    journal.expect_number_routes().returning(|ids| Ok(vec![None; ids.len()]));
    let unreadable = |part: &str| NetworkUpdate::Unreadable { part: part.to_owned(), of: None };
    let post = a_post_of(vec![unreadable("a status"), status_of("foreign"), unreadable("a message")]);
    let received = receive(post, journal, MockUpdateSignals::new(), Some("right")).await.unwrap();
    assert_eq!(received, Received { journaled: 0, passed_over: 3, quarantined: true, ..Received::default() });
}

#[pollster::test]
async fn what_cannot_be_read_of_numbers_and_accounts_that_are_not_connected_is_kept_nowhere() {
    let number = |id: &str| Some(Addressee::Channel(id.to_owned()));
    let account = |id: &str| Some(Addressee::Account(id.to_owned()));
    let part = |part: &str, of: Option<Addressee>| NetworkUpdate::Unreadable { part: part.to_owned(), of };
    for (parts, kept) in [
        (vec![part("a message", number("foreign"))], None),
        (vec![part("a message", number("gone"))], None),
        (vec![part("a change", account("foreign")), part("a message", number("foreign"))], None),
        (vec![part("a message", number("own"))], Some("cannot be read: a message")),
        (vec![part("a change", account("waba"))], Some("cannot be read: a change")),
        (vec![part("an entry", None)], Some("cannot be read: an entry")),
        (
            vec![
                part("a status", number("foreign")),
                part("a message", number("own")),
                part("a message", None),
            ],
            Some("cannot be read: a message"),
        ),
    ] {
        let (mut journal, _) = a_journal();
        if let Some(wanted) = kept {
            journal
                .expect_quarantine()
                .withf(move |_, _, _, why, _| why == wanted)
                .once()
                .returning(|_, _, _, _, _| Ok(()));
        }
        let received = receive(a_post_of(parts.clone()), journal, MockUpdateSignals::new(), Some("right"))
            .await
            .unwrap();
        let wanted = Received {
            passed_over: parts.len(),
            quarantined: kept.is_some(),
            unreadable_of_others: kept.is_none(),
            ..Received::default()
        };
        assert_eq!(received, wanted, "{parts:?}");
    }
}
