//! Events on the wire, the addresses they go to, and their attempts.
//!
//! A mock that a test did not set up panics when it is called: "nothing is registered" is said by leaving it out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    access::audit::{Acting, Action, AuditEntry},
    ids::{DeliveryId, WebhookAddressId},
    inbound::{SentMessage, StatusUpdate},
    messages::{DeliveryStatus, Message},
    signals::MockSignals,
    testing::{
        ManualClock, SequentialIds, a_contact, a_due_delivery, a_message, a_moment, a_network_message_id,
        a_sent_code, a_sent_message, a_status, a_vault, a_webhook_address, a_workspace,
    },
    webhooks::{
        ATTEMPT_LIMIT, AddressChange, AddressHealth, AddressSettings, AddressState, AttemptOutcome, Customer,
        DeliverDue, Event, EventType, Failure, KeepLog, ManageAddresses, RECORD_WITHIN, RegisterAddress,
        RegisterError, RegisteredAddress, ResendDeliveries, ResendError, ResendWindow, RotateError,
        START_WITHIN, SubscribeError, Verdict, WebhookAddress,
        ports::{
            Added, Attempted, Begun, DeliverySender, DueDelivery, ForbiddenAddress, Lanes, MockAddressGuard,
            MockAddressStore, MockDeliveryLog, MockDeliveryQueue, MockDeliverySender, MockLogKeeper,
            NewAddress, Resent, Taken,
        },
    },
};
use serde_json::{Value, json};
use time::ext::NumericalDuration;
use uuid::Uuid;

const DELIVERY: &str = "00000000-0000-0000-0000-000000007000";
const WORKSPACE: &str = "00000000-0000-0000-0000-000000000001";

fn body_of(event: &Event) -> Value {
    let id = DeliveryId::from(DELIVERY.parse::<Uuid>().unwrap());
    serde_json::from_slice(&event.body(id, a_workspace().id)).unwrap()
}

fn status_event(sent: &SentMessage, status: &StatusUpdate) -> Event {
    Event::message_status(sent, status, &a_network_message_id(), a_moment() + 3.seconds())
}

/// The envelope around `data`.
fn envelope(kind: &str, created_at: &str, data: &Value) -> Value {
    json!({
        "id": DELIVERY,
        "type": kind,
        "createdAt": created_at,
        "team": { "id": WORKSPACE },
        "data": data,
    })
}

#[test]
fn a_sent_notice_is_told_with_its_template_and_reference() {
    let data = json!({
        "conversationId": "00000000-0000-0000-0000-000000005000",
        "message": {
            "id": "00000000-0000-0000-0000-000000003000",
            "role": "team",

            "content": "مرحبا سارة، طلبك A-1042 جاهز",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T10:00:00.000Z",
            "meta": {
                "template": { "name": "order_ready", "language": "ar" },
                "reference": "order-1042",
                "via": "api",
            },
        },
        "customer": {
            "id": "00000000-0000-0000-0000-000000004000",
            "name": "سارة",
            "phone": "+9647701234567",
        },
    });
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    assert_eq!(body_of(&event), envelope("message.sent", "2026-11-21T10:00:00.000Z", &data));
}

#[test]
fn a_message_that_no_template_made_has_no_meta() {
    let message = Message { meta: None, ..a_message() };
    let body = body_of(&Event::message_sent(message, Customer::of(&a_contact())));
    assert_eq!(body.pointer("/data/message/meta"), None);
    assert!(body.pointer("/data/message/content").is_some());
}

