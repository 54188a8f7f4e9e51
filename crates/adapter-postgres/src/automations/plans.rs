//! How PostgreSQL runs the statements about rules and quiet conversations when a workspace is large.

use domain::{
    automations::{
        Automation, AutomationName, Conditions, Rule, Settings,
        ports::{AutomationStore, QuietStore, TriggerQueue},
    },
    conversations::StepOf,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
};

use super::{quiet::TO_SWEEP, triggers::CLAIM};
use crate::{
    Stores,
    explained::ExplainedStore,
    seeded::{
        EVENING, Explained, assert_cheap, assert_cheap_planned_over_none, assert_ran_cheaply, entry, id,
        put_back, seeded_with, set_aside,
    },
    sql::positional,
};

const AT: &str = "'2026-11-21 20:00Z'";

/// Each of the 20,000 conversations has a trigger, and every second one is open.
const SEED: &str = "
    UPDATE conversations SET status = 'open' WHERE id::text LIKE '%0';
    INSERT INTO automation_triggers
        SELECT workspace, id(7, n), true, NULL, 0, 0, at FROM row WHERE n > 1";

fn rule(number: u128, name: &str) -> Automation {
    Automation {
        id: id(13, number).into(),
        name: AutomationName::try_from(name.to_owned()).unwrap(),
        author: id(10, 0).into(),
        enabled: true,
        rule: Rule { when: Conditions::default(), then: Vec::new() },
    }
}

#[tokio::test]
async fn rules_are_read_and_written_by_keys() {
    let (database, _client) = seeded_with(SEED).await;
    let explained = ExplainedStore::over(&database);
    let (stores, workspace) = (&explained.stores, WorkspaceId::from(id(1, 0)));
    // The seeded rules are empty.
    assert!(stores.automations.automations(workspace).await.is_err());
    let added = stores.automations.add(workspace, &rule(100_000, "new"), 50, &entry(0, 1)).await;
    assert_eq!(added, Ok(()));
    let replaced = stores.automations.replace(workspace, &rule(0, "name"), &entry(0, 2)).await;
    assert_eq!(replaced, Ok(()));
    let (of, by) = (id(13, 0).into(), id(10, 0).into());
    assert!(stores.automations.switch(workspace, of, by, false, &entry(0, 5)).await.unwrap());
    assert!(
        AutomationStore::remove(&*stores.automations, workspace, id(13, 1).into(), &entry(0, 3))
            .await
            .unwrap()
    );
    assert!(stores.automations.set(workspace, &Settings::default(), &entry(0, 4)).await.unwrap());
    assert_eq!(stores.automations.settings(workspace).await.unwrap(), Settings::default());
    assert_ran_cheaply(&explained, 3).await;
}

#[tokio::test]
async fn triggers_are_claimed_and_dealt_with_without_reading_those_behind() {
    let (database, client) = seeded_with(SEED).await;
    let claim = positional(CLAIM);
    let claimed = format!("'{}', {AT}, 50, '2026-11-21 20:02Z'", id(1, 0));
    let statements: &[Explained<'_>] = &[(&claim, "uuid, timestamptz, bigint, timestamptz", &claimed)];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "automation_triggers", 50, statements).await;

    let explained = ExplainedStore::over(&database);
    deal_with(&explained.stores, 12_345).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;

    let explained = ExplainedStore::over(&database);
    set_aside(&client, "automation_triggers").await;
    assert!(deal_with(&explained.stores, 12_346).await.is_err(), "there is none");
    put_back(&client, "automation_triggers").await;
    deal_with(&explained.stores, 12_346).await.unwrap();
    assert_ran_cheaply(&explained, 50).await;
}

async fn deal_with(stores: &Stores, number: u128) -> Result<(), StoreError> {
    let (workspace, message) = (WorkspaceId::from(id(1, 0)), MessageId::from(id(7, number)));
    let planned = stores.automations.write_plan(workspace, message, &[]).await;
    stores.automations.step_done(workspace, StepOf { message, place: 0 }).await?;
    stores.automations.postpone_trigger(workspace, message, 0, EVENING).await?;
    stores.automations.finish_triggers(workspace, &[message]).await?;
    planned
}

#[tokio::test]
async fn quiet_conversations_are_found_without_reading_those_behind() {
    let (database, client) = seeded_with(SEED).await;
    let explained = ExplainedStore::over(&database);
    let (store, workspace) = (&explained.stores.automations, WorkspaceId::from(id(1, 0)));
    assert_eq!(store.idle(workspace, EVENING, 50).await.unwrap().len(), 50);
    assert_ran_cheaply(&explained, 50).await;
    let unanswered = store.unanswered(workspace, EVENING, 50).await.unwrap();
    assert_eq!((unanswered.looked_at, unanswered.waiting.len()), (50, 50));
    assert_ran_cheaply(&explained, 50).await;
    client.batch_execute("UPDATE messages SET role = 'team' WHERE role = 'customer'").await.unwrap();
    for _ in 0..2 {
        let answered = store.unanswered(workspace, EVENING, 50).await.unwrap();
        assert_eq!((answered.looked_at, answered.waiting.len()), (50, 0));
        assert_ran_cheaply(&explained, 50).await;
    }
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_where_there_is_work() {
    let (database, client) = seeded_with(SEED).await;
    assert_cheap(&client, 802, &[(&positional(TO_SWEEP), "timestamptz", AT)]).await;
    let explained = ExplainedStore::over(&database);
    assert_eq!(explained.stores.automations.workspaces_with_triggers(EVENING).await.unwrap().len(), 401);
    assert_ran_cheaply(&explained, 802).await;
}
