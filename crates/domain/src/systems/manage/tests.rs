//! Tests of what connecting, verifying and healing do with their ports.

use std::sync::Arc;

use mockall::predicate::eq;
use pollster::FutureExt;
use time::Duration;

use crate::systems::{
    Answered, CallError, Capabilities, ConnectError, ConnectSystem, ConnectedSystem, ConnectionState,
    Exchange, FailedCall, Introduction, ManageSystem, RecordCall, SystemBase, SystemConnection, SystemSecret,
    ports::{ForbiddenSystem, MockCallLog, MockCustomSystem, MockSystemAddresses, MockSystemStore},
};
use crate::{
    audit::{Acting, Action, Actor},
    errors::StoreError,
    ids::WorkspaceId,
    paging::Cursors,
    testing::{a_moment, a_vault, some_deps},
    text::PlainText,
};

fn workspace() -> WorkspaceId {
    uuid::Uuid::from_u128(7).into()
}

fn introduction() -> Introduction {
    Introduction {
        name: PlainText::read("متجر النخيل", 200).unwrap(),
        currency: "IQD".parse().unwrap(),
        capabilities: Capabilities::of_version_1(),
    }
}

fn answered() -> Answered<Introduction> {
    let exchange = Exchange { status: 200, bytes: 90, attempts: 1, left_origin: false };
    Answered { value: introduction(), unusable: Vec::new(), exchange }
}

fn connected() -> ConnectedSystem {
    let base = SystemBase::parse("https://shop.example/api").unwrap();
    let connection = SystemConnection::new(uuid::Uuid::from_u128(1).into(), base, introduction(), a_moment());
    ConnectedSystem { connection, secret: SystemSecret::parse("s3cret").unwrap() }
}

fn record(store: MockSystemStore, log: MockCallLog) -> RecordCall {
    RecordCall { store: Arc::new(store), log: Arc::new(log), deps: some_deps() }
}

fn one_logged() -> MockCallLog {
    let mut log = MockCallLog::new();
    log.expect_add().times(1).returning(|_, _| Ok(()));
    log
}

fn manage(store: MockSystemStore, log: MockCallLog, system: MockCustomSystem) -> ManageSystem {
    let cursors = Cursors { vault: Arc::new(a_vault()) };
    ManageSystem { system: Arc::new(system), record: record(store, log), cursors }
}

fn connect(answer: Result<Answered<Introduction>, FailedCall>, mut store: MockSystemStore) -> ConnectSystem {
    store.expect_find().returning(|_| Ok(Some(connected().connection)));
    let (mut system, mut addresses) = (MockCustomSystem::new(), MockSystemAddresses::new());
    system.expect_verify().return_once(|_| answer);
    addresses.expect_check().returning(|_| Ok(()));
    let record = record(store, one_logged());
    ConnectSystem { system: Arc::new(system), addresses: Arc::new(addresses), record }
}

#[test]
fn a_system_is_connected_when_it_has_introduced_itself_and_the_log_of_changes_has_its_host_alone() {
    let mut store = MockSystemStore::new();
    store
        .expect_connect()
        .withf(|_, connected, entry| {
            connected.secret.reveal() == "s3cret"
                && entry.action == Action::SystemConnected
                && entry.details["origin"] == "https://shop.example"
                && !format!("{entry:?}").contains("key-in-path")
        })
        .times(1)
        .returning(|_, _, _| Ok(true));
    let connect = connect(Ok(answered()), store);
    let ran = connect.run(Acting::operator(workspace()), "https://shop.example/key-in-path/", "s3cret");
    let connection = ran.block_on().unwrap();
    assert_eq!(connection.introduction, introduction());
    assert_eq!(connection.health.state, ConnectionState::Active);
}

#[test]
fn a_new_secret_at_the_same_address_is_of_the_same_system() {
    for (address, stays) in [
        ("https://shop.example/api", true),
        ("https://shop.example/api/", true),
        ("https://shop.example/api/v2", false),
        ("https://other.example/api", false),
    ] {
        let mut store = MockSystemStore::new();
        store.expect_connect().times(1).returning(|_, _, _| Ok(true));
        let connect = connect(Ok(answered()), store);
        let ran = connect.run(Acting::operator(workspace()), address, "an0ther").block_on().unwrap();
        assert_eq!(ran.id == connected().connection.id, stays, "{address}");
    }
}