#[test]
fn a_delivered_notice_is_told_with_its_person_and_the_network_s_time() {
    let data = json!({
        "conversationId": "00000000-0000-0000-0000-000000005000",
        "messageId": "00000000-0000-0000-0000-000000003000",
        "status": "delivered",
        "providerMessageId": "wamid.one",
        "reference": "order-1042",
        "template": { "name": "order_ready", "language": "ar" },
        "error": null,
        "occurredAt": "2026-11-21T10:00:02.000Z",
        "customer": {
            "id": "00000000-0000-0000-0000-000000004000",
            "name": "سارة",
            "phone": "+9647701234567",
        },
    });
    let event = status_event(&a_sent_message(), &a_status(DeliveryStatus::Delivered));
    assert_eq!(body_of(&event), envelope("message.delivered", "2026-11-21T10:00:03.000Z", &data));
}

#[test]
fn a_failed_code_is_told_without_a_person_or_a_thread() {
    let data = json!({
        "conversationId": null,
        "messageId": "00000000-0000-0000-0000-000000003000",
        "status": "failed",
        "providerMessageId": "wamid.one",
        "reference": "login-7",
        "template": { "name": "login_code", "language": "ar" },
        "error": { "message": "131026: Message undeliverable" },
        "occurredAt": "2026-11-21T10:00:02.000Z",
        "customer": null,
    });
    let error = Some("131026: Message undeliverable".to_owned());
    let failed = StatusUpdate { error, ..a_status(DeliveryStatus::Failed) };
    let event = status_event(&a_sent_code(), &failed);
    assert_eq!(body_of(&event), envelope("message.failed", "2026-11-21T10:00:03.000Z", &data));
}

#[test]
fn only_a_failure_carries_an_error() {
    let with_words = |status| StatusUpdate { error: Some("words".to_owned()), ..a_status(status) };
    for (status, kind) in
        [(DeliveryStatus::Delivered, "message.delivered"), (DeliveryStatus::Read, "message.read")]
    {
        let body = body_of(&status_event(&a_sent_message(), &with_words(status)));
        assert_eq!(body.get("type"), Some(&json!(kind)));
        assert_eq!(body.pointer("/data/error"), Some(&Value::Null));
    }
}

#[test]
fn an_absent_reference_and_an_unknown_name_are_null() {
    let mut sent = a_sent_message();
    sent.entry.intent.reference = None;
    sent.customer = Some(Customer { name: None, ..Customer::of(&a_contact()) });
    let body = body_of(&status_event(&sent, &a_status(DeliveryStatus::Read)));
    assert_eq!(body.pointer("/data/reference"), Some(&Value::Null));
    assert_eq!(body.pointer("/data/customer/name"), Some(&Value::Null));
}

#[test]
fn the_same_event_has_the_same_bytes() {
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    let id = a_due_delivery().leased.id;
    assert_eq!(event.body(id, a_workspace().id), event.body(id, a_workspace().id));
}

#[test]
fn an_event_does_not_print_what_it_says() {
    let event = Event::message_sent(a_message(), Customer::of(&a_contact()));
    let printed = format!("{event:?}");
    assert!(!printed.contains("A-1042") && !printed.contains("7701234567"), "{printed}");
}

/// Who makes the changes.
fn acting() -> Acting {
    Acting::operator(a_workspace().id)
}

/// Whether an entry tells that this was done now, to this.
fn tells(entry: &AuditEntry, action: Action, subject: &str) -> bool {
    entry.by == acting()
        && (entry.action, entry.subject.as_deref(), entry.at) == (action, Some(subject), a_moment())
}

fn register(store: MockAddressStore, guard: MockAddressGuard) -> RegisterAddress {
    RegisterAddress {
        store: Arc::new(store),
        guard: Arc::new(guard),
        vault: Arc::new(a_vault()),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
    }
}

fn a_permissive_guard() -> MockAddressGuard {
    let mut guard = MockAddressGuard::new();
    guard.expect_check().returning(|_| Ok(()));
    guard
}

