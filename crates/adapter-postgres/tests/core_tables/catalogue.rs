//! The catalogue read for planning a send.

use domain::{
    errors::StoreError,
    ids::AccountId,
    sending::ports::SendLedger,
    templates::{Button, Header, TemplateContent, TemplateStatus},
};
use secrecy::ExposeSecret;

use crate::core_tables::world::{NOW, TOKEN, World, phone};

async fn add_template(world: &World, account: AccountId, name: &str, language: &str, status: &str) {
    let content = serde_json::to_string(&content()).unwrap();
    let insert =
        "INSERT INTO templates (workspace_id, account_id, name, language, network_id, category, status,
                                         content, send_ttl_seconds)
                  VALUES ($1, $2, $3, $4, '900', 'UTILITY', $5, $6::text::jsonb, 600)";
    let (workspace, account) = (world.workspace.uuid(), account.uuid());
    world.execute(insert, &[&workspace, &account, &name, &language, &status, &content]).await;
}

fn content() -> TemplateContent {
    TemplateContent {
        header: Some(Header { format: "TEXT".to_owned(), text: Some("طلب {{1}}".to_owned()) }),
        body: "مرحبا {{1}}\n\"{{2}}\"".to_owned(),
        footer: None,
        buttons: vec![Button { kind: "URL".to_owned(), text: "تتبع".to_owned(), url: None }],
        authentication: None,
    }
}

#[tokio::test]
async fn the_catalogue_has_the_connected_numbers_in_order_and_the_templates_of_that_name() {
    let world = World::new().await;
    let other = world.add_account(world.workspace, "waba-2").await;
    let third = world.add_number(other, "103", &phone("+9647700000003"), 2).await;
    let second = world.add_number(world.account, "102", &phone("+9647700000002"), 1).await;
    let gone = world.add_number(world.account, "104", &phone("+9647700000004"), 3).await;
    let disconnect = "UPDATE channels SET disconnected_at = $2 WHERE id = $1";
    world.execute(disconnect, &[&gone.uuid(), &NOW]).await;
    world.execute("UPDATE workspaces SET active_customer_limit = 7, paused = true", &[]).await;
    add_template(&world, world.account, "order_ready", "en", "paused").await;
    add_template(&world, other, "order_ready", "ar", "approved").await;
    add_template(&world, other, "another", "ar", "approved").await;

    let catalogue = world.stores.sends.catalogue(world.workspace, "order_ready").await.unwrap();
    let workspace = catalogue.workspace;
    assert_eq!((workspace.id, workspace.locale.as_str()), (world.workspace, "ar"));
    assert_eq!((workspace.plan.active_customer_limit, workspace.plan.paused), (Some(7), true));
    let numbers: Vec<_> = catalogue.numbers.iter().map(|number| number.id).collect();
    assert_eq!(numbers, [world.channel, second, third]);
    let last = &catalogue.numbers[2];
    assert_eq!((last.account, last.account_network_id.as_str()), (other, "waba-2"));
    assert_eq!((last.connected_at, last.phone.as_str()), (NOW, "+9647700000003"));
    let templates: Vec<_> =
        catalogue.templates.iter().map(|it| (it.account, it.language.as_str(), it.status)).collect();
    let wanted = [(other, "ar", TemplateStatus::Approved), (world.account, "en", TemplateStatus::Paused)];
    assert_eq!(templates, wanted);
    assert_eq!(catalogue.templates[0].content, content());
    assert_eq!(catalogue.templates[0].send_ttl_seconds, Some(600));
}

#[tokio::test]
async fn a_workspace_without_anything_has_an_empty_catalogue_and_an_unknown_one_has_none() {
    let world = World::new().await;
    let empty = world.add_workspace().await;
    let catalogue = world.stores.sends.catalogue(empty, "order_ready").await.unwrap();
    assert!(catalogue.numbers.is_empty() && catalogue.templates.is_empty());
    let unknown = world.stores.sends.catalogue(world.account.uuid().into(), "order_ready").await;
    assert!(matches!(unknown, Err(StoreError::Internal(_))));
}

#[tokio::test]
async fn the_token_of_a_number_is_its_accounts_and_is_opened() {
    let world = World::new().await;
    let catalogue = world.stores.sends.catalogue(world.workspace, "order_ready").await.unwrap();
    let token = world.stores.sends.token(world.workspace, &(&catalogue.numbers[0]).into()).await.unwrap();
    assert_eq!(token.unwrap().token.expose_secret(), TOKEN);

    world.execute("UPDATE accounts SET token_sealed = '\\x00'", &[]).await;
    let unreadable = world.stores.sends.token(world.workspace, &(&catalogue.numbers[0]).into()).await;
    assert!(matches!(unreadable, Err(StoreError::Internal(_))));

    world.execute("UPDATE accounts SET disconnected_at = now()", &[]).await;
    let gone = world.stores.sends.token(world.workspace, &(&catalogue.numbers[0]).into()).await;
    assert!(gone.unwrap().is_none());
}
