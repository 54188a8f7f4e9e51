//! Accounts, numbers and their routes.

use std::time::Duration;

use domain::{
    access::audit::Action,
    channels::{
        Account, AccountKind, ListedAccount, ListedNumber,
        ports::{AccountStore, Connected, ListedPage, PageStore},
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    inbound::ports::Journal,
    templates::ports::TemplateStore,
    vault::Vault,
};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use crate::support::{Fixture, GlassVault, NOW, an_account, listed, phone_number};

const HOUR: Duration = Duration::from_hours(1);

/// The workspace's connected numbers, by their ids at the network.
async fn numbers(fixture: &Fixture, workspace: WorkspaceId) -> Vec<String> {
    let numbers = fixture.store.numbers(workspace).await.unwrap();
    numbers.into_iter().map(|number| number.network_id).collect()
}

/// Where a number's updates go: the workspace, and whether the number is send-only.
async fn route(fixture: &Fixture, network_id: &str) -> Option<(WorkspaceId, bool)> {
    let query = "
        SELECT route.workspace_id, route.send_only FROM channel_routes route
        JOIN channels channel ON channel.workspace_id = route.workspace_id AND channel.id = route.channel_id
        WHERE route.network_id = $1 AND channel.network_id = $1";
    let row = fixture.client().await.query_opt(query, &[&network_id]).await.unwrap();
    row.map(|row| (row.get::<_, Uuid>(0).into(), row.get(1)))
}

async fn replace(fixture: &Fixture, account: &Account, numbers: &[ListedNumber]) {
    fixture.store.replace_numbers(account, numbers, NOW).await.unwrap();
}

#[tokio::test]
async fn an_account_is_found_with_its_token_which_is_not_stored_in_clear() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    for found in [
        fixture.store.find(workspace, account.id).await.unwrap().unwrap(),
        fixture.store.find_by_network_id(workspace, "waba").await.unwrap().unwrap(),
    ] {
        assert_eq!((found.id, found.workspace, &*found.network_id), (account.id, workspace, "waba"));
        assert_eq!(found.token.expose_secret(), "token of waba");
    }
    let row = fixture.client().await.query_one("SELECT token_sealed FROM accounts", &[]).await.unwrap();
    let sealed = String::from_utf8_lossy(row.get::<_, &[u8]>(0)).into_owned();
    assert!(sealed.starts_with(&format!("account-token:{}", account.id)) && !sealed.contains("token of"));
}

#[tokio::test]
async fn connecting_again_keeps_the_id_and_replaces_the_token() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let first = fixture.account(workspace, "waba").await;
    let mut again = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    again.token = SecretString::from("newer");
    assert_eq!(
        fixture.store.connect(&again, &fixture.connects(&again)).await.unwrap(),
        Connected::As(first.id)
    );
    let found = fixture.store.find(workspace, first.id).await.unwrap().unwrap();
    assert_eq!(found.token.expose_secret(), "newer");
    assert!(fixture.store.find(workspace, again.id).await.unwrap().is_none());
}

#[tokio::test]
async fn an_account_of_another_workspace_is_neither_found_nor_connected() {
    let fixture = Fixture::new().await;
    let holder = fixture.workspace(1).await.id;
    let other = fixture.workspace(2).await.id;
    let account = fixture.account(holder, "waba").await;
    let tried = an_account(other, AccountId::new(&*fixture.ids), "waba");
    assert_eq!(fixture.store.connect(&tried, &fixture.connects(&tried)).await.unwrap(), Connected::Elsewhere);
    assert!(fixture.store.find(other, account.id).await.unwrap().is_none());
    assert!(fixture.store.find_by_network_id(other, "waba").await.unwrap().is_none());
}

