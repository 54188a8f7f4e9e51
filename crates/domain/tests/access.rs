//! Keys: letting a request in, telling a key about itself, making and revoking keys.
//!
//! A mock that a test did not set up panics when it is called: "nothing is looked up" is said by leaving it
//! out.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    access::{
        ApiKeyHash, Authenticate, Caller, DescribeKey, IssueKey, IssueKeyError, IssuedKey, KeyInfo,
        RateWindow, RevokeKey, Scope,
        ports::{AuthenticatedKey, MockKeyStore},
    },
    audit::{Acting, Action, Actor, AuditEntry},
    errors::StoreError,
    ids::{ApiKeyId, MemberId, WorkspaceId},
    testing::{ManualClock, a_caller, a_hash, a_moment, a_vault, a_workspace, some_deps},
    workspaces::ports::MockWorkspaceStore,
};
use time::ext::NumericalDuration;
use uuid::Uuid;

/// What [`a_vault`]'s random bits make.
fn a_key() -> String {
    format!("msk_{}", "ab".repeat(32))
}

fn a_key_hash() -> ApiKeyHash {
    ApiKeyHash(a_hash("api-key", a_key().as_bytes()))
}

/// 45 seconds into its minute.
fn authenticate(store: MockKeyStore) -> Authenticate {
    Authenticate {
        store: Arc::new(store),
        vault: Arc::new(a_vault()),
        clock: Arc::new(ManualClock::at(a_moment() + 45.seconds())),
    }
}

#[pollster::test]
async fn a_known_key_is_let_in_and_takes_one_from_its_window() {
    let mut store = MockKeyStore::new();
    store
        .expect_authenticate()
        .withf(|hash, window_start| *hash == a_key_hash() && *window_start == a_moment())
        .once()
        .returning(|_, _| Ok(Some(AuthenticatedKey { caller: a_caller(), used: 1 })));
    let admission = authenticate(store).run(&a_key()).await.unwrap().unwrap();
    assert_eq!(admission.caller, a_caller());
    let window = RateWindow { remaining: 599, exceeded: false, resets_in: Duration::from_secs(15) };
    assert_eq!(admission.window, window);
}

#[pollster::test]
async fn a_request_over_the_limit_is_known_and_marked() {
    for (used, remaining, exceeded) in [(600, 0, false), (601, 0, true)] {
        let mut store = MockKeyStore::new();
        store
            .expect_authenticate()
            .returning(move |_, _| Ok(Some(AuthenticatedKey { caller: a_caller(), used })));
        let window = authenticate(store).run(&a_key()).await.unwrap().unwrap().window;
        assert_eq!((window.remaining, window.exceeded), (remaining, exceeded));
    }
}

#[pollster::test]
async fn what_cannot_be_a_key_is_not_looked_up() {
    let short = a_key().replace("abab", "ab");
    for presented in ["", "msk_", "hello", &short, &format!(" {}", a_key()), &a_key().replace("ab", "zz")] {
        let admission = authenticate(MockKeyStore::new()).run(presented).await.unwrap();
        assert_eq!(admission, None, "{presented}");
    }
}

#[pollster::test]
async fn a_key_opens_no_workspace_that_somebody_has_moved_it_to() {
    for (workspace, is_let_in) in [(a_caller().workspace, true), (Uuid::from_u128(99).into(), false)] {
        let mut store = MockKeyStore::new();
        let caller = Caller { workspace, ..a_caller() };
        store
            .expect_authenticate()
            .returning(move |_, _| Ok(Some(AuthenticatedKey { caller: caller.clone(), used: 1 })));
        let key = format!("{}{}", a_key(), a_caller().workspace.uuid().simple());
        let admission = authenticate(store).run(&key).await.unwrap();
        assert_eq!(admission.is_some(), is_let_in, "{workspace}");
    }
}

#[pollster::test]
async fn an_unknown_key_is_nobody() {
    let mut store = MockKeyStore::new();
    store.expect_authenticate().returning(|_, _| Ok(None));
    assert_eq!(authenticate(store).run(&a_key()).await.unwrap(), None);
}

#[pollster::test]
async fn a_store_that_fails_lets_nobody_in() {
    let mut store = MockKeyStore::new();
    store.expect_authenticate().returning(|_, _| Err(StoreError::Unavailable("no connection".to_owned())));
    let answer = authenticate(store).run(&a_key()).await;
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
}

fn an_owner() -> MemberId {
    Uuid::from_u128(77).into()
}

fn owned_by(owner: Option<MemberId>) -> MockWorkspaceStore {
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_owner().returning(move |_| Ok(owner));
    workspaces
}

fn operator() -> Acting {
    Acting::operator(a_workspace().id)
}

/// What the store was given: who, the hash, the label.
type Kept = (Caller, ApiKeyHash, String);

