//! Pages with their Instagram accounts.

use domain::{
    channels::ports::{ConnectError, ListedPage, PageStore},
    ids::WorkspaceId,
};
use uuid::Uuid;

use crate::stores::{
    channels::{numbers, route},
    support::{Fixture, an_account},
};

pub(crate) fn page(network_id: &str, instagram: Option<&str>) -> ListedPage {
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
    let connected = fixture
        .stores
        .channels
        .connect_page(account.workspace, &account, &both, &fixture.connects(&account))
        .await;
    assert_eq!(connected, Ok(account.id));
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
    let connected =
        fixture.stores.channels.connect_page(again.workspace, &again, &both, &fixture.connects(&again)).await;
    assert_eq!(connected, Ok(account.id), "it keeps its id");
    assert_eq!(pages(&fixture, workspace).await, first);
    fixture
        .stores
        .channels
        .connect_page(again.workspace, &again, &page("77", None), &fixture.connects(&again))
        .await
        .unwrap();
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
        fixture
            .stores
            .channels
            .connect_page(account.workspace, &account, &page(network_id, instagram), &entry)
            .await
    };
    connect(one, 1, "77", Some("1784")).await.unwrap();
    assert_eq!(connect(two, 2, "77", None).await, Err(ConnectError::Elsewhere));
    connect(two, 3, "88", Some("1784")).await.unwrap();
    assert_eq!(route(&fixture, "1784").await, Some((two, false)));
    assert_eq!(pages(&fixture, one).await.len(), 1);
    let missing = connect(Uuid::from_u128(99).into(), 4, "99", None).await;
    assert_eq!(missing, Err(ConnectError::UnknownWorkspace));
}
