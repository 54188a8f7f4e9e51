//! How PostgreSQL runs the statements about a workspace when there are others, and it has many customers.

use domain::{
    audit::Action,
    ids::WorkspaceId,
    testing::{a_moment, a_workspace},
    workspaces::{
        DayUsage, Month, Plan, Workspace, WorkspaceSettings,
        ports::{UsageDays, WorkspaceStore},
    },
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

/// A hundred customers are active.
#[tokio::test]
async fn who_is_active_is_counted_without_reading_anybody_else() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let active = explained.stores.workspaces.active_customers(id(1, 0).into(), Month::of(a_moment())).await;
    assert_eq!(active.unwrap(), 100);
    assert_ran_cheaply(&explained, 100).await;
}

/// Two hundred messages, with a send each, have ids in the range.
#[tokio::test]
async fn a_day_is_counted_by_the_range_of_its_ids() {
    let (database, client) = seeded().await;
    client
        .batch_execute(
            "UPDATE sends SET template_name = 'template 1', template_language = 'ar'; ANALYZE sends",
        )
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    let day = time::macros::date!(2026 - 11 - 21);
    let (first, last) = (id(7, 1_000), id(7, 1_200));
    let counted = explained.stores.workspaces.count_between(id(1, 0).into(), day, first, last).await.unwrap();
    let templates = [("unknown".to_owned(), 200)].into();
    let wanted = DayUsage { day, received: 0, sent: 200, templates, active_customers: 200 };
    assert_eq!(counted, wanted);
    assert_ran_cheaply(&explained, 200).await;
    let store: &dyn UsageDays = &*explained.stores.workspaces;
    let used = DayUsage {
        day,
        received: 1,
        sent: 2,
        templates: [("utility".to_owned(), 1)].into(),
        active_customers: 1,
    };
    let workspace = id(1, 0).into();
    for _ in 0..2 {
        store.keep(workspace, std::slice::from_ref(&used), a_moment()).await.unwrap();
    }
    assert_eq!(store.kept(workspace, day, day).await.unwrap(), [used]);
    assert_eq!(store.last_kept(workspace).await.unwrap(), Some(day));
    assert!(store.first_day(workspace).await.unwrap().is_some());
    assert_ran_cheaply(&explained, 2).await;
}