#[tokio::test]
async fn connecting_for_no_workspace_keeps_nothing() {
    let fixture = Fixture::new().await;
    let nobody = Uuid::from_u128(0xdead).into();
    let account = an_account(nobody, AccountId::new(&*fixture.ids), "waba");
    assert_eq!(
        fixture.store.connect(&account, &fixture.connects(&account)).await.unwrap(),
        Connected::NoWorkspace
    );
    let workspace = fixture.workspace(1).await.id;
    let account = an_account(workspace, account.id, "waba");
    assert_eq!(
        fixture.store.connect(&account, &fixture.connects(&account)).await.unwrap(),
        Connected::As(account.id)
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
            fixture.store.connect(&accounts[0], &entries[0]),
            fixture.store.connect(&accounts[1], &entries[1])
        );
        match (first.unwrap(), second.unwrap()) {
            (Connected::As(id), Connected::Elsewhere) => assert_eq!(id, accounts[0].id),
            (Connected::Elsewhere, Connected::As(id)) => assert_eq!(id, accounts[1].id),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn numbers_are_listed_in_the_order_they_were_connected() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let (first, second) = (fixture.account(workspace, "a").await, fixture.account(workspace, "b").await);
    replace(&fixture, &second, &[listed("30", "+9647700000030"), listed("20", "+9647700000020")]).await;
    let later = [listed("10", "+9647700000010")];
    fixture.store.replace_numbers(&first, &later, NOW + HOUR).await.unwrap();
    let numbers = fixture.store.numbers(workspace).await.unwrap();
    let seen: Vec<_> = numbers
        .iter()
        .map(|number| (&*number.network_id, &*number.account_network_id, number.phone.as_str()))
        .collect();
    assert_eq!(
        seen,
        [("30", "b", "+9647700000030"), ("20", "b", "+9647700000020"), ("10", "a", "+9647700000010")]
    );
    assert_eq!(numbers[0].connected_at, NOW);
    assert_eq!(numbers[2].account, first.id);
    assert_eq!(route(&fixture, "30").await, Some((workspace, false)));
}

#[tokio::test]
async fn numbers_that_cannot_send_or_are_listed_no_more_are_disconnected() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let one = listed("1", "+9647700000001");
    let two = listed("2", "+9647700000002");
    let unable = ListedNumber { can_send: false, ..two.clone() };
    replace(&fixture, &account, &[one.clone(), two]).await;
    replace(&fixture, &account, &[one.clone(), unable]).await;
    assert_eq!(numbers(&fixture, workspace).await, ["1"]);
    replace(&fixture, &account, &[]).await;
    assert!(numbers(&fixture, workspace).await.is_empty());
    assert_eq!(route(&fixture, "1").await, Some((workspace, false)), "statuses still arrive");
}

#[tokio::test]
async fn a_number_that_comes_back_is_the_one_it_was() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let (one, two) = (listed("1", "+9647700000001"), listed("2", "+9647700000002"));
    replace(&fixture, &account, &[one.clone(), two.clone()]).await;
    assert!(
        fixture
            .store
            .set_send_only(&one.phone, true, &fixture.entry(workspace, Action::SendOnlySet))
            .await
            .unwrap()
    );
    let before = fixture.store.numbers(workspace).await.unwrap();

    replace(&fixture, &account, std::slice::from_ref(&two)).await;
    let later = [two, ListedNumber { phone: phone_number("+9647700000009"), ..one }];
    fixture.store.replace_numbers(&account, &later, NOW + HOUR).await.unwrap();
    let after = fixture.store.numbers(workspace).await.unwrap();
    assert_eq!(after[0].phone.as_str(), "+9647700000009");
    assert_eq!((after[0].id, after[0].connected_at), (before[0].id, before[0].connected_at));
    assert!(after[0].send_only);
    assert_eq!(after[1], before[1]);
}

#[tokio::test]
async fn a_number_listed_twice_is_connected_once() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    replace(&fixture, &account, &[listed("1", "+9647700000001"), listed("1", "+9647700000001")]).await;
    assert_eq!(numbers(&fixture, workspace).await, ["1"]);
}

#[tokio::test]
async fn a_number_moves_with_its_account_inside_a_workspace() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let (old, new) = (fixture.account(workspace, "old").await, fixture.account(workspace, "new").await);
    let number = [listed("1", "+9647700000001")];
    replace(&fixture, &old, &number).await;
    let before = fixture.store.numbers(workspace).await.unwrap();
    replace(&fixture, &new, &number).await;
    replace(&fixture, &old, &[]).await;
    let after = fixture.store.numbers(workspace).await.unwrap();
    assert_eq!((after[0].id, after[0].account), (before[0].id, new.id));
}

