//! How PostgreSQL runs the statements about groups when there are many.

use domain::{
    audit::Action,
    groups::{TeamGroup, ports::GroupStore},
    ids::WorkspaceId,
    testing::a_moment,
};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded},
};

#[tokio::test]
async fn groups_are_listed_and_changed_by_their_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let stores = &explained.stores;
    let workspace = WorkspaceId::from(id(1, 7));
    let entry = |action| explained.entry(workspace, action, a_moment());
    let new = TeamGroup {
        id: id(11, 30000).into(),
        name: "new".to_owned(),
        members: Vec::new(),
        created_at: a_moment(),
    };
    assert_eq!(GroupStore::list(&*stores.groups, workspace).await.unwrap().len(), 10);
    let entry_of_new = entry(Action::GroupAdded);
    GroupStore::add(&*stores.groups, workspace, &new, 200, &entry_of_new).await.unwrap();
    let (group, member) = (id(11, 70).into(), id(17, 150).into());
    let entry_of_name = entry(Action::GroupRenamed);
    let renamed = GroupStore::rename(&*stores.groups, workspace, group, "newer", &entry_of_name).await;
    assert_eq!(renamed, Ok(()));
    assert!(stores.groups.put(workspace, group, member, &entry(Action::GroupJoined)).await.unwrap());
    assert!(stores.groups.take(workspace, group, member, &entry(Action::GroupLeft)).await.unwrap());
    assert!(
        GroupStore::delete(&*stores.groups, workspace, group, &entry(Action::GroupDeleted)).await.unwrap()
    );
    assert_ran_cheaply(&explained, 20).await;
}
