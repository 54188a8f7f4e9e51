//! How PostgreSQL runs the statements about a workspace's templates beside those of others.

use super::{label, replace, row::FILTERED, store};
use crate::seeded::{assert_cheap, id, seeded};

/// Ten of 4,000, in a workspace beside a large one.
#[tokio::test]
async fn templates_are_listed_by_their_workspace() {
    let (_database, client) = seeded().await;
    let mine = id(1, 7);
    let all = format!("'{mine}', NULL, NULL");
    let approved = format!("'{mine}', 'approved', 'UTILITY'");
    let types = "uuid, text, text";
    assert_cheap(&client, 20, &[(FILTERED, types, &all), (FILTERED, types, &approved)]).await;
}

#[tokio::test]
async fn a_template_is_labelled_by_its_key() {
    let (_database, client) = seeded().await;
    let values = "id(1, 7), id(2, 7), 'template 20006', 'ar', '{}'";
    assert_cheap(&client, 1, &[(label::LABEL, "uuid, uuid, text, text, jsonb", values)]).await;
}

#[tokio::test]
async fn what_an_account_lists_replaces_its_templates_by_keys() {
    let (_database, client) = seeded().await;
    let account = "id(1, 7), id(2, 7)";
    let listed = "ARRAY['template 20006', 'new'], ARRAY['ar', 'ar']";
    assert_cheap(
        &client,
        10,
        &[
            (replace::SYNCED, "uuid, uuid, timestamptz", &format!("{account}, '2026-11-21 20:00Z'")),
            (replace::FORGET, "uuid, uuid, text[], text[]", &format!("{account}, {listed}")),
            (
                replace::KEEP,
                "uuid, uuid, text[], text[], text[], text[], text[], text[], jsonb[], bigint[], text[]",
                &format!(
                    "{account}, {listed}, ARRAY['n', 'n'], ARRAY['UTILITY', 'UTILITY'], ARRAY['paused', 'approved'],
                     '{{NULL, NULL}}', ARRAY['{{}}', '{{}}']::jsonb[], '{{NULL, NULL}}', '{{NULL, NULL}}'"
                ),
            ),
        ],
    )
    .await;
}

/// All of 24,000 are due.
#[tokio::test]
async fn accounts_whose_reading_is_due_are_found_without_reading_those_behind() {
    let (_database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO accounts SELECT workspace, id(22, n), 'a' || n, '', at, NULL, at FROM row;
             ANALYZE accounts",
        )
        .await
        .unwrap();
    let (later, claimed) = ("'2026-11-22 20:00Z'", "id(1, 7), id(22, 20006), '2026-11-22 20:00Z'");
    assert_cheap(&client, 500, &[(store::DUE, "timestamptz", later)]).await;
    let claim = format!("{claimed}, '2026-11-22 20:15Z'");
    assert_cheap(&client, 1, &[(store::CLAIM_DUE, "uuid, uuid, timestamptz, timestamptz", &claim)]).await;
}