/// Registers [`a_webhook_address`] for these events; the store answers `added`.
async fn registering(
    events: Vec<EventType>,
    added: Added,
) -> (Result<RegisteredAddress, RegisterError>, Vec<(NewAddress, AuditEntry)>) {
    let kept: Arc<Mutex<Vec<(NewAddress, AuditEntry)>>> = Arc::default();
    let mut store = MockAddressStore::new();
    let added_to = kept.clone();
    store.expect_add().withf(|_, most, _| *most == 10).returning(move |address, _, entry| {
        added_to.lock().unwrap().push((address.clone(), entry.clone()));
        Ok(added)
    });
    let use_case = register(store, a_permissive_guard());
    let registered = use_case.run(acting(), "https://hooks.example/in?token=s3cret".to_owned(), events).await;
    let kept = kept.lock().unwrap().clone();
    (registered, kept)
}

#[pollster::test]
async fn a_registered_address_has_a_secret_and_each_event_once() {
    let events = vec![EventType::MessageSent, EventType::ConversationCreated, EventType::MessageSent];
    let (registered, kept) = registering(events, Added::Yes).await;
    let registered = registered.unwrap();
    assert_eq!(registered.secret.reveal(), format!("whsec_{}", "ab".repeat(32)));
    let [(address, entry)] = kept.as_slice() else { panic!("one address") };
    assert_eq!((address.id, &address.secret), (registered.id, &registered.secret));
    assert_eq!(address.url, "https://hooks.example/in?token=s3cret");
    assert_eq!(address.events, [EventType::ConversationCreated, EventType::MessageSent]);
    assert!(!format!("{registered:?} {address:?}").contains("abab"));
    assert!(tells(entry, Action::WebhookAdded, &address.id.to_string()), "{entry:?}");
    let details =
        json!({ "events": ["conversation.created", "message.sent"], "origin": "https://hooks.example" });
    assert_eq!(Value::Object(entry.details.clone()), details);
}

#[pollster::test]
async fn an_address_that_may_not_be_called_is_not_registered() {
    let mut guard = MockAddressGuard::new();
    guard
        .expect_check()
        .withf(|url| url == "https://localhost/hooks")
        .returning(|_| Err(ForbiddenAddress("localhost is not a public host".to_owned())));
    let use_case = register(MockAddressStore::new(), guard);
    let url = "https://localhost/hooks".to_owned();
    let answer = use_case.run(acting(), url, vec![EventType::MessageSent]).await;
    assert!(matches!(answer, Err(RegisterError::Forbidden(_))), "{answer:?}");
}

#[pollster::test]
async fn an_address_that_would_be_told_nothing_is_not_registered() {
    let use_case = register(MockAddressStore::new(), MockAddressGuard::new());
    let answer = use_case.run(acting(), a_webhook_address().url, vec![]).await;
    assert!(matches!(answer, Err(RegisterError::NoEvents)), "{answer:?}");
}

#[pollster::test]
async fn a_workspace_has_ten_addresses_at_most_and_must_exist() {
    let (answer, _) = registering(vec![EventType::MessageSent], Added::TooMany).await;
    assert!(matches!(answer, Err(RegisterError::TooMany)), "{answer:?}");
    let (answer, _) = registering(vec![EventType::MessageSent], Added::NoWorkspace).await;
    assert!(matches!(answer, Err(RegisterError::UnknownWorkspace)), "{answer:?}");
}

#[pollster::test]
async fn a_ping_is_owed_to_one_address_whatever_it_subscribes_to() {
    let address = a_webhook_address().id;
    for known in [true, false] {
        let mut store = MockAddressStore::new();
        store
            .expect_owe()
            .withf(move |to, event, entry| {
                *to == address
                    && is_a_ping(event)
                    && tells(entry, Action::WebhookPinged, &address.to_string())
            })
            .once()
            .returning(move |_, _, _| Ok(known));
        assert_eq!(manage(store).ping(acting(), address).await.unwrap(), known);
    }
}

fn manage(store: MockAddressStore) -> ManageAddresses {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ManageAddresses {
        store: Arc::new(store),
        vault: Arc::new(a_vault()),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
        signals: Arc::new(signals),
    }
}

