//! Tests of what a call does with its ports.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;
use time::Duration;

use super::{
    ANSWERS_WITHIN, OpenedSystem, SystemError,
    fixtures::{self, answered, over, workspace},
};
use crate::{
    audit::{Action, Actor},
    errors::StoreError,
    external_id::ExternalId,
    orders::OrderReference,
    phone::PhoneNumber,
    systems::{
        Answered, CallError, CallResult, Capabilities, Capability, ConnectedSystem, ConnectionState, Health,
        Product, Route, SystemConnection, Unavailable,
        ports::{ConnectionChange, MockCallLog, MockCustomSystem, MockSystemStore},
    },
    testing::a_moment,
    text::PlainText,
};

fn connected(health: Health) -> ConnectedSystem {
    let ConnectedSystem { connection, secret } = fixtures::connected(Capabilities::of_version_1().iter());
    ConnectedSystem { connection: SystemConnection { health, ..connection }, secret }
}

fn product() -> Answered<Product> {
    answered(fixtures::product("p1", "حليب")).unwrap()
}

fn id() -> ExternalId {
    ExternalId::of_text("p1").unwrap()
}

/// Collects what is written of a system's calls.
#[derive(Default)]
struct Written {
    calls: Arc<Mutex<Vec<(Route, CallResult)>>>,
    changes: Arc<Mutex<Vec<ConnectionChange>>>,
}

impl Written {
    fn open(&self, connected: &ConnectedSystem, system: MockCustomSystem) -> OpenedSystem {
        let (calls, changes) = (self.calls.clone(), self.changes.clone());
        let (mut store, mut log) = (MockSystemStore::new(), MockCallLog::new());
        let (opened, found) = (connected.clone(), connected.connection.clone());
        store.expect_open().return_once(|_| Ok(Some(opened)));
        store.expect_find().returning(move |_| Ok(Some(found.clone())));
        store.expect_settle().returning(move |_, change| {
            changes.lock().unwrap().push(change.clone());
            Ok(())
        });
        log.expect_add().returning(move |_, call| {
            calls.lock().unwrap().push((call.route, call.result));
            Ok(())
        });
        opened_over(store, log, system)
    }

    fn calls(&self) -> Vec<(Route, CallResult)> {
        self.calls.lock().unwrap().clone()
    }
}

fn opened_over(store: MockSystemStore, log: MockCallLog, system: MockCustomSystem) -> OpenedSystem {
    over(store, log, system).open(workspace(), ANSWERS_WITHIN).block_on().unwrap()
}

#[test]
fn a_call_is_made_with_what_the_workspace_connected_and_is_logged() {
    let mut system = MockCustomSystem::new();
    system
        .expect_product()
        .withf(|call, id| {
            call.base.as_str() == "https://shop.example/api"
                && call.secret.reveal() == "s3cret"
                && call.within == ANSWERS_WITHIN
                && id.as_str() == "p1"
        })
        .times(1)
        .returning(|_, _| Ok(product()));
    let written = Written::default();
    let opened = written.open(&connected(Health::default()), system);
    assert_eq!(opened.product(&id()).block_on().unwrap(), product().value);
    assert_eq!(written.calls(), [(Route::Product, CallResult::Answered)]);
    assert!(written.changes.lock().unwrap().is_empty(), "nothing new is told of the connection");
}

#[test]
fn a_workspace_without_a_system_is_told_so() {
    let mut store = MockSystemStore::new();
    store.expect_open().returning(|_| Ok(None));
    let call = over(store, MockCallLog::new(), MockCustomSystem::new());
    let opened = call.open(workspace(), ANSWERS_WITHIN).block_on();
    assert!(matches!(opened.err(), Some(SystemError::NoSystem)));
}

#[test]
fn what_a_system_does_not_declare_is_not_asked_of_it() {
    // Neither a call of the system nor a log entry is expected.
    let written = Written::default();
    let opened = written.open(&connected(Health::default()), MockCustomSystem::new());
    let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
    let refused = opened.customer(&phone).block_on().unwrap_err();
    assert!(matches!(refused, SystemError::NotDeclared(Capability::Customers)), "{refused}");
    for route in Route::ALL {
        let declared = !matches!(route.capability(), Some(Capability::Customers | Capability::Appointments));
        assert_eq!(opened.may_call(route).is_ok(), declared, "{route:?}");
    }
    assert!(written.calls().is_empty());
}

