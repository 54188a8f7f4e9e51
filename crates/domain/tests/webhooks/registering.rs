//! Registering an address.

use std::sync::{Arc, Mutex};

use domain::{
    audit::{Action, AuditEntry},
    events::EventType,
    ids::WorkspaceId,
    testing::{a_vault, a_webhook_address, some_deps},
    webhooks::{
        RegisterAddress, RegisterError, RegisteredAddress,
        ports::{ForbiddenAddress, MockAddressGuard, MockAddressStore, NewAddress},
    },
};
use serde_json::{Value, json};

use crate::webhooks::{acting, tells};

fn register(store: MockAddressStore, guard: MockAddressGuard) -> RegisterAddress {
    RegisterAddress {
        store: Arc::new(store),
        guard: Arc::new(guard),
        vault: Arc::new(a_vault()),
        deps: some_deps(),
    }
}

fn a_permissive_guard() -> MockAddressGuard {
    let mut guard = MockAddressGuard::new();
    guard.expect_check().returning(|_| Ok(()));
    guard
}

/// What the store was given.
type Kept = (WorkspaceId, NewAddress, AuditEntry);

/// Registers [`a_webhook_address`] for these events; the store answers `added`.
async fn registering(
    events: Vec<EventType>,
    added: Result<(), RegisterError>,
) -> (Result<RegisteredAddress, RegisterError>, Vec<Kept>) {
    let kept: Arc<Mutex<Vec<Kept>>> = Arc::default();
    let mut store = MockAddressStore::new();
    let added_to = kept.clone();
    store.expect_list().returning(|_| Ok(Vec::new()));
    store
        .expect_add()
        .withf(|workspace, _, most, _| (*workspace, *most) == (acting().workspace, 10))
        .returning(move |workspace, address, _, entry| {
            added_to.lock().unwrap().push((workspace, address.clone(), entry.clone()));
            added.clone()
        });
    let use_case = register(store, a_permissive_guard());
    let registered = use_case.run(acting(), "https://hooks.example/in?token=s3cret".to_owned(), events).await;
    let kept = kept.lock().unwrap().clone();
    (registered, kept)
}

#[pollster::test]
async fn a_registered_address_has_a_secret_and_each_event_once() {
    let events = vec![EventType::MessageSent, EventType::ConversationCreated, EventType::MessageSent];
    let (registered, kept) = registering(events, Ok(())).await;
    let registered = registered.unwrap();
    assert_eq!(registered.secret.reveal(), format!("whsec_{}", "ab".repeat(32)));
    let [(workspace, address, entry)] = kept.as_slice() else { panic!("one address") };
    assert_eq!((address.id, &address.secret), (registered.id, &registered.secret));
    assert_eq!(address.url, "https://hooks.example/in?token=s3cret");
    assert_eq!(address.events, [EventType::ConversationCreated, EventType::MessageSent]);
    assert!(!format!("{registered:?} {address:?}").contains("abab"));
    assert!(tells(workspace, entry, Action::WebhookAdded, &address.id.to_string()), "{entry:?}");
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
    for refusal in [RegisterError::TooMany, RegisterError::UnknownWorkspace] {
        let (answer, _) = registering(vec![EventType::MessageSent], Err(refusal.clone())).await;
        assert_eq!(answer.err(), Some(refusal));
    }
}