/// A store in which one change is made, as `wanted` says, and logged as `action` with `details`.
fn changing(
    wanted: impl Fn(&AddressChange) -> bool + Send + 'static,
    action: Action,
    details: Value,
) -> MockAddressStore {
    let NewAddress { id, url, events, .. } = a_webhook_address();
    let health =
        AddressHealth { state: AddressState::Enabled, consecutive_failures: 0, disabled_reason: None };
    let address = WebhookAddress {
        id,
        url,
        events,
        health,
        standard_headers: false,
        previous_secret_until: None,
        created_at: a_moment(),
    };
    let mut store = MockAddressStore::new();
    store
        .expect_change()
        .withf(move |of, change, entry| {
            *of == id
                && wanted(change)
                && tells(entry, action, &id.to_string())
                && Value::Object(entry.details.clone()) == details
        })
        .once()
        .returning(|_, _, _| Ok(true));
    store.expect_find().returning(move |_, _| Ok(Some(address.clone())));
    store
}

#[pollster::test]
async fn an_address_is_told_of_each_event_once_and_the_log_says_what_was_asked_for() {
    let (wanted, id) = (vec![EventType::MessageFailed, EventType::MessageRead], a_webhook_address().id);
    let sorted = AddressSettings {
        events: Some(vec![EventType::MessageRead, EventType::MessageFailed]),
        standard_headers: Some(true),
    };
    let store = changing(
        move |change| *change == AddressChange::Settings(sorted.clone()),
        Action::WebhookChanged,
        json!({ "events": ["message.read", "message.failed"], "standardHeaders": true }),
    );
    let events = Some([wanted.clone(), wanted].concat());
    let wanted = AddressSettings { events, standard_headers: Some(true) };
    manage(store).set(acting(), id, wanted).await.unwrap();
}

#[pollster::test]
async fn pausing_resuming_and_removing_are_logged() {
    let id = a_webhook_address().id;
    let none = || json!({});
    let is_pause = |change: &AddressChange| matches!(change, AddressChange::Pause { .. });
    let store = changing(is_pause, Action::WebhookPaused, none());
    assert!(manage(store).pause(acting(), id).await.unwrap().is_some());
    let store = changing(|change| *change == AddressChange::Resume, Action::WebhookResumed, none());
    assert!(manage(store).resume(acting(), id).await.unwrap().is_some());
    let store = changing(|change| *change == AddressChange::Delete, Action::WebhookRemoved, none());
    assert!(manage(store).delete(acting(), id).await.unwrap());
}

fn resending(log: MockDeliveryLog) -> ResendDeliveries {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ResendDeliveries {
        log: Arc::new(log),
        clock: Arc::new(ManualClock::at(a_moment())),
        ids: Arc::new(SequentialIds::default()),
        signals: Arc::new(signals),
    }
}

#[pollster::test]
async fn sending_one_delivery_again_is_logged_and_says_why_it_is_not() {
    let delivery = a_due_delivery().leased.id;
    for resent in [Resent::Yes, Resent::Unknown, Resent::Disabled] {
        let mut log = MockDeliveryLog::new();
        log.expect_resend()
            .withf(move |of, entry| {
                *of == delivery && tells(entry, Action::DeliveryResent, &delivery.to_string())
            })
            .once()
            .returning(move |_, _| Ok(resent));
        let answer = resending(log).one(acting(), delivery).await;
        let fits = match resent {
            Resent::Yes => answer.is_ok(),
            Resent::Unknown => matches!(answer, Err(ResendError::Unknown)),
            Resent::Disabled => matches!(answer, Err(ResendError::Disabled)),
        };
        assert!(fits, "{resent:?}: {answer:?}");
    }
}

