//! How many people the network lets a number begin to write to.

use reqwest::Method;
use serde_json::{Value, json};

use super::{added, hours, in_state, moves, people, written_to};
use crate::{
    life::{CUSTOMER, NUMBER, Team},
    support::{Answer, Visitor, earlier, eventually},
};

/// Has the network set the number's limit and report it, and waits until the team sees it.
async fn limit(team: &Team, word: &str) {
    let number = json!({ "phoneNumberId": NUMBER, "messagingLimit": word, "tell": true });
    let told = team.world.control(Method::PUT, "numbers", &number).await;
    assert_eq!(told["webhook"], json!({ "status": 200 }), "{told}");
    eventually("the limit", async || {
        let listed = team.owner.get("/accounts").await;
        let accounts = listed.body["rows"].as_array().unwrap().clone();
        let is_it = |number: &Value| number["networkId"] == NUMBER && number["messagingLimit"] == word;
        accounts
            .iter()
            .any(|account| account["health"].as_array().into_iter().flatten().any(is_it))
            .then_some(())
    })
    .await;
}

/// Waits until the broadcast waits for the limit, with `sent` people written to.
async fn waits(team: &Team, id: &str, sent: u64) -> Value {
    eventually("waiting for the limit", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        let progress = &found["progress"];
        (progress["sent"] == sent && progress["limitedUntil"].is_string()).then_some(found)
    })
    .await
}

#[tokio::test]
async fn a_broadcast_waits_for_the_networks_limit_and_goes_on_when_there_is_room() {
    let team = Team::new().await;
    people(&team.owner, "person", 5).await;
    limit(&team, "TIER_3").await;
    let written = {
        let mut written = hours("person");
        written["from"] = json!(NUMBER);
        written
    };
    let preview = team.owner.post("/broadcasts/preview", &written).await;
    let wanted = json!({ "people": 3, "left": 3, "days": 2 });
    assert_eq!(preview.body["messagingLimit"], wanted, "{preview:?}");
    let id = added(&team, &written).await;
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let page = visitor.get(&format!("/dashboard/broadcasts/{id}/preview")).await.html;
    assert!(page.contains("Days that it takes, about: 2"), "{page}");

    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let found = waits(&team, &id, 3).await;
    assert_eq!((&found["broadcast"]["state"], &found["progress"]["queued"]), (&json!("running"), &json!(2)));
    let page = visitor.get(&format!("/dashboard/broadcasts/{id}")).await.html;
    assert!(page.contains("as many people as the network allows"), "{page}");
    let shown = team.world.operator(&["broadcast", "show", &team.world.workspace, &id]);
    assert!(shown.contains("waits for the messaging limit, until 2"), "{shown}");
    // Nothing is left for another one, either.
    let preview = team.owner.post("/broadcasts/preview", &written).await;
    assert_eq!(preview.body["messagingLimit"], json!({ "people": 3, "left": 0, "days": 3 }), "{preview:?}");

    // Yesterday's people count no more. Whoever resumes it has it looked at at once.
    let rows = team.world.rows().await;
    let [since, created] = ["since", "created_at"].map(|column| earlier(column, "25 hours"));
    rows.change(&format!(
        "UPDATE broadcast_written_to SET since = {since}; UPDATE sends SET created_at = {created}"
    ))
    .await;
    limit(&team, "TIER_1").await;
    let again = async || {
        let paused = moves(&team, &id, "pause").await;
        assert_eq!((paused.status, paused.text("/state")), (200, "paused"), "{paused:?}");
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        assert_eq!(found["progress"]["limitedUntil"], Value::Null, "it waits for somebody now");
        assert_eq!(moves(&team, &id, "resume").await.status, 200);
    };
    again().await;
    waits(&team, &id, 4).await;
    limit(&team, "TIER_UNLIMITED").await;
    again().await;
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(
        (&ended["progress"]["sent"], &ended["progress"]["limitedUntil"]),
        (&json!(5), &Value::Null),
        "{ended}"
    );
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (5, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn a_template_that_was_sent_otherwise_counts_too_unless_they_had_written() {
    let team = Team::new().await;
    people(&team.owner, "person", 1).await;
    limit(&team, "TIER_250").await;
    let mut written = hours("person");
    written["from"] = json!(NUMBER);
    let left = async || {
        team.owner.post("/broadcasts/preview", &written).await.body["messagingLimit"]["left"].clone()
    };
    assert_eq!(left().await, 250);
    // A stranger counts once, however much they get; the customer has just written.
    for (to, wanted) in [("+9647801234001", 249), ("+9647801234001", 249), (CUSTOMER, 249)] {
        let notice = json!({ "to": to, "template": "store_hours", "from": NUMBER });
        let api = team.world.api();
        let answer = Answer::to(api.request(Method::POST, "/v1/messages/template").json(&notice)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(left().await, wanted, "{to}");
    }
}
