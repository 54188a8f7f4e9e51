//! How PostgreSQL runs the statements about accounts and numbers when there are many.

use domain::{
    audit::AuditEntry,
    channels::{
        Account, AccountStanding, AlertKind, ChannelError, ListedNumber, NumberHealth, StandingState,
        ports::{AccountStandings, AccountStore, ChannelHealth, ListedPage, PageStore},
    },
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use tokio_postgres::Client;

use super::health::ERRORS;
use crate::{
    explained::ExplainedStore,
    seeded::{EVENING, assert_cheap, assert_ran_cheaply, entry, id, seeded, seeded_with},
    sql::positional,
    testing::TestDatabase,
};

/// Each workspace has ten accounts more, with two numbers each, and all have their routes.
const ACCOUNTS: &str = "
    INSERT INTO accounts
        SELECT id(1, n / 10), id(22, n), 'a' || n, '', now(), NULL, now() FROM generate_series(0, 4009) n;
    INSERT INTO channels
        SELECT id(1, n / 20), id(21, n), 'whatsapp', id(22, n / 2), 'n' || n, '+9647' || n, false, now(), n, NULL
        FROM generate_series(0, 8019) n;
    INSERT INTO account_routes SELECT 'a' || n, id(1, n / 10), id(22, n) FROM generate_series(0, 4009) n;
    INSERT INTO channel_routes SELECT 'n' || n, id(1, n / 20), id(21, n) FROM generate_series(0, 8019) n";

async fn connected() -> (TestDatabase, Client) {
    seeded_with(ACCOUNTS).await
}

/// Number 71, of workspace 7: it has the numbers 142 and 143.
fn account() -> Account {
    Account {
        id: id(22, 71).into(),
        workspace: id(1, 7).into(),
        network_id: "a71".to_owned(),
        token: "a token".to_owned().into(),
    }
}

fn phone(number: u16) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+9647{number}")).unwrap()
}

#[tokio::test]
async fn numbers_are_listed_by_their_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    // The seeded number is not valid.
    assert!(explained.stores.channels.numbers(id(1, 7).into()).await.is_err());
    assert_ran_cheaply(&explained, 2).await;
}

#[tokio::test]
async fn an_account_is_kept_and_found_by_its_keys() {
    let (database, client) = connected().await;
    let explained = ExplainedStore::over(&database);
    let (stores, workspace) = (&explained.stores, WorkspaceId::from(id(1, 7)));
    let disconnect = "UPDATE accounts SET disconnected_at = now() WHERE id = id(22, 71)";
    client.batch_execute(disconnect).await.unwrap();
    for number in [1, 2] {
        let again = stores.channels.connect(workspace, &account(), &entry(7, number)).await;
        assert_eq!(again, Ok(account().id));
    }
    // The seeded accounts have no token.
    drop(AccountStore::find(&*stores.channels, workspace, account().id).await);
    drop(stores.channels.find_by_network_id(workspace, "a71").await);
    let standing = AccountStanding::since(StandingState::Good, EVENING);
    assert!(stores.channels.set_standing(workspace, "a71", &standing).await.unwrap());
    assert_ran_cheaply(&explained, 1).await;
    // By the workspace, which has few numbers.
    assert!(stores.channels.set_send_only(workspace, &phone(142), true, &entry(7, 3)).await.unwrap());
    assert_ran_cheaply(&explained, 21).await;
}

#[tokio::test]
async fn an_account_is_let_go_of_by_its_keys() {
    let (database, _client) = connected().await;
    let explained = ExplainedStore::over(&database);
    let gone: AuditEntry = entry(7, 1);
    assert!(
        AccountStore::disconnect(&*explained.stores.channels, account().workspace, account().id, &gone)
            .await
            .unwrap()
    );
    assert_ran_cheaply(&explained, 2).await;
    // The seeded numbers are not valid.
    drop(explained.stores.channels.accounts(id(1, 7).into()).await);
    assert_ran_cheaply(&explained, 21).await;
}

/// Number 342 is another workspace's.
#[tokio::test]
async fn what_an_account_lists_replaces_what_it_had_by_keys() {
    let (database, _client) = connected().await;
    let explained = ExplainedStore::over(&database);
    let numbers = [142, 342].map(|number| ListedNumber {
        network_id: format!("n{number}"),
        phone: phone(number),
        can_send: true,
        health: NumberHealth::default(),
    });
    explained
        .stores
        .channels
        .replace_numbers(account().workspace, &account(), &numbers, EVENING)
        .await
        .unwrap();
    let page = ListedPage {
        network_id: "n142".to_owned(),
        name: None,
        instagram_network_id: Some("new".to_owned()),
    };
    let page =
        explained.stores.channels.connect_page(account().workspace, &account(), &page, &entry(7, 1)).await;
    assert_eq!(page, Ok(account().id));
    // Newly listed numbers are compared with the account's previous ones.
    assert_ran_cheaply(&explained, 4).await;
}

/// A hundred of the large workspace's sends were refused for a reason that is the number's.
#[tokio::test]
async fn how_channels_stand_is_read_by_keys_and_told_once() {
    let (database, client) = connected().await;
    let refuse = "UPDATE sends SET error_code = 131042
                      WHERE workspace_id = id(1, 0) AND id = ANY(ids(7, 100, 100))";
    client.batch_execute(refuse).await.unwrap();
    client.batch_execute("VACUUM ANALYZE sends").await.unwrap();
    let since = format!("'{}', '2026-11-01'", id(1, 0));
    // The newest sends are read, whatever became of them.
    assert_cheap(&client, 2_100, &[(&positional(ERRORS), "uuid, timestamptz", &since)]).await;

    let explained = ExplainedStore::over(&database);
    let (store, workspace) = (&explained.stores.channels, account().workspace);
    let problem = |code| ChannelError { code, message: "expired".to_owned(), at: EVENING };
    for code in [190, 190, 10] {
        store.note_problem(workspace, account().id, &problem(code)).await.unwrap();
    }
    assert_eq!(store.workspaces_to_tell().await.unwrap(), [workspace]);
    let told = store.take_alerts(workspace, EVENING).await.unwrap();
    let kinds: Vec<_> = told.iter().map(|alert| alert.kind).collect();
    assert_eq!(kinds, [AlertKind::TokenRefused, AlertKind::AccountRefused]);
    assert!(store.take_alerts(workspace, EVENING).await.unwrap().is_empty());
    assert!(store.workspaces_to_tell().await.unwrap().is_empty());
    // The seeded numbers are not valid.
    drop(store.reports(workspace, EVENING).await);
    assert_ran_cheaply(&explained, 450).await;
}
