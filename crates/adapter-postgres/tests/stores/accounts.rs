//! Accounts, and letting go of them.

use domain::{
    audit::Action,
    channels::{
        AccountKind, AccountStanding, ListedAccount, StandingState,
        ports::{AccountStandings, AccountStore, ConnectError, PageStore},
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    inbound::ports::Journal,
    templates::ports::TemplateStore,
    vault::{SealContext, Vault},
};
use secrecy::{ExposeSecret, SecretString};
use time::Duration;
use uuid::Uuid;

use crate::stores::{
    channels::{numbers, replace},
    pages::page,
    support::{Fixture, GlassVault, NOW, an_account, listed},
};

#[tokio::test]
async fn an_account_is_found_with_its_token_which_is_not_stored_in_clear() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    for found in [
        fixture.stores.channels.find(workspace, account.id).await.unwrap().unwrap(),
        fixture.stores.channels.find_by_network_id(workspace, "waba").await.unwrap().unwrap(),
    ] {
        assert_eq!((found.id, found.workspace, &*found.network_id), (account.id, workspace, "waba"));
        assert_eq!(found.token.expose_secret(), "token of waba");
    }
    let row = fixture.client().await.query_one("SELECT token_sealed FROM accounts", &[]).await.unwrap();
    let sealed = String::from_utf8_lossy(row.get::<_, &[u8]>(0)).into_owned();
    assert!(
        sealed.starts_with(SealContext::new("accounts.token_sealed", workspace, account.id, "").bound())
            && !sealed.contains("token of")
    );
}

#[tokio::test]
async fn connecting_again_keeps_the_id_and_replaces_the_token() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let first = fixture.account(workspace, "waba").await;
    let mut again = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    again.token = SecretString::from("newer");
    assert_eq!(
        fixture.stores.channels.connect(again.workspace, &again, &fixture.connects(&again)).await,
        Ok(first.id)
    );
    let found = fixture.stores.channels.find(workspace, first.id).await.unwrap().unwrap();
    assert_eq!(found.token.expose_secret(), "newer");
    assert!(fixture.stores.channels.find(workspace, again.id).await.unwrap().is_none());
}

#[tokio::test]
async fn how_an_account_stands_is_what_the_network_told_last_and_forgotten_when_it_is_connected_anew() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let stands = |state, minutes| AccountStanding::since(state, NOW + Duration::minutes(minutes));
    let disabled = stands(StandingState::Disabled, 2);
    for (network_id, standing, is_news) in [
        ("another", &disabled, false),
        ("waba", &disabled, true),
        ("waba", &disabled, false),
        ("waba", &stands(StandingState::Good, 1), false),
    ] {
        let told = fixture.stores.channels.set_standing(workspace, network_id, standing).await.unwrap();
        assert_eq!(told, is_news, "{network_id} {standing:?}");
    }
    let shown = async || fixture.stores.channels.accounts(workspace).await.unwrap().remove(0).standing;
    assert_eq!(shown().await, Some(disabled.clone()));
    fixture.stores.channels.connect(account.workspace, &account, &fixture.connects(&account)).await.unwrap();
    assert_eq!(shown().await, Some(disabled), "another token changes nothing about it");
    let client = fixture.client().await;
    client.execute("UPDATE accounts SET disconnected_at = now()", &[]).await.unwrap();
    fixture.stores.channels.connect(account.workspace, &account, &fixture.connects(&account)).await.unwrap();
    assert_eq!(shown().await, None);
}

#[tokio::test]
async fn an_account_of_another_workspace_is_neither_found_nor_connected() {
    let fixture = Fixture::new().await;
    let holder = fixture.workspace(1).await.id;
    let other = fixture.workspace(2).await.id;
    let account = fixture.account(holder, "waba").await;
    let tried = an_account(other, AccountId::new(&*fixture.ids), "waba");
    assert_eq!(
        fixture.stores.channels.connect(tried.workspace, &tried, &fixture.connects(&tried)).await,
        Err(ConnectError::Elsewhere)
    );
    assert!(fixture.stores.channels.find(other, account.id).await.unwrap().is_none());
    assert!(fixture.stores.channels.find_by_network_id(other, "waba").await.unwrap().is_none());
}

#[tokio::test]
async fn connecting_for_no_workspace_keeps_nothing() {
    let fixture = Fixture::new().await;
    let nobody = Uuid::from_u128(0xdead).into();
    let account = an_account(nobody, AccountId::new(&*fixture.ids), "waba");
    assert_eq!(
        fixture.stores.channels.connect(account.workspace, &account, &fixture.connects(&account)).await,
        Err(ConnectError::UnknownWorkspace)
    );
    let workspace = fixture.workspace(1).await.id;
    let account = an_account(workspace, account.id, "waba");
    assert_eq!(
        fixture.stores.channels.connect(account.workspace, &account, &fixture.connects(&account)).await,
        Ok(account.id)
    );
}

#[tokio::test]
async fn of_two_workspaces_that_connect_an_account_at_once_one_has_it() {
    let fixture = Fixture::new().await;
    let workspaces = [fixture.workspace(1).await.id, fixture.workspace(2).await.id];
    for round in 0..20 {
        let network_id = format!("waba-{round}");
        let accounts =
            workspaces.map(|workspace| an_account(workspace, AccountId::new(&*fixture.ids), &network_id));
        let entries = accounts.each_ref().map(|account| fixture.connects(account));
        let (first, second) = tokio::join!(
            fixture.stores.channels.connect(accounts[0].workspace, &accounts[0], &entries[0]),
            fixture.stores.channels.connect(accounts[1].workspace, &accounts[1], &entries[1])
        );
        match (first, second) {
            (Ok(id), Err(ConnectError::Elsewhere)) => assert_eq!(id, accounts[0].id),
            (Err(ConnectError::Elsewhere), Ok(id)) => assert_eq!(id, accounts[1].id),
            other => panic!("{other:?}"),
        }
    }
}

