//! What a team does with its conversations besides moving and answering them: templates, and asking what
//! became of a message.

mod directory;
mod explained;
mod files;
mod forms;
mod killed;
mod live;
mod notes;
mod once;
mod pages;
mod present;
mod search;
mod usage;
mod waiting;
mod wrong_forms;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::Team,
    support::{Answer, Browser, SHOP, SHOP_NUMBER, eventually},
};

fn hours() -> Value {
    json!({ "template": "store_hours" })
}

/// Sends a template into the team's conversation.
async fn send(team: &Team, by: &Browser, key: &str, body: &Value) -> Answer {
    let path = format!("/conversations/{}/template", team.conversation);
    Answer::to(by.request(Method::POST, &path).header("Idempotency-Key", key).json(body)).await
}

/// Returns a message's statuses, once they are as `wanted` says.
async fn life(by: &Browser, message: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/messages/{message}");
    eventually("the message's life", async || {
        let told = by.get(&path).await;
        assert_eq!(told.status, 200, "{told:?}");
        Some(told.body).filter(&wanted)
    })
    .await
}

#[tokio::test]
async fn a_template_goes_into_the_conversation_as_the_member_s_message_and_once() {
    let team = Team::new().await;
    let first = send(&team, &team.agent, "hours", &hours()).await;
    assert_eq!((first.status, first.text("/conversationId")), (201, &*team.conversation), "{first:?}");
    assert_eq!(first.text("/message/senderId"), team.agent_id);
    assert_eq!(first.text("/message/meta/template/name"), "store_hours");
    assert_eq!(first.text("/message/meta/via"), "dashboard");
    let told = team.world.receiver.next_of("message.sent").await;
    assert_eq!(told.body["data"]["message"]["meta"], first.body["message"]["meta"]);
    let again = send(&team, &team.agent, "hours", &hours()).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other = json!({ "template": "store_hours", "reference": "another" });
    send(&team, &team.agent, "hours", &other).await.assert_refused(
        422,
        "idempotency_key_reused",
        &json!({}),
        "another",
    );

    let page = team.owner.get(&format!("/conversations/{}/messages", team.conversation)).await;
    assert_eq!(page.message("/data/0"), first.message("/message"));
    let taken = team.world.simulator.messages();
    assert_eq!(taken.iter().filter(|message| message["body"]["type"] == "template").count(), 1);
}

#[tokio::test]
async fn a_conversation_s_templates_are_those_that_can_be_sent_from_it() {
    let team = Team::new().await;
    let path = format!("/conversations/{}/templates", team.conversation);
    let listed = team.agent.get(&path).await;
    assert_eq!(listed.status, 200, "{listed:?}");
    let templates = listed.body["data"].as_array().unwrap();
    assert!(templates.iter().any(|template| template["name"] == "store_hours"), "{listed:?}");
    for template in templates {
        assert_eq!(
            (&template["status"], &template["account"]),
            (&json!("approved"), &json!(SHOP)),
            "{template}"
        );
        assert!(template["authentication"].is_null() && !template["numbers"].as_array().unwrap().is_empty());
    }
    team.world.rows().await.change("UPDATE channels SET disconnected_at = now()").await;
    assert_eq!(team.agent.get(&path).await.body, json!({ "data": [] }));
}

