//! Connecting and disconnecting accounts, and what their numbers keep.

use std::sync::Arc;

use domain::{
    audit::{Acting, Action, AuditEntry},
    channels::{
        AccountKind, ConnectAccount, ConnectError, ConnectPage, ListedAccount, ManageAccounts, SetSendOnly,
        SetSendOnlyError,
        ports::{
            ListedPage, MockAccountStore, MockChannelHealth, MockNetworkAccounts, MockNetworkPages,
            MockPageStore, MockUnreadUpdates, NetworkError,
        },
    },
    ids::WorkspaceId,
    testing::{a_moment, a_number, a_workspace, an_account, deps_of},
    workspaces::ports::MockWorkspaceStore,
};
use secrecy::SecretString;
use uuid::Uuid;

use crate::connecting::{acting, clock, ids};

fn tells(workspace: &WorkspaceId, entry: &AuditEntry, action: Action, subject: &str) -> bool {
    let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
    (by, entry.action, entry.subject.as_deref(), entry.at) == (acting(), action, Some(subject), a_moment())
}

fn connect(store: MockAccountStore, network: MockNetworkAccounts) -> ConnectAccount {
    let (store, network) = (Arc::new(store), Arc::new(network));
    ConnectAccount { store, workspaces: workspaces(true), network, deps: deps_of(clock(), ids()) }
}

/// The one workspace, where it is known.
fn workspaces(known: bool) -> Arc<MockWorkspaceStore> {
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(move |_| Ok(known.then(a_workspace)));
    Arc::new(workspaces)
}

#[pollster::test]
async fn an_account_is_kept_and_logged_when_the_network_takes_its_token() {
    for connected in [Ok(an_account().id), Err(ConnectError::Elsewhere), Err(ConnectError::UnknownWorkspace)]
    {
        let mut network = MockNetworkAccounts::new();
        network.expect_subscribe().withf(|id, _| id == "1022").once().returning(|_, _| Ok(()));
        let mut store = MockAccountStore::new();
        store
            .expect_connect()
            .withf(|workspace, account, entry| {
                let kept = (account.workspace, &*account.network_id) == (a_workspace().id, "1022");
                kept && tells(workspace, entry, Action::AccountConnected, "1022") && entry.details.is_empty()
            })
            .once()
            .return_const(connected.clone());
        let token = SecretString::from("a-token");
        let answer = connect(store, network).run(acting(), "1022".to_owned(), token).await;
        assert_eq!(answer, connected);
    }
}

#[pollster::test]
async fn what_cannot_be_an_account_or_a_token_is_asked_of_nobody() {
    for (id, token) in [("me/accounts", "a-token"), ("", "a-token"), ("1022", ""), ("1022", "a\nb")] {
        let use_case = connect(MockAccountStore::new(), MockNetworkAccounts::new());
        let answer = use_case.run(acting(), id.to_owned(), SecretString::from(token)).await;
        assert!(matches!(answer, Err(ConnectError::NetworkId | ConnectError::Token)), "{answer:?}");
    }
}

#[pollster::test]
async fn for_a_workspace_that_there_is_not_the_network_is_asked_nothing() {
    let token = || SecretString::from("a-token");
    let account = ConnectAccount {
        workspaces: workspaces(false),
        ..connect(MockAccountStore::new(), MockNetworkAccounts::new())
    };
    let answer = account.run(acting(), "1022".to_owned(), token()).await;
    assert!(matches!(answer, Err(ConnectError::UnknownWorkspace)), "{answer:?}");
    let (store, network) = (Arc::new(MockPageStore::new()), Arc::new(MockNetworkPages::new()));
    let page = ConnectPage { store, workspaces: workspaces(false), network, deps: deps_of(clock(), ids()) };
    let answer = page.run(acting(), token()).await;
    assert!(matches!(answer, Err(ConnectError::UnknownWorkspace)), "{answer:?}");
}

