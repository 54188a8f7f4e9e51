//! Numbers and their routes.

use std::time::Duration;

use domain::{
    audit::Action,
    channels::{Account, ListedNumber, ports::AccountStore},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};
use uuid::Uuid;

use crate::stores::support::{Fixture, NOW, an_account, listed, phone_number};

const HOUR: Duration = Duration::from_hours(1);

/// The workspace's connected numbers, by their ids at the network.
pub(crate) async fn numbers(fixture: &Fixture, workspace: WorkspaceId) -> Vec<String> {
    let numbers = fixture.stores.channels.numbers(workspace).await.unwrap();
    numbers.into_iter().map(|number| number.network_id).collect()
}

/// Returns a number's route: the workspace, and whether the number is send-only.
pub(crate) async fn route(fixture: &Fixture, network_id: &str) -> Option<(WorkspaceId, bool)> {
    let query = "
        SELECT route.workspace_id, route.send_only FROM channel_routes route
        JOIN channels channel ON channel.workspace_id = route.workspace_id AND channel.id = route.channel_id
        WHERE route.network_id = $1 AND channel.network_id = $1";
    let row = fixture.client().await.query_opt(query, &[&network_id]).await.unwrap();
    row.map(|row| (row.get::<_, Uuid>(0).into(), row.get(1)))
}

pub(crate) async fn replace(fixture: &Fixture, account: &Account, numbers: &[ListedNumber]) {
    fixture.stores.channels.replace_numbers(account.workspace, account, numbers, NOW).await.unwrap();
}

#[tokio::test]
async fn numbers_are_listed_in_the_order_they_were_connected() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let (first, second) = (fixture.account(workspace, "a").await, fixture.account(workspace, "b").await);
    replace(&fixture, &second, &[listed("30", "+9647700000030"), listed("20", "+9647700000020")]).await;
    let later = [listed("10", "+9647700000010")];
    fixture.stores.channels.replace_numbers(first.workspace, &first, &later, NOW + HOUR).await.unwrap();
    let numbers = fixture.stores.channels.numbers(workspace).await.unwrap();
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
            .stores
            .channels
            .set_send_only(workspace, &one.phone, true, &fixture.entry(workspace, Action::SendOnlySet))
            .await
            .unwrap()
    );
    let before = fixture.stores.channels.numbers(workspace).await.unwrap();

    replace(&fixture, &account, std::slice::from_ref(&two)).await;
    let later = [two, ListedNumber { phone: phone_number("+9647700000009"), ..one }];
    fixture.stores.channels.replace_numbers(account.workspace, &account, &later, NOW + HOUR).await.unwrap();
    let after = fixture.stores.channels.numbers(workspace).await.unwrap();
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
    let before = fixture.stores.channels.numbers(workspace).await.unwrap();
    replace(&fixture, &new, &number).await;
    replace(&fixture, &old, &[]).await;
    let after = fixture.stores.channels.numbers(workspace).await.unwrap();
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
        .stores
        .channels
        .set_send_only(here, &number[0].phone, true, &fixture.entry(here, Action::SendOnlySet))
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
        let numbers = fixture.stores.channels.numbers(workspace).await.unwrap();
        assert_eq!(numbers.len(), 2, "not a mixture of both");
    }
}

#[tokio::test]
async fn numbers_of_an_account_that_is_gone_are_stale() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let gone = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    let answer = fixture
        .stores
        .channels
        .replace_numbers(gone.workspace, &gone, &[listed("1", "+9647700000001")], NOW)
        .await;
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
                .stores
                .channels
                .set_send_only(
                    workspace,
                    &number.phone,
                    send_only,
                    &fixture.entry(workspace, Action::SendOnlySet)
                )
                .await
                .unwrap()
        );
        assert_eq!(fixture.stores.channels.numbers(workspace).await.unwrap()[0].send_only, send_only);
        assert_eq!(route(&fixture, "1").await, Some((workspace, send_only)));
    }
    assert!(
        !fixture
            .stores
            .channels
            .set_send_only(other, &number.phone, true, &fixture.entry(other, Action::SendOnlySet))
            .await
            .unwrap()
    );
    replace(&fixture, &account, &[]).await;
    assert!(
        !fixture
            .stores
            .channels
            .set_send_only(workspace, &number.phone, false, &fixture.entry(workspace, Action::SendOnlySet))
            .await
            .unwrap()
    );
}
