//! Keys and their rate windows.

use std::time::Duration;

use domain::{
    access::{ApiKeyHash, Caller, ListedKey, Scope, ports::KeyStore},
    audit::{Acting, Action, AuditEntry},
    ids::{ApiKeyId, WorkspaceId},
    workspaces::Workspace,
};
use futures_util::future::join_all;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::stores::support::{Fixture, NOW};

const HASH: ApiKeyHash = ApiKeyHash([1; 32]);
const MINUTE: Duration = Duration::from_mins(1);

fn entry(fixture: &Fixture, workspace: WorkspaceId, action: Action, at: OffsetDateTime) -> AuditEntry {
    Acting::operator(workspace).does(action, at, &*fixture.ids)
}

async fn revoke(fixture: &Fixture, workspace: WorkspaceId, key: ApiKeyId, at: OffsetDateTime) -> bool {
    let entry = entry(fixture, workspace, Action::KeyRevoked, at);
    fixture.stores.access.revoke(workspace, key, &entry).await.unwrap()
}

async fn a_key(fixture: &Fixture, workspace: &Workspace) -> Caller {
    a_key_with(fixture, workspace, HASH).await
}

async fn a_key_with(fixture: &Fixture, workspace: &Workspace, hash: ApiKeyHash) -> Caller {
    let caller = Caller {
        workspace: workspace.id,
        key: ApiKeyId::new(&*fixture.ids),
        creator: Uuid::from_u128(0x9001).into(),
        scopes: vec![Scope::ContactsRead, Scope::MessagesSend],
    };
    fixture
        .stores
        .access
        .add(workspace.id, &caller, hash, "shop", 100, &entry(fixture, workspace.id, Action::KeyIssued, NOW))
        .await
        .unwrap();
    caller
}

/// Returns the number of requests used in the window, this one included.
async fn used(fixture: &Fixture, window_start: OffsetDateTime) -> Option<u32> {
    fixture.stores.access.authenticate(HASH, window_start).await.unwrap().map(|key| key.used)
}

#[tokio::test]
async fn a_key_says_who_is_calling() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let caller = a_key(&fixture, &workspace).await;
    let found = fixture.stores.access.authenticate(HASH, NOW).await.unwrap().unwrap();
    assert_eq!(found.caller, caller);
    assert_eq!(found.used, 1);
}

#[tokio::test]
async fn an_unknown_key_takes_nothing() {
    let fixture = Fixture::new().await;
    assert_eq!(used(&fixture, NOW).await, None);
    let rows = fixture.client().await.query("SELECT FROM rate_windows", &[]).await.unwrap();
    assert!(rows.is_empty());
}

#[tokio::test]
async fn a_new_window_starts_anew_and_a_late_node_counts_into_it() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    a_key(&fixture, &workspace).await;
    for (window, expected) in
        [(NOW, 1), (NOW, 2), (NOW + MINUTE, 1), (NOW, 2), (NOW + MINUTE, 3), (NOW + MINUTE * 2, 1)]
    {
        assert_eq!(used(&fixture, window).await, Some(expected), "{window}");
    }
}

#[tokio::test]
async fn no_request_of_a_thousand_at_once_is_lost_or_counted_twice() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    a_key(&fixture, &workspace).await;
    let mut counts = join_all((0..1000).map(|_| used(&fixture, NOW))).await;
    counts.sort_unstable();
    assert_eq!(counts, (1..=1000).map(Some).collect::<Vec<_>>());
}

#[tokio::test]
async fn requests_of_several_keys_at_once_are_told_apart() {
    let fixture = Fixture::new().await;
    let [one, two] = [fixture.workspace(1).await, fixture.workspace(2).await];
    let (first, second) =
        (a_key(&fixture, &one).await, a_key_with(&fixture, &two, ApiKeyHash([8; 32])).await);
    let asked = [HASH, ApiKeyHash([8; 32]), ApiKeyHash([9; 32]), HASH];
    let found = join_all(asked.map(|hash| fixture.stores.access.authenticate(hash, NOW))).await;
    let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
    let callers: Vec<_> = found.iter().map(|key| key.as_ref().map(|key| key.caller.clone())).collect();
    assert_eq!(callers, [Some(first.clone()), Some(second), None, Some(first)]);
    let mut uses: Vec<_> = found.iter().flatten().map(|key| key.used).collect();
    uses.sort_unstable();
    assert_eq!(uses, [1, 1, 2]);
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_once_and_takes_nothing() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let key = a_key(&fixture, &workspace).await.key;
    assert_eq!(used(&fixture, NOW).await, Some(1));
    assert!(revoke(&fixture, workspace.id, key, NOW).await);
    assert_eq!(used(&fixture, NOW).await, None);
    let row = fixture.client().await.query_one("SELECT used FROM rate_windows", &[]).await.unwrap();
    assert_eq!(row.get::<_, i32>(0), 1);
}

#[tokio::test]
async fn revoking_again_keeps_the_first_time() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let key = a_key(&fixture, &workspace).await.key;
    for later in [NOW, NOW + MINUTE] {
        assert!(revoke(&fixture, workspace.id, key, later).await);
    }
    let row = fixture.client().await.query_one("SELECT revoked_at FROM api_keys", &[]).await.unwrap();
    assert_eq!(row.get::<_, OffsetDateTime>(0), NOW);
    let logged = "SELECT count(*) FROM audit_log WHERE action = 'api_key.revoked'";
    let row = fixture.client().await.query_one(logged, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);
}

#[tokio::test]
async fn a_workspace_cannot_revoke_the_key_of_another() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let other = fixture.workspace(2).await;
    let key = a_key(&fixture, &workspace).await.key;
    assert!(!revoke(&fixture, other.id, key, NOW).await);
    assert_eq!(used(&fixture, NOW).await, Some(1));
}

#[tokio::test]
async fn a_workspaces_keys_are_listed_with_when_they_were_last_used() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let other = fixture.workspace(2).await;
    let key = a_key(&fixture, &workspace).await;
    let wanted = ListedKey {
        id: key.key,
        creator: key.creator,
        label: "shop".to_owned(),
        scopes: key.scopes,
        created_at: NOW,
        revoked_at: None,
        last_used_at: None,
    };
    assert_eq!(
        KeyStore::list(&*fixture.stores.access, workspace.id).await.unwrap(),
        std::slice::from_ref(&wanted)
    );
    used(&fixture, NOW + MINUTE).await;
    revoke(&fixture, workspace.id, key.key, NOW + MINUTE * 2).await;
    let (revoked_at, last_used_at) = (Some(NOW + MINUTE * 2), Some(NOW + MINUTE));
    let wanted = ListedKey { revoked_at, last_used_at, ..wanted };
    assert_eq!(KeyStore::list(&*fixture.stores.access, workspace.id).await.unwrap(), [wanted]);
    assert_eq!(KeyStore::list(&*fixture.stores.access, other.id).await.unwrap(), []);
}
