//! Changing, pausing and removing an address, and its secrets.

use std::{sync::Arc, time::Duration};

use domain::{
    access::sessions::ports::MockSessionStore,
    audit::{Acting, Action, Actor},
    events::{Event, EventType},
    signals::MockSignals,
    testing::{a_moment, a_vault, a_webhook_address, deps_waking},
    webhooks::{
        AddressChange, AddressHealth, AddressSettings, AddressState, ManageAddresses, PingError, RotateError,
        SubscribeError, WebhookAddress,
        ports::{MockAddressStore, NewAddress},
    },
};
use serde_json::{Value, json};
use time::ext::NumericalDuration;
use uuid::Uuid;

use crate::webhooks::{
    acting,
    events::{body_of, envelope},
    tells,
};

#[pollster::test]
async fn a_ping_is_owed_to_one_address_whatever_it_subscribes_to() {
    let address = a_webhook_address().id;
    for owed in [Some(Uuid::from_u128(7).into()), None] {
        let mut store = MockAddressStore::new();
        store
            .expect_enqueue()
            .withf(move |workspace, to, event, entry| {
                *to == address
                    && is_a_ping(event)
                    && tells(workspace, entry, Action::WebhookPinged, &address.to_string())
            })
            .once()
            .returning(move |_, _, _, _| Ok(owed));
        assert_eq!(manage(store).ping(acting(), address).await.unwrap(), owed);
    }
}

#[pollster::test]
async fn a_member_pings_an_address_ten_times_a_minute_and_is_told_when_again() {
    let address = a_webhook_address().id;
    let by = Acting { actor: Actor::Member(Uuid::from_u128(9).into()), ..acting() };
    for (used, owed) in [(1, true), (10, true), (11, false), (16_000, false)] {
        let mut store = MockAddressStore::new();
        store.expect_find().returning(|_, _| Ok(Some(an_address())));
        store
            .expect_enqueue()
            .times(usize::from(owed))
            .returning(|_, _, _, _| Ok(Some(Uuid::from_u128(7).into())));
        let mut attempts = MockSessionStore::new();
        attempts.expect_take_attempts().once().returning(move |_, _| Ok(vec![used]));
        let manage = ManageAddresses { attempts: Arc::new(attempts), ..manage(store) };
        match manage.ping(by, address).await {
            Ok(delivery) => assert!(owed && delivery.is_some(), "{used}"),
            Err(PingError::Throttled(throttled)) => {
                let wait = throttled.resets_in;
                assert!(
                    !owed && wait >= Duration::from_secs(1) && wait <= Duration::from_mins(1),
                    "{used} {wait:?}"
                );
            }
            Err(PingError::Store(error)) => panic!("{error}"),
        }
    }
}

#[pollster::test]
async fn a_ping_to_no_address_of_the_workspace_is_counted_nowhere() {
    let by = Acting { actor: Actor::Member(Uuid::from_u128(9).into()), ..acting() };
    let mut store = MockAddressStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    assert_eq!(manage(store).ping(by, a_webhook_address().id).await.unwrap(), None);
}

fn manage(store: MockAddressStore) -> ManageAddresses {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ManageAddresses {
        store: Arc::new(store),
        attempts: Arc::new(MockSessionStore::new()),
        vault: Arc::new(a_vault()),
        deps: deps_waking(signals),
    }
}

/// The address as it is kept.
fn an_address() -> WebhookAddress {
    let NewAddress { id, url, events, .. } = a_webhook_address();
    let health =
        AddressHealth { state: AddressState::Enabled, consecutive_failures: 0, disabled_reason: None };
    WebhookAddress {
        id,
        url,
        events,
        health,
        standard_headers: false,
        previous_secret_until: None,
        creator: None,
        created_at: a_moment(),
    }
}

/// A store in which one change is made, as `wanted` says, and logged as `action` with `details`.
fn changing(
    wanted: impl Fn(&AddressChange) -> bool + Send + 'static,
    action: Action,
    details: Value,
) -> MockAddressStore {
    let address = an_address();
    let id = address.id;
    let mut store = MockAddressStore::new();
    store
        .expect_change()
        .withf(move |workspace, of, change, entry| {
            *of == id
                && wanted(change)
                && tells(workspace, entry, action, &id.to_string())
                && Value::Object(entry.details.clone()) == details
        })
        .once()
        .returning(|_, _, _, _| Ok(true));
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