#[tokio::test]
async fn a_number_that_moves_to_another_workspace_is_routed_there_and_gone_here() {
    let fixture = Fixture::new().await;
    let (here, there) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let (old, new) = (fixture.account(here, "old").await, fixture.account(there, "new").await);
    let number = [listed("1", "+9647700000001")];
    replace(&fixture, &old, &number).await;
    fixture
        .store
        .set_send_only(&number[0].phone, true, &fixture.entry(here, Action::SendOnlySet))
        .await
        .unwrap();
    replace(&fixture, &new, &number).await;
    assert!(numbers(&fixture, here).await.is_empty());
    assert_eq!(numbers(&fixture, there).await, ["1"]);
    assert_eq!(route(&fixture, "1").await, Some((there, false)));
    replace(&fixture, &old, &[]).await;
    assert_eq!(route(&fixture, "1").await, Some((there, false)));
}

#[tokio::test]
async fn readings_of_one_account_at_once_end_in_one_of_them() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let lists = [
        [listed("1", "+9647700000001"), listed("2", "+9647700000002")],
        [listed("2", "+9647700000002"), listed("3", "+9647700000003")],
    ];
    for _ in 0..10 {
        tokio::join!(replace(&fixture, &account, &lists[0]), replace(&fixture, &account, &lists[1]));
        let numbers = fixture.store.numbers(workspace).await.unwrap();
        assert_eq!(numbers.len(), 2, "not a mixture of both");
    }
}

#[tokio::test]
async fn numbers_of_an_account_that_is_gone_are_stale() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let gone = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    let answer = fixture.store.replace_numbers(&gone, &[listed("1", "+9647700000001")], NOW).await;
    assert!(matches!(answer, Err(StoreError::Stale)), "{answer:?}");
}

#[tokio::test]
async fn a_number_becomes_send_only_with_its_route_and_back() {
    let fixture = Fixture::new().await;
    let (workspace, other) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let account = fixture.account(workspace, "waba").await;
    let number = listed("1", "+9647700000001");
    replace(&fixture, &account, std::slice::from_ref(&number)).await;
    for send_only in [true, false, true] {
        assert!(
            fixture
                .store
                .set_send_only(&number.phone, send_only, &fixture.entry(workspace, Action::SendOnlySet))
                .await
                .unwrap()
        );
        assert_eq!(fixture.store.numbers(workspace).await.unwrap()[0].send_only, send_only);
        assert_eq!(route(&fixture, "1").await, Some((workspace, send_only)));
    }
    assert!(
        !fixture
            .store
            .set_send_only(&number.phone, true, &fixture.entry(other, Action::SendOnlySet))
            .await
            .unwrap()
    );
    replace(&fixture, &account, &[]).await;
    assert!(
        !fixture
            .store
            .set_send_only(&number.phone, false, &fixture.entry(workspace, Action::SendOnlySet))
            .await
            .unwrap()
    );
}

fn page(network_id: &str, instagram: Option<&str>) -> ListedPage {
    ListedPage {
        network_id: network_id.to_owned(),
        name: Some("Shop".to_owned()),
        instagram_network_id: instagram.map(str::to_owned),
    }
}

/// The workspace's connected pages and Instagram accounts: kind, id at the network, id here.
async fn pages(fixture: &Fixture, workspace: WorkspaceId) -> Vec<(String, String, Uuid)> {
    let query = "SELECT kind, network_id, id FROM channels
        WHERE workspace_id = $1 AND disconnected_at IS NULL AND phone IS NULL ORDER BY kind DESC";
    let rows = fixture.client().await.query(query, &[&workspace.uuid()]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
}

#[tokio::test]
async fn a_page_is_connected_with_its_instagram_account_and_neither_is_a_number() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = an_account(workspace, Uuid::from_u128(1).into(), "77");
    let both = page("77", Some("1784"));
    let connected = fixture.store.connect_page(&account, &both, &fixture.connects(&account)).await.unwrap();
    assert_eq!(connected, Connected::As(account.id));
    let first = pages(&fixture, workspace).await;
    let kinds: Vec<(&str, &str)> = first.iter().map(|(kind, id, _)| (kind.as_str(), id.as_str())).collect();
    assert_eq!(kinds, [("messenger", "77"), ("instagram", "1784")]);
    for id in ["77", "1784"] {
        assert_eq!(route(&fixture, id).await, Some((workspace, false)));
    }
    assert!(numbers(&fixture, workspace).await.is_empty());
    let never = "SELECT templates_due_at = 'infinity' FROM accounts";
    assert!(fixture.client().await.query_one(never, &[]).await.unwrap().get::<_, bool>(0));

    let again = an_account(workspace, Uuid::from_u128(2).into(), "77");
    let connected = fixture.store.connect_page(&again, &both, &fixture.connects(&again)).await.unwrap();
    assert_eq!(connected, Connected::As(account.id), "it keeps its id");
    assert_eq!(pages(&fixture, workspace).await, first);
    fixture.store.connect_page(&again, &page("77", None), &fixture.connects(&again)).await.unwrap();
    assert_eq!(
        pages(&fixture, workspace).await,
        first[..1],
        "an account that is linked no more is disconnected"
    );
}