#[test]
fn a_system_that_does_not_introduce_itself_is_not_connected_and_its_answer_is_logged() {
    // No call of the store is expected.
    let connect = connect(
        Err(CallError::NeedsReconnection { status: 401, message: None }.into()),
        MockSystemStore::new(),
    );
    let ran = connect.run(Acting::operator(workspace()), "https://shop.example", "wrong").block_on();
    assert!(matches!(ran, Err(ConnectError::Unverified(CallError::NeedsReconnection { .. }))));
}

#[test]
fn an_address_that_may_not_be_called_is_not_called() {
    let mut addresses = MockSystemAddresses::new();
    addresses.expect_check().returning(|_| Err(ForbiddenSystem("private".to_owned())));
    let record = record(MockSystemStore::new(), MockCallLog::new());
    let connect =
        ConnectSystem { system: Arc::new(MockCustomSystem::new()), addresses: Arc::new(addresses), record };
    let ran = connect.run(Acting::operator(workspace()), "https://10.0.0.1", "s3cret").block_on();
    assert!(matches!(ran, Err(ConnectError::Forbidden(_))));
    let ran = connect.run(Acting::operator(workspace()), "https://shop.example", "a\nb").block_on();
    assert!(matches!(ran, Err(ConnectError::Secret(_))));
}

#[test]
fn a_verification_that_fails_moves_the_connection_and_a_lost_race_is_run_again() {
    let mut store = MockSystemStore::new();
    store.expect_open().returning(|_| Ok(Some(connected())));
    store.expect_find().times(2).returning(|_| Ok(Some(connected().connection)));
    let mut tries = 0;
    store.expect_settle().times(2).returning(move |_, change| {
        let (after, entry) = (&change.after, change.entry.as_ref().unwrap());
        assert_eq!((entry.action, entry.actor), (Action::SystemChanged, Actor::Service));
        assert_eq!(
            (&entry.details["was"], &entry.details["state"]),
            (&"active".into(), &"needs_reconnection".into())
        );
        assert_eq!(after.health.verify_at, Some(a_moment() + Duration::MINUTE));
        tries += 1;
        if tries == 1 { Err(StoreError::Stale) } else { Ok(()) }
    });
    let mut system = MockCustomSystem::new();
    system
        .expect_verify()
        .returning(|_| Err(CallError::NeedsReconnection { status: 401, message: None }.into()));
    let manage = manage(store, one_logged(), system);
    let connection = manage.verify(Acting::service(workspace())).block_on().unwrap().unwrap();
    assert_eq!(connection.health.state, ConnectionState::NeedsReconnection);
}

#[test]
fn what_a_system_told_that_was_replaced_meanwhile_changes_nothing_of_the_new_one() {
    let other = SystemConnection { id: uuid::Uuid::from_u128(2).into(), ..connected().connection };
    let other_secret =
        SystemConnection { connected_at: a_moment() + Duration::MINUTE, ..connected().connection };
    for now in [other, other_secret] {
        let mut store = MockSystemStore::new();
        store.expect_open().returning(|_| Ok(Some(connected())));
        store.expect_find().returning(move |_| Ok(Some(now.clone())));
        let mut system = MockCustomSystem::new();
        system
            .expect_verify()
            .returning(|_| Err(CallError::NeedsReconnection { status: 401, message: None }.into()));
        let manage = manage(store, one_logged(), system);
        assert_eq!(manage.verify(Acting::service(workspace())).block_on().unwrap(), None);
    }
}

#[test]
fn whoever_does_not_get_the_verification_leaves_the_system_alone() {
    let mut store = MockSystemStore::new();
    let until = a_moment() + Duration::MINUTE;
    store
        .expect_claim_verification()
        .with(eq(workspace()), eq(a_moment()), eq(until))
        .times(1)
        .returning(|_, _, _| Ok(false));
    let manage = manage(store, MockCallLog::new(), MockCustomSystem::new());
    assert_eq!(manage.heal(workspace()).block_on().unwrap(), None);
}