/// The ids of the connected accounts, with their kinds and what is connected through them.
async fn accounts(fixture: &Fixture, workspace: WorkspaceId) -> Vec<(AccountId, AccountKind, Vec<String>)> {
    let listed = fixture.stores.channels.accounts(workspace).await.unwrap();
    let names = |account: &ListedAccount| {
        account.connections.iter().map(|connection| connection.network_id.clone()).collect()
    };
    listed.iter().map(|account| (account.id, account.kind, names(account))).collect()
}

async fn disconnect(fixture: &Fixture, workspace: WorkspaceId, account: AccountId) -> bool {
    let entry = fixture.entry(workspace, Action::AccountDisconnected);
    fixture.stores.channels.disconnect(workspace, account, &entry).await.unwrap()
}

#[tokio::test]
async fn accounts_are_listed_with_what_is_connected_through_them() {
    let fixture = Fixture::new().await;
    let (workspace, other) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let business = fixture.account(workspace, "waba").await;
    let numbers = [listed("30", "+9647700000030"), listed("20", "+9647700000020")];
    replace(&fixture, &business, &numbers).await;
    replace(&fixture, &business, &numbers[..1]).await;
    let facebook = an_account(workspace, AccountId::new(&*fixture.ids), "77");
    let entry = fixture.connects(&facebook);
    fixture
        .stores
        .channels
        .connect_page(workspace, &facebook, &page("77", Some("1784")), &entry)
        .await
        .unwrap();
    let bare = fixture.account(workspace, "bare").await;
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let wanted = [
        (business.id, AccountKind::Business, names(&["30"])),
        (facebook.id, AccountKind::Page, names(&["77", "1784"])),
        (bare.id, AccountKind::Business, names(&[])),
    ];
    let mut found = accounts(&fixture, workspace).await;
    for account in &mut found {
        account.2.sort_unstable_by(|one, other| other.len().cmp(&one.len()).reverse());
    }
    found.sort_unstable_by_key(|account| account.0.uuid());
    assert_eq!(found, wanted);
    assert!(accounts(&fixture, other).await.is_empty());
}

#[tokio::test]
async fn a_disconnected_account_has_no_token_no_numbers_and_no_place_but_its_routes_stay() {
    let fixture = Fixture::new().await;
    let (workspace, other) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let account = fixture.account(workspace, "waba").await;
    replace(&fixture, &account, &[listed("10", "+9647700000010")]).await;
    assert!(!disconnect(&fixture, other, account.id).await);
    assert!(disconnect(&fixture, workspace, account.id).await);
    assert!(!disconnect(&fixture, workspace, account.id).await, "it is not connected any more");
    assert_eq!(fixture.logged(Action::AccountDisconnected).await, 1);

    assert!(fixture.stores.channels.find(workspace, account.id).await.unwrap().is_none());
    assert!(fixture.stores.channels.find_by_network_id(workspace, "waba").await.unwrap().is_none());
    assert!(accounts(&fixture, workspace).await.is_empty() && numbers(&fixture, workspace).await.is_empty());
    let sealed = fixture.client().await.query_one("SELECT token_sealed FROM accounts", &[]).await.unwrap();
    assert_eq!(
        sealed.get::<_, Vec<u8>>(0),
        GlassVault.seal(&[], &SealContext::new("accounts.token_sealed", workspace, account.id, "")).unwrap()
    );
    let routes = fixture.stores.inbound.number_routes(&["10".to_owned()]).await.unwrap();
    assert!(routes[0].is_some_and(|route| route.workspace == workspace && route.disconnected));
    // A reading that was under way comes too late.
    let late = fixture
        .stores
        .channels
        .replace_numbers(workspace, &account, &[listed("10", "+9647700000010")], NOW)
        .await;
    assert!(matches!(late, Err(StoreError::Stale)));
    let late = fixture.stores.templates.replace(workspace, &account, &[], NOW, None).await;
    assert!(matches!(late, Err(StoreError::Stale)));

    let theirs = fixture.account(other, "waba").await;
    assert_eq!(accounts(&fixture, other).await.len(), 1);
    let again = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    let entry = fixture.connects(&again);
    assert_eq!(
        fixture.stores.channels.connect(again.workspace, &again, &entry).await,
        Err(ConnectError::Elsewhere)
    );
    assert!(disconnect(&fixture, other, theirs.id).await);
    assert_eq!(fixture.stores.channels.connect(again.workspace, &again, &entry).await, Ok(account.id));
    let account = fixture.stores.channels.find(workspace, account.id).await.unwrap().unwrap();
    replace(&fixture, &account, &[listed("10", "+9647700000010")]).await;
    assert_eq!(numbers(&fixture, workspace).await, ["10"]);
    let routes = fixture.stores.inbound.number_routes(&["10".to_owned()]).await.unwrap();
    assert!(routes[0].is_some_and(|route| !route.disconnected));
    assert_eq!(fixture.stores.templates.due(NOW).await.unwrap().len(), 1, "its templates are read again");
}