#[tokio::test]
async fn the_log_of_changes_has_what_members_do_in_conversations_and_never_a_text() {
    let team = Team::new().await;
    let sent = send(&team, &team.agent, "hours", &hours()).await;
    send(&team, &team.agent, "hours", &hours()).await;
    let tags = format!("/conversations/{}/tags", team.conversation);
    for tag in ["VIP", "vip"] {
        assert_eq!(team.agent.post(&tags, &json!({ "tag": tag })).await.status, 200);
    }
    for _ in 0..2 {
        assert_eq!(team.agent.delete(&format!("{tags}?tag=vip")).await.status, 200);
    }
    let seen = team.agent.get(&format!("/conversations/{}", team.conversation)).await;
    let contact = seen.text("/conversation/contactId");
    let renamed = team.agent.patch(&format!("/contacts/{contact}"), &json!({ "name": "Sara" })).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");

    let log = team.owner.get(&format!("/audit?memberId={}", team.agent_id)).await;
    let told = |action: &str| -> Vec<Value> {
        let rows = log.body["rows"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["action"] == action);
        rows.map(|row| json!([row["subject"], row["details"], row["address"]])).collect()
    };
    let of = |subject: &str, details: Value| vec![json!([subject, details, "127.0.0.1"])];
    let template = json!({ "template": "store_hours", "messageId": sent.text("/message/id") });
    assert_eq!(told("conversation.template_sent"), of(&team.conversation, template));
    assert_eq!(told("conversation.tagged"), of(&team.conversation, json!({ "tag": "VIP" })));
    assert_eq!(told("conversation.untagged"), of(&team.conversation, json!({ "tag": "vip" })));
    assert_eq!(told("contact.renamed"), of(contact, json!({ "name": "Sara" })));
    assert!(!log.body.to_string().contains(sent.text("/message/content")), "{log:?}");
}

#[tokio::test]
async fn a_template_that_cannot_go_says_why_and_leaves_nothing() {
    let team = Team::new().await;
    let refused = async |body: Value, status: u16, code: &str| {
        let answer = team.owner.post(&format!("/conversations/{}/template", team.conversation), &body).await;
        assert_eq!((answer.status, answer.text("/code")), (status, code), "{answer:?}");
    };
    refused(json!({ "template": "nothing" }), 404, "template_not_found").await;
    refused(json!({ "template": "store_hours", "variables": ["1"] }), 400, "variables_mismatch").await;
    let path = format!("/conversations/{}/template", team.conversation);
    for body in
        [json!({}), json!({ "template": "" }), json!({ "template": "store_hours", "to": SHOP_NUMBER })]
    {
        team.owner.post(&path, &body).await.assert_error(400, &body.to_string());
    }
    let rows = team.world.rows().await;
    rows.change("UPDATE channels SET disconnected_at = now()").await;
    refused(hours(), 409, "no_whatsapp_channel").await;
    assert_eq!(rows.texts("SELECT count(*)::text FROM sends").await, ["0"]);
}

