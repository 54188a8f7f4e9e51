//! Templates as they were last read.

use std::time::Duration;

use domain::{
    audit::Action,
    channels::{Account, ports::AccountStore},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    phone::PhoneNumber,
    sending::ports::SendLedger,
    templates::{
        Authentication, Button, Category, Header, Template, TemplateFilter, TemplateKey, TemplateStatus,
        VariableKind, VariableLabel, VariableLabels,
        ports::{DueAccount, TemplateStore},
    },
    testing::a_template,
};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::stores::support::{Fixture, NOW, an_account, listed};

const EVERYTHING: TemplateFilter = TemplateFilter { status: None, category: None };

/// An approved template of the account.
fn template(account: &Account, name: &str, language: &str) -> Template {
    Template {
        account: account.id,
        account_network_id: account.network_id.clone(),
        language: language.to_owned(),
        ..a_template(name)
    }
}

async fn templates(fixture: &Fixture, workspace: WorkspaceId, filter: TemplateFilter) -> Vec<Template> {
    let listed = fixture.stores.templates.list(workspace, filter).await.unwrap();
    listed.into_iter().map(|listed| listed.template).collect()
}

#[tokio::test]
async fn a_template_reads_back_as_it_was_written() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let mut full = template(&account, "login_code", "ar");
    full.status = TemplateStatus::Rejected;
    full.rejection_reason = Some("INVALID_FORMAT".to_owned());
    full.send_ttl_seconds = Some(-1);
    full.validity_problem = Some("the network refused (100): no".to_owned());
    full.content.header = Some(Header { format: "TEXT".to_owned(), text: Some("{{1}} 🌴".to_owned()) });
    full.content.footer = Some("footer".to_owned());
    full.content.buttons = vec![Button {
        kind: "URL".to_owned(),
        text: "Open".to_owned(),
        url: Some("https://example.com/{{1}}".to_owned()),
    }];
    full.content.authentication =
        Some(Authentication { add_security_recommendation: true, code_expiration_minutes: Some(5) });
    let plain = template(&account, "order_ready", "ar");
    let both = [full, plain];
    fixture.stores.templates.replace(account.workspace, &account, &both, NOW, None).await.unwrap();
    assert_eq!(templates(&fixture, workspace, EVERYTHING).await, both);
}

#[tokio::test]
async fn labels_stay_with_their_template_when_it_is_read_again_and_are_in_the_log_of_changes() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let [first, second] = ["order_ready", "order_late"].map(|name| template(&account, name, "ar"));
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &[first.clone(), second.clone()], NOW, None)
        .await
        .unwrap();
    let label = VariableLabel { label: "customer".to_owned(), kind: VariableKind::Name };
    let labels = VariableLabels::from([("1".to_owned(), label)]);
    let key = |name: &str, language: &str| TemplateKey {
        account: account.id,
        name: name.to_owned(),
        language: language.to_owned(),
    };
    let entry = || fixture.entry(workspace, Action::TemplateLabelled).to("order_ready");
    assert!(
        fixture
            .stores
            .templates
            .label(workspace, &key("order_ready", "ar"), &labels, &entry())
            .await
            .unwrap()
    );
    for (language, of) in [("en", workspace), ("ar", WorkspaceId::from(Uuid::from_u128(9)))] {
        let unknown =
            fixture.stores.templates.label(of, &key("order_ready", language), &labels, &entry()).await;
        assert!(!unknown.unwrap(), "{language}");
    }
    let changed = Template { category: "MARKETING".to_owned(), ..first.clone() };
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &[changed.clone(), second.clone()], NOW, None)
        .await
        .unwrap();
    let labelled = Template { labels, ..changed };
    assert_eq!(templates(&fixture, workspace, EVERYTHING).await, [second, labelled.clone()]);
    let catalogue = fixture.stores.sends.catalogue(workspace, "order_ready").await.unwrap();
    assert_eq!(catalogue.templates, [labelled]);
    let client = fixture.client().await;
    let logged =
        client.query_one("SELECT count(*) FROM audit_log WHERE action = 'template.labelled'", &[]).await;
    assert_eq!(logged.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn templates_are_listed_by_name_language_and_account_with_the_numbers_of_their_account() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let (first, second) = (fixture.account(workspace, "z").await, fixture.account(workspace, "a").await);
    let numbers = [listed("2", "+9647700000002"), listed("1", "+9647700000001")];
    fixture.stores.channels.replace_numbers(first.workspace, &first, &numbers, NOW).await.unwrap();
    let of_first =
        [template(&first, "order", "en"), template(&first, "order", "ar"), template(&first, "Zebra", "ar")];
    fixture.stores.templates.replace(first.workspace, &first, &of_first, NOW, None).await.unwrap();
    fixture
        .stores
        .templates
        .replace(second.workspace, &second, &[template(&second, "order", "ar")], NOW, None)
        .await
        .unwrap();

    let listed = fixture.stores.templates.list(workspace, EVERYTHING).await.unwrap();
    let seen: Vec<_> = listed
        .iter()
        .map(|listed| {
            let Template { name, language, account_network_id, .. } = &listed.template;
            (&**name, &**language, &**account_network_id, listed.numbers.len())
        })
        .collect();
    assert_eq!(
        seen,
        [("Zebra", "ar", "z", 2), ("order", "ar", "z", 2), ("order", "ar", "a", 0), ("order", "en", "z", 2)]
    );
    let phones: Vec<_> = listed[0].numbers.iter().map(PhoneNumber::as_str).collect();
    assert_eq!(phones, ["+9647700000002", "+9647700000001"]);
}

