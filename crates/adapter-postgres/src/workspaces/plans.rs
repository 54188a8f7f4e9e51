//! How PostgreSQL runs the statements about a workspace when there are others, and it has many customers.

use domain::{
    access::audit::Action,
    ids::WorkspaceId,
    testing::{a_moment, a_workspace},
    workspaces::{Month, Plan, Workspace, WorkspaceSettings, ports::WorkspaceStore},
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

#[tokio::test]
async fn a_workspace_is_made_found_and_changed_by_its_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let stores = &explained.stores;
    let workspace = WorkspaceId::from(id(1, 7));
    let entry = |action| explained.entry(workspace, action, a_moment());
    let new = Workspace { id: id(1, 500).into(), ..a_workspace() };
    stores
        .workspaces
        .create(&new, id(10, 500).into(), "o@o.example", &entry(Action::WorkspaceCreated))
        .await
        .unwrap();
    let found = WorkspaceStore::find(&*stores.workspaces, workspace).await.unwrap().unwrap();
    let wanted = WorkspaceSettings { name: Some("new".to_owned()), ..WorkspaceSettings::default() };
    let changed =
        WorkspaceStore::change(&*stores.workspaces, workspace, &wanted, &entry(Action::WorkspaceChanged))
            .await
            .unwrap();
    assert_eq!(changed, Some(Workspace { name: "new".to_owned(), ..found }));
    let plan = Plan { active_customer_limit: Some(1000), paused: false };
    assert!(stores.workspaces.set_plan(workspace, plan, &entry(Action::PlanSet)).await.unwrap());
    assert_ran_cheaply(&explained, 1).await;
    assert_eq!(stores.workspaces.owner(workspace).await.unwrap(), Some(id(10, 7).into()));
    assert_ran_cheaply(&explained, 21).await;
}

#[tokio::test]
async fn a_page_of_workspaces_is_read_by_the_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let store = &explained.stores.workspaces;
    let first = store.list(None, 3).await.unwrap();
    let next = store.list(first.last().map(|last| last.id), 3).await.unwrap();
    let ids: Vec<_> = first.iter().chain(&next).map(|workspace| workspace.id).collect();
    assert!(ids.len() == 6 && ids.is_sorted(), "{ids:?}");
    assert_ran_cheaply(&explained, 3).await;
}

/// A hundred are active.
#[tokio::test]
async fn who_is_active_is_counted_without_reading_anybody_else() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let active = explained.stores.workspaces.active_customers(id(1, 0).into(), Month::of(a_moment())).await;
    assert_eq!(active.unwrap(), 100);
    assert_ran_cheaply(&explained, 100).await;
}