/// Makes a key; what it answered and what was kept.
async fn issue(
    workspaces: MockWorkspaceStore,
    acting: Acting,
    label: &str,
    scopes: Vec<Scope>,
) -> (Result<IssuedKey, IssueKeyError>, Vec<Kept>) {
    let kept: Arc<Mutex<Vec<Kept>>> = Arc::default();
    let added_to = Arc::clone(&kept);
    let mut keys = MockKeyStore::new();
    let logged = move |workspace: &WorkspaceId, entry: &AuditEntry| {
        (*workspace, entry.action, entry.at) == (acting.workspace, Action::KeyIssued, a_moment())
    };
    keys.expect_add()
        .withf(move |workspace, _, _, _, most, entry| *most == 100 && logged(workspace, entry))
        .returning(move |_, caller, hash, label, _, _| {
            let mut kept = added_to.lock().unwrap();
            let room = label != "one too many";
            if room {
                kept.push((caller.clone(), hash, label.to_owned()));
            }
            Ok(room)
        });
    let use_case = IssueKey {
        keys: Arc::new(keys),
        workspaces: Arc::new(workspaces),
        vault: Arc::new(a_vault()),
        deps: some_deps(),
    };
    let issued = use_case.run(acting, label, scopes).await;
    let kept = kept.lock().unwrap().clone();
    (issued, kept)
}

#[pollster::test]
async fn an_operators_key_is_the_owners_and_only_its_hash_is_kept() {
    let scopes = vec![Scope::MessagesSend, Scope::ContactsRead, Scope::MessagesSend];
    let (issued, kept) = issue(owned_by(Some(an_owner())), operator(), " shop ", scopes).await;
    let issued = issued.unwrap();
    let key = format!("{}{}", a_key(), a_workspace().id.uuid().simple());
    assert_eq!(issued.secret.reveal(), key);
    let caller = Caller {
        workspace: a_workspace().id,
        key: issued.id,
        creator: an_owner(),
        scopes: vec![Scope::ContactsRead, Scope::MessagesSend],
    };
    let hash = ApiKeyHash(a_hash("api-key", key.as_bytes()));
    assert_eq!(kept, [(caller, hash, "shop".to_owned())]);
    assert!(!format!("{issued:?}").contains("abab"));
}

#[pollster::test]
async fn a_members_key_is_their_own() {
    let member = MemberId::from(Uuid::from_u128(7));
    let acting = Acting { actor: Actor::Member(member), ..operator() };
    let (issued, kept) = issue(MockWorkspaceStore::new(), acting, "shop", vec![Scope::ContactsRead]).await;
    assert!(issued.is_ok(), "{issued:?}");
    assert_eq!(kept.first().map(|(caller, ..)| caller.creator), Some(member));
}

#[pollster::test]
async fn a_key_without_a_label_is_not_made() {
    for label in ["", " ", &"a".repeat(101)] {
        let (issued, kept) =
            issue(MockWorkspaceStore::new(), operator(), label, vec![Scope::ContactsRead]).await;
        assert!(matches!(issued, Err(IssueKeyError::Label)), "{issued:?}");
        assert!(kept.is_empty());
    }
}

#[pollster::test]
async fn a_key_without_a_scope_is_not_made() {
    let (issued, kept) = issue(MockWorkspaceStore::new(), operator(), "shop", vec![]).await;
    assert!(matches!(issued, Err(IssueKeyError::NoScopes)), "{issued:?}");
    assert!(kept.is_empty());
}

#[pollster::test]
async fn no_key_is_made_beyond_those_that_there_may_be() {
    let owned = owned_by(Some(an_owner()));
    let (issued, kept) = issue(owned, operator(), "one too many", vec![Scope::ContactsRead]).await;
    assert!(matches!(issued, Err(IssueKeyError::TooMany)), "{issued:?}");
    assert!(kept.is_empty());
}

#[pollster::test]
async fn a_workspace_that_does_not_exist_gets_no_key() {
    let (issued, kept) = issue(owned_by(None), operator(), "shop", vec![Scope::ContactsRead]).await;
    assert!(matches!(issued, Err(IssueKeyError::UnknownWorkspace)), "{issued:?}");
    assert!(kept.is_empty());
}

#[pollster::test]
async fn revoking_tells_whether_there_was_such_a_key() {
    let key: ApiKeyId = a_caller().key;
    for known in [true, false] {
        let mut keys = MockKeyStore::new();
        keys.expect_revoke()
            .withf(move |workspace, id, entry| {
                let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
                let logged = (by, entry.action, entry.subject.as_deref(), entry.at);
                *id == key && logged == (operator(), Action::KeyRevoked, Some(&*key.to_string()), a_moment())
            })
            .once()
            .returning(move |_, _, _| Ok(known));
        let use_case = RevokeKey { keys: Arc::new(keys), deps: some_deps() };
        assert_eq!(use_case.run(operator(), key).await.unwrap(), known);
    }
}

#[pollster::test]
async fn a_key_knows_its_workspace_and_its_scopes() {
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().withf(|id| *id == a_workspace().id).returning(|_| Ok(Some(a_workspace())));
    let caller = Caller { scopes: vec![Scope::MessagesSend], ..a_caller() };
    let info = DescribeKey { workspaces: Arc::new(workspaces) }.run(caller).await.unwrap();
    let wanted = KeyInfo {
        workspace: a_workspace().id,
        workspace_name: "Palm Store".to_owned(),
        key: a_caller().key,
        scopes: vec![Scope::MessagesSend],
    };
    assert_eq!(info, wanted);
}

#[pollster::test]
async fn a_key_without_its_workspace_is_a_defect() {
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(|_| Ok(None));
    let answer = DescribeKey { workspaces: Arc::new(workspaces) }.run(a_caller()).await;
    assert!(matches!(answer, Err(StoreError::Internal(_))), "{answer:?}");
}
