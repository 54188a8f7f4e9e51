//! Reactions, edits and deletions: shown on the message that they are about.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::{CUSTOMER, NUMBER, Team, says},
    support::{eventually, untold},
};

/// Has the customer do one of the things that the network's stand-in knows by name.
async fn does(team: &Team, sample: &str) {
    let done = json!({ "phoneNumberId": NUMBER, "from": CUSTOMER, "sample": sample });
    team.world.control(Method::POST, "inbound", &done).await;
}

/// The message with this id, by the API and at the dashboard, once it is as wanted.
async fn shown(team: &Team, id: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/conversations/{}/messages", team.conversation);
    let of = |page: &Value| {
        let rows = page["data"].as_array().unwrap();
        rows.iter().find(|row| row["id"] == id).unwrap().clone()
    };
    let message = eventually(what, async || {
        let message = of(&team.world.api().get(&format!("/v1{path}")).await.body);
        wanted(&message).then_some(message)
    })
    .await;
    // What became of it may have moved on between the two.
    assert_eq!(untold(&of(&team.agent.get(&path).await.body)), untold(&message));
    message
}

fn is_moment(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("20") && text.ends_with('Z'))
}

#[tokio::test]
async fn a_reaction_is_shown_on_the_message_that_it_is_about_until_it_is_taken_back() {
    let team = Team::new().await;
    let messages = format!("/conversations/{}/messages", team.conversation);
    let reply = team.agent.post(&messages, &json!({ "text": "نعم، متوفر" })).await;
    let id = reply.text("/message/id");
    does(&team, "reaction").await;
    let message = shown(&team, id, "a reaction", |message| message["context"].is_object()).await;
    let reaction = &message["context"]["reaction"];
    assert!(reaction["emoji"] == "👍" && is_moment(&reaction["at"]), "{message}");
    assert_eq!(message["context"].as_object().unwrap().len(), 1, "{message}");
    does(&team, "reaction_removed").await;
    let message = shown(&team, id, "no reaction", |message| message["context"].is_null()).await;
    assert_eq!(untold(&message), reply.message("/message"), "as if there never had been one");

    let notice = json!({ "to": CUSTOMER, "template": "order_ready", "variables": ["سارة", "A-1042"] });
    let notice = team.world.api().post("/v1/messages/template", &notice).await;
    let meta = notice.body["message"]["meta"].clone();
    assert_eq!(meta["template"]["name"], "order_ready", "{notice:?}");
    does(&team, "reaction").await;
    let id = notice.text("/message/id");
    let message = shown(&team, id, "a reaction", |message| message["context"]["reaction"].is_object()).await;
    assert_eq!(message["meta"], meta, "what the template send left stays as it was");
}

#[tokio::test]
async fn an_edit_replaces_the_words_and_a_deletion_keeps_them() {
    let team = Team::new().await;
    let first = team.agent.get(&format!("/conversations/{}/messages", team.conversation)).await;
    let id = first.text("/data/0/id");
    assert_eq!((first.text("/data/0/content"), &first.body["data"][0]["context"]), ("متوفر؟", &Value::Null));
    does(&team, "edit").await;
    let message = shown(&team, id, "an edit", |message| message["context"].is_object()).await;
    assert_eq!(message["content"], "مرحبا، متى يجهز الطلب؟");
    assert!(
        is_moment(&message["context"]["editedAt"]) && message["context"].get("deletedAt").is_none(),
        "{message}"
    );
    says(&team.world, "لا تهتم").await;
    let received = eventually("the second message", async || {
        let newest = team.agent.get(&format!("/conversations/{}/messages?limit=1", team.conversation)).await;
        (newest.text("/data/0/content") == "لا تهتم").then_some(newest)
    })
    .await;
    does(&team, "revoke").await;
    let id = received.text("/data/0/id");
    let message = shown(&team, id, "a deletion", |message| message["context"].is_object()).await;
    assert_eq!(message["content"], "لا تهتم");
    assert!(
        is_moment(&message["context"]["deletedAt"]) && message["context"].get("editedAt").is_none(),
        "{message}"
    );
}