#[pollster::test]
async fn a_window_of_an_unknown_address_is_not_taken_for_one_of_a_disabled_address() {
    let address = WebhookAddressId::from(Uuid::from_u128(7));
    let window = move || ResendWindow { address, since: a_moment() - 1.hours(), until: a_moment() };
    for begun in [Begun::Unknown, Begun::Disabled] {
        let (mut log, wanted) = (MockDeliveryLog::new(), begun.clone());
        log.expect_begin_resend()
            .withf(move |_, asked, entry| {
                let details = json!({
                    "since": "2026-11-21T09:00:00.000Z", "until": "2026-11-21T10:00:00.000Z"
                });
                *asked == window()
                    && tells(entry, Action::WindowResent, &address.to_string())
                    && Value::Object(entry.details.clone()) == details
            })
            .once()
            .returning(move |_, _, _| Ok(begun.clone()));
        let answer = resending(log).window(acting(), window()).await;
        let fits = match wanted {
            Begun::Unknown => matches!(answer, Err(ResendError::Unknown)),
            _ => matches!(answer, Err(ResendError::Disabled)),
        };
        assert!(fits, "{wanted:?}: {answer:?}");
    }
    let backwards = ResendWindow { since: a_moment(), until: a_moment(), address };
    let answer = resending(MockDeliveryLog::new()).window(acting(), backwards).await;
    assert!(matches!(answer, Err(ResendError::EmptyWindow)), "{answer:?}");
}

#[pollster::test]
async fn a_rotated_secret_stops_at_once_or_signs_on_for_as_long_as_its_owner_says() {
    let address = a_webhook_address().id;
    for (minutes, until, details) in [
        (0, None, json!({})),
        (30, Some(a_moment() + 30.minutes()), json!({ "previousUntil": "2026-11-21T10:30:00.000Z" })),
    ] {
        let rotates = move |change: &AddressChange| {
            let AddressChange::Rotate { secret, previous_until } = change else { return false };
            secret.reveal().starts_with("whsec_") && *previous_until == until
        };
        let store = changing(rotates, Action::WebhookRotated, details);
        let overlap = Duration::from_mins(minutes);
        let secret = manage(store).rotate(acting(), address, overlap).await.unwrap();
        assert_eq!(secret.reveal(), format!("whsec_{}", "ab".repeat(32)));
    }
}

#[pollster::test]
async fn two_secrets_sign_for_a_week_at_most() {
    let week = Duration::from_hours(7 * 24);
    let rotate = manage(MockAddressStore::new());
    let answer = rotate.rotate(acting(), a_webhook_address().id, week + Duration::from_secs(1)).await;
    assert!(matches!(answer, Err(RotateError::OverlapTooLong)), "{answer:?}");
}

#[pollster::test]
async fn an_address_is_never_left_without_an_event() {
    let use_case = manage(MockAddressStore::new());
    let nothing = AddressSettings { events: Some(vec![]), standard_headers: None };
    let answer = use_case.set(acting(), a_webhook_address().id, nothing).await;
    assert!(matches!(answer, Err(SubscribeError::NoEvents)), "{answer:?}");
}

fn is_a_ping(event: &Event) -> bool {
    let body = body_of(event);
    let sentence = body.pointer("/data/message").and_then(Value::as_str).unwrap_or_default();
    let wanted = envelope("ping", "2026-11-21T10:00:00.000Z", &json!({ "message": sentence }));
    event.kind == EventType::Ping && !sentence.is_empty() && body == wanted
}

/// A receiver that takes its time, and then answers.
struct Slow {
    clock: Arc<ManualClock>,
    takes: Duration,
    answer: AttemptOutcome,
}

#[async_trait]
impl DeliverySender for Slow {
    async fn attempt(&self, _: &DueDelivery) -> Attempted {
        self.clock.advance(self.takes);
        Attempted { outcome: self.answer.clone(), answer: b"so be it".to_vec() }
    }
}

fn deliver(queue: MockDeliveryQueue) -> DeliverDue {
    DeliverDue {
        queue: Arc::new(queue),
        sender: Arc::new(MockDeliverySender::new()),
        clock: Arc::new(ManualClock::at(a_moment())),
        vault: Arc::new(a_vault()),
    }
}

