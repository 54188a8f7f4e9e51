//! Workspaces, their owners and plans.

use domain::{
    audit::Action,
    ids::WorkspaceId,
    workspaces::{Plan, Workspace, ports::WorkspaceStore},
};
use uuid::Uuid;

use crate::stores::support::Fixture;

const NOBODY: Uuid = Uuid::from_u128(0xdead);

#[tokio::test]
async fn a_workspace_reads_back_as_it_was_written() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    assert_eq!(fixture.stores.workspaces.find(workspace.id).await.unwrap(), Some(workspace));
    assert_eq!(fixture.stores.workspaces.find(WorkspaceId::from(NOBODY)).await.unwrap(), None);
}

#[tokio::test]
async fn the_owner_is_found_unless_they_have_left() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let owner = fixture.stores.workspaces.owner(workspace.id).await.unwrap();
    assert_eq!(owner, Some(Uuid::from_u128(0x9001).into()));
    assert_eq!(fixture.stores.workspaces.owner(NOBODY.into()).await.unwrap(), None);

    fixture.client().await.execute("UPDATE members SET left_at = created_at", &[]).await.unwrap();
    assert_eq!(fixture.stores.workspaces.owner(workspace.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_plan_is_replaced_whole() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    for plan in [
        Plan { active_customer_limit: Some(250), paused: true },
        Plan { active_customer_limit: Some(0), paused: false },
        Plan::default(),
    ] {
        assert!(
            fixture
                .stores
                .workspaces
                .set_plan(workspace.id, plan, &fixture.entry(workspace.id, Action::PlanSet))
                .await
                .unwrap()
        );
        let changed = Workspace { plan, ..workspace.clone() };
        assert_eq!(fixture.stores.workspaces.find(workspace.id).await.unwrap(), Some(changed));
    }
    assert!(
        !fixture
            .stores
            .workspaces
            .set_plan(NOBODY.into(), Plan::default(), &fixture.entry(NOBODY.into(), Action::PlanSet))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_limit_past_what_is_stored_stays_out_of_reach() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await;
    let plan = Plan { active_customer_limit: Some(u32::MAX), paused: false };
    fixture
        .stores
        .workspaces
        .set_plan(workspace.id, plan, &fixture.entry(workspace.id, Action::PlanSet))
        .await
        .unwrap();
    let found = fixture.stores.workspaces.find(workspace.id).await.unwrap().unwrap();
    assert_eq!(found.plan.active_customer_limit, Some(i32::MAX.unsigned_abs()));
}