#[test]
fn a_system_that_may_not_be_called_is_not_called() {
    let until = a_moment() + Duration::MINUTE;
    for (state, refusal) in [
        (ConnectionState::Cooling(until), Some(Unavailable::Cooling)),
        (ConnectionState::Cooling(a_moment()), None),
        (ConnectionState::Unreachable, Some(Unavailable::Unreachable)),
        (ConnectionState::NeedsReconnection, Some(Unavailable::NeedsReconnection)),
    ] {
        let mut system = MockCustomSystem::new();
        system.expect_product().times(usize::from(refusal.is_none())).returning(|_, _| Ok(product()));
        let written = Written::default();
        let opened = written.open(&connected(Health { state, ..Health::default() }), system);
        match (opened.product(&id()).block_on(), refusal) {
            (Ok(_), None) => {}
            (Err(SystemError::Unavailable(why)), Some(refusal)) => assert_eq!(why, refusal),
            (answer, _) => panic!("{state:?}: {answer:?}"),
        }
        assert_eq!(written.calls().len(), usize::from(refusal.is_none()), "{state:?}");
    }
}

#[test]
fn a_refused_secret_is_logged_and_moves_the_connection_in_the_services_own_name() {
    let mut system = MockCustomSystem::new();
    system
        .expect_order()
        .returning(|_, _| Err(CallError::NeedsReconnection { status: 401, message: None }.into()));
    let written = Written::default();
    let opened = written.open(&connected(Health::default()), system);
    let reference = OrderReference::read("#1001").unwrap();
    let failed = opened.order(&reference).block_on().unwrap_err();
    assert!(matches!(failed, SystemError::Call(CallError::NeedsReconnection { status: 401, .. })));
    assert_eq!(written.calls(), [(Route::Order, CallResult::NeedsReconnection)]);
    let changes = written.changes.lock().unwrap();
    let [change] = &**changes else { panic!("{changes:?}") };
    assert_eq!(change.after.health.state, ConnectionState::NeedsReconnection);
    let entry = change.entry.as_ref().unwrap();
    assert_eq!((entry.action, entry.actor), (Action::SystemChanged, Actor::Service));
}

#[test]
fn a_refusal_is_an_answer_and_the_fifth_failure_in_a_row_opens_the_breaker() {
    for (error, failures_before, state) in [
        (CallError::NOT_FOUND, 4, ConnectionState::Active),
        (CallError::TimedOut, 3, ConnectionState::Active),
        (CallError::TimedOut, 4, ConnectionState::Unreachable),
    ] {
        let mut system = MockCustomSystem::new();
        let answer = error.clone();
        system.expect_product().return_once(|_, _| Err(answer.into()));
        let written = Written::default();
        let health = Health { failures: failures_before, ..Health::default() };
        let opened = written.open(&connected(health), system);
        opened.product(&id()).block_on().unwrap_err();
        let changes = written.changes.lock().unwrap();
        assert_eq!(changes.first().unwrap().after.health.state, state, "{error:?}");
    }
}

#[test]
fn what_a_system_did_is_told_though_it_could_not_be_logged_and_a_read_is_not() {
    let away = || StoreError::Unavailable("no connection".to_owned());
    let opened = |system| {
        let (mut store, mut log) = (MockSystemStore::new(), MockCallLog::new());
        store.expect_open().return_once(|_| Ok(Some(connected(Health::default()))));
        store.expect_find().returning(move |_| Err(away()));
        log.expect_add().returning(move |_, _| Err(away()));
        opened_over(store, log, system)
    };
    let mut system = MockCustomSystem::new();
    system.expect_cancel_order().returning(|_, _, _| Ok(product().map(|_| None)));
    let (reference, reason) =
        (OrderReference::read("1001").unwrap(), PlainText::read("changed their mind", 100).unwrap());
    assert_eq!(opened(system).cancel_order(&reference, &reason).block_on().unwrap(), None);

    let mut system = MockCustomSystem::new();
    system.expect_product().returning(|_, _| Ok(product()));
    let read = opened(system).product(&id()).block_on();
    assert!(matches!(read, Err(SystemError::Store(StoreError::Unavailable(_)))));
}