#[tokio::test]
async fn a_message_s_life_tells_what_the_network_and_every_address_made_of_it() {
    let team = Team::new().await;
    let sent = send(&team, &team.agent, "hours", &hours()).await;
    let id = sent.text("/message/id");
    let is_over = |life: &Value| {
        let told = life["told"].as_array().unwrap();
        life["sending"]["status"] == "read"
            && told.len() == 3
            && told.iter().all(|one| one["state"] == "delivered")
    };
    let life_of = life(&team.agent, id, is_over).await;
    assert_eq!((&life_of["conversationId"], &life_of["role"]), (&json!(team.conversation), &json!("team")));
    assert_eq!((&life_of["senderId"], &life_of["hasNetworkId"]), (&json!(team.agent_id), &json!(true)));
    let sending = &life_of["sending"];
    assert_eq!((&sending["state"], &sending["error"]), (&json!("sent"), &Value::Null));
    for time in ["askedAt", "settledAt", "deliveredAt", "readAt"] {
        assert!(sending[time].is_string(), "{time}: {life_of}");
    }
    let events: Vec<_> =
        life_of["told"].as_array().unwrap().iter().map(|told| told["event"].clone()).collect();
    assert_eq!(events, ["message.sent", "message.delivered", "message.read"]);
    let attempt = &life_of["told"][0]["attempts"][0];
    assert_eq!((&attempt["number"], &attempt["status"]), (&json!(1), &json!(200)));

    let page = team.owner.get(&format!("/conversations/{}/messages", team.conversation)).await;
    let written = page.body["data"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let received = life(&team.owner, &written, |life| life["told"][0]["state"] == "delivered").await;
    assert_eq!((&received["role"], &received["sending"]), (&json!("customer"), &Value::Null));
    assert_eq!(received["told"][0]["event"], "message.received");
    let number = &team.world.simulator.messages()[0]["body"]["to"];
    assert!(!life_of.to_string().contains(number.as_str().unwrap()), "{life_of}");
}

#[tokio::test]
async fn a_refusal_s_words_are_in_the_message_s_life() {
    let team = Team::new().await;
    let refusing = json!([{ "kind": "error", "code": 131_047 }]);
    team.world.simulator.set_faults(&refusing).unwrap();
    let path = format!("/conversations/{}/messages", team.conversation);
    let refused = team.owner.post(&path, &json!({ "text": "Hello" })).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    let page = team.owner.get(&path).await;
    let failed =
        life(&team.owner, page.text("/data/0/id"), |life| life["sending"]["state"] == "refused").await;
    assert_eq!(failed["sending"]["status"], "failed");
    assert!(failed["sending"]["error"].is_string(), "{failed}");
    assert_eq!((&failed["hasNetworkId"], &failed["told"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn what_a_member_has_seen_is_theirs_alone_and_the_list_says_until_when_one_may_answer() {
    let team = Team::new().await;
    let row = async |browser: &Browser| browser.get("/conversations").await.body["rows"][0].clone();
    let before = row(&team.agent).await;
    assert_eq!((&before["read"]["unread"], &before["read"]["seenAt"]), (&json!(1), &Value::Null), "{before}");
    assert_eq!(before["number"], SHOP_NUMBER);
    assert!(before["replyWindow"]["closesAt"].is_string(), "{before}");

    let path = format!("/conversations/{}", team.conversation);
    let newest = team.agent.get(&format!("{path}/messages?limit=1")).await.text("/data/0/id").to_owned();
    let seen = team.agent.put(&format!("{path}/seen"), &json!({ "messageId": newest })).await;
    assert_eq!((seen.status, &seen.body["unread"]), (200, &json!(0)), "{seen:?}");
    assert_eq!(row(&team.agent).await["read"], seen.body);
    assert_eq!(row(&team.owner).await["read"]["unread"], 1);

    let path = format!("{path}/seen");
    let elsewhere = json!({ "messageId": team.conversation });
    team.agent.put(&path, &elsewhere).await.assert_error(404, "no message of it");
    for wrong in [json!({}), json!({ "messageId": "one" }), json!({ "messageId": newest, "more": 1 })] {
        team.agent.put(&path, &wrong).await.assert_error(400, "bad input");
    }
}

#[tokio::test]
async fn a_list_is_of_what_one_member_holds_and_the_tags_in_use_are_told() {
    let team = Team::new().await;
    let path = format!("/conversations/{}", team.conversation);
    assert_eq!(team.agent.post(&format!("{path}/moves"), &json!({ "do": "take" })).await.status, 200);
    let owner = team.owner.member_id().await;
    for (holder, held) in [(team.agent_id.as_str(), 1), (owner.as_str(), 0), (team.conversation.as_str(), 0)]
    {
        let list = team.owner.get(&format!("/conversations?view=mine&memberId={holder}")).await;
        assert_eq!(list.body["rows"].as_array().map(Vec::len), Some(held), "{list:?}");
    }
    for wrong in ["view=all&memberId=", "view=mine&memberId=agent"] {
        let id = if wrong.ends_with("memberId=") { owner.as_str() } else { "" };
        team.owner.get(&format!("/conversations?{wrong}{id}")).await.assert_error(400, wrong);
    }

    assert_eq!(team.agent.get("/tags").await.body, json!({ "rows": [] }));
    for tag in ["VIP", "أحمد"] {
        assert_eq!(team.agent.post(&format!("{path}/tags"), &json!({ "tag": tag })).await.status, 200);
    }
    assert_eq!(team.agent.get("/tags").await.body, json!({ "rows": ["VIP", "أحمد"] }));
}