#[tokio::test]
async fn the_filter_keeps_a_status_and_a_category() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let mut paused = template(&account, "a", "ar");
    paused.status = TemplateStatus::Paused;
    let mut offer = template(&account, "b", "ar");
    offer.category = "MARKETING".to_owned();
    let mut unknown = template(&account, "c", "ar");
    unknown.category = "FREE_SERVICE".to_owned();
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &[paused, offer, unknown], NOW, None)
        .await
        .unwrap();
    for (status, category, names) in [
        (None, None, "abc"),
        (Some(TemplateStatus::Approved), None, "bc"),
        (Some(TemplateStatus::Pending), None, ""),
        (None, Some(Category::Utility), "a"),
        (Some(TemplateStatus::Approved), Some(Category::Marketing), "b"),
        (Some(TemplateStatus::Paused), Some(Category::Marketing), ""),
    ] {
        let found = templates(&fixture, workspace, TemplateFilter { status, category }).await;
        let found: String = found.into_iter().map(|template| template.name).collect();
        assert_eq!(found, names, "{status:?} {category:?}");
    }
}

#[tokio::test]
async fn a_reading_replaces_the_account_s_templates_and_no_others() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let (account, other) = (fixture.account(workspace, "a").await, fixture.account(workspace, "b").await);
    let kept = template(&account, "kept", "ar");
    let of_other = template(&other, "gone", "ar");
    let first = [kept.clone(), template(&account, "gone", "ar"), template(&account, "kept", "en")];
    fixture.stores.templates.replace(account.workspace, &account, &first, NOW, None).await.unwrap();
    fixture
        .stores
        .templates
        .replace(other.workspace, &other, std::slice::from_ref(&of_other), NOW, None)
        .await
        .unwrap();

    let mut changed = kept;
    changed.content.body = "changed".to_owned();
    changed.network_id = "901".to_owned();
    let new = template(&account, "new", "ar");
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &[new.clone(), changed.clone()], NOW, None)
        .await
        .unwrap();
    assert_eq!(templates(&fixture, workspace, EVERYTHING).await, [of_other, changed, new]);
    fixture.stores.templates.replace(account.workspace, &account, &[], NOW, None).await.unwrap();
    assert_eq!(templates(&fixture, workspace, EVERYTHING).await.len(), 1);
}

#[tokio::test]
async fn a_reading_that_finds_nothing_new_writes_no_template() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let same = [template(&account, "a", "ar"), template(&account, "b", "ar")];
    let client = fixture.client().await;
    let version = async || {
        let row = client.query_one("SELECT array_agg(xmin::text) FROM templates", &[]).await.unwrap();
        row.get::<_, Vec<String>>(0)
    };
    fixture.stores.templates.replace(account.workspace, &account, &same, NOW, None).await.unwrap();
    let written = version().await;
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &same, NOW + Duration::from_hours(1), None)
        .await
        .unwrap();
    assert_eq!(version().await, written);
    let told = async || {
        let of_templates = "SELECT count(*) FROM live_changes WHERE kind = 'templates.changed'";
        client.query_one(of_templates, &[]).await.unwrap().get::<_, i64>(0)
    };
    assert_eq!(told().await, 1, "browsers hear of the first reading alone");
    let row = client.query_one("SELECT templates_synced_at FROM accounts", &[]).await.unwrap();
    assert_eq!(row.get::<_, time::OffsetDateTime>(0), NOW + Duration::from_hours(1));
    let fewer = &same[..1];
    fixture.stores.templates.replace(account.workspace, &account, fewer, NOW, None).await.unwrap();
    assert_eq!(told().await, 2, "one is gone");
}

#[tokio::test]
async fn a_template_listed_twice_is_kept_once() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let twice = [template(&account, "a", "ar"), template(&account, "a", "ar")];
    fixture.stores.templates.replace(account.workspace, &account, &twice, NOW, None).await.unwrap();
    assert_eq!(templates(&fixture, workspace, EVERYTHING).await.len(), 1);
}

#[tokio::test]
async fn a_workspace_does_not_see_the_templates_of_another() {
    let fixture = Fixture::new().await;
    let (workspace, other) = (fixture.workspace(1).await.id, fixture.workspace(2).await.id);
    let account = fixture.account(workspace, "waba").await;
    fixture
        .stores
        .templates
        .replace(account.workspace, &account, &[template(&account, "a", "ar")], NOW, None)
        .await
        .unwrap();
    assert!(templates(&fixture, other, EVERYTHING).await.is_empty());
}

#[tokio::test]
async fn templates_of_an_account_that_is_gone_are_stale() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let gone = an_account(workspace, AccountId::new(&*fixture.ids), "waba");
    let answer = fixture
        .stores
        .templates
        .replace(gone.workspace, &gone, &[template(&gone, "a", "ar")], NOW, None)
        .await;
    assert!(matches!(answer, Err(StoreError::Stale)), "{answer:?}");
}

#[tokio::test]
async fn a_due_reading_is_taken_by_one_node_and_is_due_again_later() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let account = fixture.account(workspace, "waba").await;
    let due = DueAccount { workspace, account: account.id };
    let next = NOW + Duration::from_mins(15);
    assert!(fixture.stores.templates.due(NOW - Duration::from_secs(1)).await.unwrap().is_empty());
    assert_eq!(fixture.stores.templates.due(NOW).await.unwrap(), [due], "a new account is due at once");

    let claims =
        join_all((0..8).map(|_| fixture.stores.templates.claim_due(workspace, account.id, NOW, next))).await;
    assert_eq!(claims.into_iter().filter(|claim| *claim.as_ref().unwrap()).count(), 1);
    assert!(fixture.stores.templates.due(NOW).await.unwrap().is_empty());
    assert_eq!(fixture.stores.templates.due(next).await.unwrap(), [due]);
}