#[tokio::test]
async fn a_page_belongs_to_one_workspace_and_its_instagram_account_moves_with_the_page_that_it_is_linked_to()
{
    let fixture = Fixture::new().await;
    let (one, two) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let connect = async |workspace, id, network_id, instagram| {
        let account = an_account(workspace, Uuid::from_u128(id).into(), network_id);
        let entry = fixture.connects(&account);
        fixture.store.connect_page(&account, &page(network_id, instagram), &entry).await.unwrap()
    };
    connect(one, 1, "77", Some("1784")).await;
    assert_eq!(connect(two, 2, "77", None).await, Connected::Elsewhere);
    connect(two, 3, "88", Some("1784")).await;
    assert_eq!(route(&fixture, "1784").await, Some((two, false)));
    assert_eq!(pages(&fixture, one).await.len(), 1);
    let missing = connect(Uuid::from_u128(99).into(), 4, "99", None).await;
    assert_eq!(missing, Connected::NoWorkspace);
}

/// The ids of the connected accounts, with their kinds and what is connected through them.
async fn accounts(fixture: &Fixture, workspace: WorkspaceId) -> Vec<(AccountId, AccountKind, Vec<String>)> {
    let listed = fixture.store.accounts(workspace).await.unwrap();
    let names = |account: &ListedAccount| {
        account.connections.iter().map(|connection| connection.network_id.clone()).collect()
    };
    listed.iter().map(|account| (account.id, account.kind, names(account))).collect()
}

async fn disconnect(fixture: &Fixture, workspace: WorkspaceId, account: AccountId) -> bool {
    let entry = fixture.entry(workspace, Action::AccountDisconnected);
    fixture.store.disconnect(account, &entry).await.unwrap()
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
    fixture.store.connect_page(&facebook, &page("77", Some("1784")), &entry).await.unwrap();
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

    assert!(fixture.store.find(workspace, account.id).await.unwrap().is_none());
    assert!(fixture.store.find_by_network_id(workspace, "waba").await.unwrap().is_none());
    assert!(accounts(&fixture, workspace).await.is_empty() && numbers(&fixture, workspace).await.is_empty());
    let sealed = fixture.client().await.query_one("SELECT token_sealed FROM accounts", &[]).await.unwrap();
    assert_eq!(
        sealed.get::<_, Vec<u8>>(0),
        GlassVault.seal(&[], &format!("account-token:{}", account.id)).unwrap()
    );
    let routes = fixture.store.number_routes(&["10".to_owned()]).await.unwrap();
    assert!(routes[0].is_some_and(|route| route.workspace == workspace && route.disconnected));
    // A reading that was under way comes too late.
    let late = fixture.store.replace_numbers(&account, &[listed("10", "+9647700000010")], NOW).await;
    assert!(matches!(late, Err(StoreError::Stale)));
    let late = fixture.store.replace(&account, &[], NOW, None).await;
    assert!(matches!(late, Err(StoreError::Stale)));

    let theirs = fixture.account(other, "waba").await;
    assert_eq!(accounts(&fixture, other).await.len(), 1);
    let again = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    let entry = fixture.connects(&again);
    assert_eq!(fixture.store.connect(&again, &entry).await.unwrap(), Connected::Elsewhere);
    assert!(disconnect(&fixture, other, theirs.id).await);
    assert_eq!(fixture.store.connect(&again, &entry).await.unwrap(), Connected::As(account.id));
    let account = fixture.store.find(workspace, account.id).await.unwrap().unwrap();
    replace(&fixture, &account, &[listed("10", "+9647700000010")]).await;
    assert_eq!(numbers(&fixture, workspace).await, ["10"]);
    let routes = fixture.store.number_routes(&["10".to_owned()]).await.unwrap();
    assert!(routes[0].is_some_and(|route| !route.disconnected));
    assert_eq!(fixture.store.due(NOW).await.unwrap().len(), 1, "its templates are read again");
}