#[pollster::test]
async fn an_attempt_records_how_long_it_took_and_what_follows() {
    let status = |status| Err(Failure::Status { status, retry_after: None });
    // 0xabab of 0xffff is the jitter, of at most a tenth of the gap.
    let jittered = |gap: Duration| gap.mul_f64(1.0 + 0.1 * f64::from(0xabab_u16) / f64::from(u16::MAX));
    for (attempt, answer, wait) in [
        (1, Ok(204), None),
        (1, status(500), Some(Duration::from_mins(1))),
        (6, Err(Failure::Timeout), Some(Duration::from_mins(32))),
        (7, status(500), None),
        (1, status(410), None),
    ] {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let takes = Duration::from_millis(1_250);
        let sender = Arc::new(Slow { clock: clock.clone(), takes, answer: answer.clone() });
        let use_case = DeliverDue { sender, clock, ..deliver(MockDeliveryQueue::new()) };
        let record = use_case.attempt(&attempt_number(attempt)).await;

        let verdict = match wait {
            Some(gap) => Verdict::RetryAt(a_moment() + takes + jittered(gap)),
            None if answer.is_ok() => Verdict::Delivered,
            None => Verdict::Failed,
        };
        assert_eq!(record.verdict, verdict, "{attempt} {answer:?}");
        assert_eq!((record.started_at, record.duration_ms), (a_moment(), 1_250));
        assert_eq!((record.leased, record.outcome), (attempt_number(attempt).leased, answer));
        assert_eq!(record.answer, b"so be it");
    }
}

fn attempt_number(attempt: u32) -> DueDelivery {
    let mut delivery = a_due_delivery();
    delivery.leased.attempt = attempt;
    delivery
}

#[pollster::test]
async fn a_lease_lasts_for_all_that_may_happen_under_it() {
    let all = START_WITHIN + ATTEMPT_LIMIT + RECORD_WITHIN;
    let mut queue = MockDeliveryQueue::new();
    queue
        .expect_claim()
        .withf(move |workspace, now, lease_until, lanes| {
            *workspace == a_workspace().id
                && *now == a_moment()
                && *lease_until == *now + all
                && *lanes == Lanes::any(20)
        })
        .once()
        .returning(|_, _, _, _| Ok(Taken { due: vec![a_due_delivery()], unreadable: vec![] }));
    let claimed = deliver(queue).claim(a_workspace().id, &Lanes::any(20)).await.unwrap();
    assert_eq!((claimed.due.len(), claimed.start_by), (1, Some(a_moment() + START_WITHIN)));
}

#[pollster::test]
async fn what_cannot_be_read_is_tried_like_anything_else_and_given_up_on_in_the_end() {
    for (attempt, gives_up) in [(1, false), (6, false), (7, true)] {
        let mut queue = MockDeliveryQueue::new();
        queue.expect_claim().returning(move |_, _, _, _| {
            Ok(Taken { due: vec![], unreadable: vec![attempt_number(attempt).leased] })
        });
        let claimed = deliver(queue).claim(a_workspace().id, &Lanes::any(20)).await.unwrap();
        let record = &claimed.unreadable[0];
        assert_eq!(record.outcome, Err(Failure::Unreadable));
        assert_eq!(record.verdict == Verdict::Failed, gives_up, "{attempt}");
    }
}

#[pollster::test]
async fn the_log_is_kept_for_a_month_with_a_week_ahead() {
    let mut log = MockLogKeeper::new();
    log.expect_keep()
        .withf(|now, until, before| {
            *now == a_moment() && *until == *now + 7.days() && *before == *now - 31.days()
        })
        .once()
        .returning(|_, _, _| Ok(()));
    let clock = Arc::new(ManualClock::at(a_moment()));
    KeepLog { log: Arc::new(log), clock }.run().await.unwrap();
}