#[pollster::test]
async fn nothing_is_kept_of_an_account_whose_token_the_network_refuses() {
    let mut network = MockNetworkAccounts::new();
    let refused = || NetworkError::Refused { code: 190, message: "Invalid token".to_owned() };
    network.expect_subscribe().returning(move |_, _| Err(refused()));
    let use_case = connect(MockAccountStore::new(), network);
    let answer = use_case.run(acting(), "1022".to_owned(), SecretString::from("a-token")).await;
    assert!(matches!(answer, Err(ConnectError::Network(_))), "{answer:?}");
}

#[pollster::test]
async fn a_page_is_kept_and_logged_by_the_id_that_its_token_opens() {
    let page = ListedPage { network_id: "77".to_owned(), name: None, instagram_network_id: None };
    let (mut network, mut store) = (MockNetworkPages::new(), MockPageStore::new());
    network.expect_page().returning(move |_| Ok(page.clone()));
    network.expect_subscribe_page().returning(|_, _| Ok(()));
    store
        .expect_connect_page()
        .withf(|workspace, _, page, entry| {
            page.network_id == "77" && tells(workspace, entry, Action::AccountConnected, "77")
        })
        .once()
        .returning(|_, _, _, _| Ok(an_account().id));
    let (store, network) = (Arc::new(store), Arc::new(network));
    let use_case =
        ConnectPage { store, workspaces: workspaces(true), network, deps: deps_of(clock(), ids()) };
    use_case.run(acting(), SecretString::from("a-token")).await.unwrap();
    let refused = use_case.run(acting(), SecretString::from("a token")).await;
    assert!(matches!(refused, Err(ConnectError::Token)), "{refused:?}");
}

fn a_listed_account(kind: AccountKind) -> ListedAccount {
    ListedAccount {
        standing: None,
        id: an_account().id,
        kind,
        network_id: "1022".to_owned(),
        page_name: None,
        connected_at: a_moment(),
        templates_synced_at: None,
        connections: vec![],
    }
}

#[pollster::test]
async fn an_account_is_disconnected_under_its_own_kind_only() {
    let id = an_account().id;
    let mut store = MockAccountStore::new();
    store.expect_accounts().returning(|_| Ok(vec![a_listed_account(AccountKind::Page)]));
    store
        .expect_disconnect()
        .withf(move |workspace, of, entry| {
            *of == id
                && tells(workspace, entry, Action::AccountDisconnected, &id.to_string())
                && entry.details["networkId"] == "1022"
        })
        .once()
        .returning(|_, _, _| Ok(true));
    let manage = ManageAccounts {
        store: Arc::new(store),
        health: Arc::new(MockChannelHealth::new()),
        unread: Arc::new(MockUnreadUpdates::new()),
        deps: deps_of(clock(), ids()),
    };
    assert!(!manage.disconnect(acting(), AccountKind::Business, id).await.unwrap());
    assert!(manage.disconnect(acting(), AccountKind::Page, id).await.unwrap());
    assert!(manage.list(acting().workspace, AccountKind::Business).await.unwrap().is_empty());
}

#[pollster::test]
async fn a_number_becomes_send_only_by_its_spelling_or_its_id() {
    let number = a_number(0, 1);
    let (id, phone) = (number.id, number.phone.clone());
    let mut store = MockAccountStore::new();
    store.expect_numbers().returning(move |_| Ok(vec![number.clone()]));
    let wanted = phone.clone();
    store
        .expect_set_send_only()
        .withf(move |workspace, phone, on, entry| {
            *phone == wanted
                && *on
                && tells(workspace, entry, Action::SendOnlySet, wanted.as_str())
                && entry.details["sendOnly"] == true
        })
        .times(2)
        .returning(|_, _, _, _| Ok(true));
    let mut workspaces = MockWorkspaceStore::new();
    workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    let (accounts, workspaces) = (Arc::new(store), Arc::new(workspaces));
    let set = SetSendOnly { accounts, workspaces, deps: deps_of(clock(), ids()) };
    set.run(acting(), phone.as_str(), true).await.unwrap();
    set.run_for(acting(), id, true).await.unwrap();
    let unknown = set.run_for(acting(), Uuid::from_u128(1).into(), true).await;
    assert!(matches!(unknown, Err(SetSendOnlyError::UnknownNumber)), "{unknown:?}");
}
