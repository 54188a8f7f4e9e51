//! How PostgreSQL runs the statements about a workspace's templates beside those of others.

use std::time::Duration;

use domain::{
    channels::Account,
    ids::WorkspaceId,
    templates::{
        Category, Template, TemplateFilter, TemplateKey, TemplateStatus, VariableLabels, ports::TemplateStore,
    },
    testing::{a_template, an_account},
};

use crate::{
    explained::ExplainedStore,
    seeded::{EVENING, assert_ran_cheaply, entry, id, seeded},
};

/// Ten of 4,000 templates, in a workspace beside a large one.
#[tokio::test]
async fn templates_are_listed_by_their_workspace() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let all = TemplateFilter { status: None, category: None };
    let some = TemplateFilter { status: Some(TemplateStatus::Approved), category: Some(Category::Utility) };
    for filter in [all, some] {
        // The seeded templates have no content.
        assert!(TemplateStore::list(&*explained.stores.templates, id(1, 7).into(), filter).await.is_err());
    }
    assert_ran_cheaply(&explained, 20).await;
}

#[tokio::test]
async fn a_template_is_labelled_by_its_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let key = TemplateKey {
        account: id(2, 7).into(),
        name: "template 20006".to_owned(),
        language: "ar".to_owned(),
    };
    let labels = VariableLabels::new();
    assert!(explained.stores.templates.label(id(1, 7).into(), &key, &labels, &entry(7, 1)).await.unwrap());
    assert_ran_cheaply(&explained, 1).await;
}

#[tokio::test]
async fn what_an_account_lists_replaces_its_templates_by_keys() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let account = Account { id: id(2, 7).into(), workspace: id(1, 7).into(), ..an_account() };
    let listed = ["template 20006", "new"].map(|name| Template { account: account.id, ..a_template(name) });
    explained.stores.templates.replace(account.workspace, &account, &listed, EVENING, None).await.unwrap();
    assert_ran_cheaply(&explained, 10).await;
}

/// All 24,000 accounts are due.
#[tokio::test]
async fn accounts_whose_reading_is_due_are_found_without_reading_those_behind() {
    let (database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO accounts SELECT workspace, id(22, n), 'a' || n, '', at, NULL, at FROM row;
             ANALYZE accounts",
        )
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    let later = EVENING + Duration::from_hours(24);
    assert_eq!(explained.stores.templates.due(later).await.unwrap().len(), 500);
    assert_ran_cheaply(&explained, 500).await;
    let (workspace, account) = (WorkspaceId::from(id(1, 7)), id(22, 20_006).into());
    assert!(
        explained
            .stores
            .templates
            .claim_due(workspace, account, later, later + Duration::from_mins(15))
            .await
            .unwrap()
    );
    assert_ran_cheaply(&explained, 1).await;
}
