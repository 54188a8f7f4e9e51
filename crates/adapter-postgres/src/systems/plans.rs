//! How PostgreSQL runs the statements about systems when there are many, and calls of them.

use domain::{
    audit::Action,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{PageLimit, PageRequest, Position},
    systems::{
        CallFilter, CallRecord, CallResult, Capabilities, ConnectedSystem, Introduction, Route, SystemBase,
        SystemConnection, SystemSecret,
        ports::{CallLog, ConnectionChange, SystemStore},
    },
    testing::a_moment,
    text::PlainText,
};
use time::macros::datetime;

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

fn large() -> WorkspaceId {
    id(1, 0).into()
}

#[tokio::test]
async fn a_system_is_found_changed_and_replaced_by_its_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.systems;
    let entry = |action| explained.entry(large(), action, a_moment());
    // The seeded sealed values cannot be opened.
    store.open(large()).await.unwrap_err();
    let before = SystemStore::find(store, large()).await.unwrap().unwrap();
    let change = ConnectionChange { after: before.clone(), entry: Some(entry(Action::SystemChanged)) };
    store.settle(large(), &change).await.unwrap();
    assert!(store.claim_verification(large(), datetime!(2026-11-21 11:00 UTC), a_moment()).await.unwrap());
    let introduction = Introduction {
        name: PlainText::read("n", 200).unwrap(),
        currency: "IQD".parse().unwrap(),
        capabilities: Capabilities::default(),
    };
    let base = SystemBase::parse("https://shop.example").unwrap();
    let connection = SystemConnection::new(id(22, 9_000).into(), base, introduction, a_moment());
    let connected = ConnectedSystem { connection, secret: SystemSecret::parse("s").unwrap() };
    assert!(store.connect(large(), &connected, &entry(Action::SystemConnected)).await.unwrap());
    // A late result from the time of another secret.
    let late = SystemConnection { connected_at: before.connected_at, ..connected.connection.clone() };
    let late = ConnectionChange { after: late, entry: None };
    assert!(matches!(store.settle(large(), &late).await, Err(StoreError::Stale)));
    let gone = entry(Action::SystemDisconnected);
    assert!(SystemStore::disconnect(store, large(), connected.connection.id, &gone).await.unwrap());
    assert_ran_cheaply(&explained, 3).await;
    assert_eq!(store.workspaces_to_verify(datetime!(2026-11-21 11:00 UTC)).await.unwrap().len(), 40);
    assert_ran_cheaply(&explained, 401).await;
}

#[tokio::test]
async fn calls_are_logged_listed_and_forgotten_by_their_time() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.systems;
    let call = CallRecord {
        id: id(23, 30_000).into(),
        route: Route::Verify,
        result: CallResult::Answered,
        status: Some(200),
        duration_ms: 3,
        bytes: Some(90),
        unusable: Vec::new(),
        message: None,
        at: datetime!(2026-11-21 10:00 UTC),
    };
    CallLog::add(store, large(), &call).await.unwrap();
    let limit = PageLimit::new(10).unwrap();
    let page = PageRequest { limit, after: None };
    let all = CallFilter::default();
    assert_eq!(CallLog::list(store, large(), all, page).await.unwrap().len(), 11);
    let after = Some(Position { at: datetime!(2026-11-21 12:00 UTC), id: id(23, 7_200) });
    assert_eq!(CallLog::list(store, large(), all, PageRequest { limit, after }).await.unwrap().len(), 11);
    let verified =
        CallFilter { route: Some(Route::Verify), result: Some(CallResult::Answered), unusable: Some(false) };
    assert_eq!(CallLog::list(store, large(), verified, page).await.unwrap().len(), 11);
    // Ten of a page, one that tells of more, and the one that the previous page ended with.
    assert_ran_cheaply(&explained, 12).await;
    assert!(CallLog::forget(store, large(), datetime!(2026-11-21 12:00 UTC)).await.unwrap());
    assert_ran_cheaply(&explained, 1_000).await;
    assert!(store.workspaces_with_old_calls(datetime!(2026-11-21 09:00 UTC)).await.unwrap().is_empty());
    assert_ran_cheaply(&explained, 401).await;
}
