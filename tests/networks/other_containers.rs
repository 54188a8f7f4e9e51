//! Messages of customers in more than one container, each visible to somebody.

use domain::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;

use super::{NUMBER, Shop, instagram, messenger, whatsapp};
use crate::support::{Browser, SHOP, eventually};

const SECOND: i64 = 1_000;

impl Shop {
    /// Has the network post this to the app.
    async fn posts(&self, body: &Value) {
        let posted =
            self.world.control(Method::POST, "webhooks", &json!({ "accountId": SHOP, "body": body })).await;
        assert_eq!(posted, json!({ "webhook": { "status": 200 } }), "{body}");
    }

    async fn owner(&self) -> Browser {
        let (base_url, secrets) = (self.world.service.base_url(), &self.world.secrets);
        Browser::joined(base_url, secrets, &self.world.workspace, "owner@palm.example", "owner").await
    }

    async fn handled(&self) {
        eventually("an empty journal", async || (self.rows.count("journal").await == 0).then_some(())).await;
    }
}

/// A change of the shop's number.
fn of_number(field: &str, more: &Value) -> Value {
    let mut value = json!({ "messaging_product": "whatsapp",
                            "metadata": { "phone_number_id": NUMBER, "display_phone_number": "9647700000001" } });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "object": "whatsapp_business_account",
            "entry": [{ "id": SHOP, "changes": [{ "field": field, "value": value }] }] })
}

fn seconds(ago: i64) -> i64 {
    SystemClock.now().unix_timestamp() - ago
}

#[tokio::test]
async fn what_is_written_while_another_app_holds_the_conversation_is_there_and_nobody_answers_it() {
    let shop = Shop::new().await;
    let page = messenger();
    let person = page.person["from"].clone();
    let element = |from: &Value, to: &Value, message: Value| {
        json!({
        "sender": { "id": from }, "recipient": { "id": to }, "timestamp": seconds(0) * SECOND, "message": message })
    };
    let id = json!(page.id);
    shop.posts(&json!({ "object": "page", "entry": [{ "id": page.id, "time": seconds(0) * SECOND, "standby": [
        element(&person, &id, json!({ "mid": "m_held_1", "text": "وين وصل طلبي؟" })),
        element(&id, &person, json!({ "mid": "m_held_2", "text": "في الطريق", "is_echo": true, "app_id": 5 })),
    ] }] })).await;
    let from = "9647701234567";
    let text = |id: &str, words: &str| {
        json!({ "id": id, "timestamp": seconds(0).to_string(), "type": "text",
                                               "text": { "body": words } })
    };
    let (mut wrote, mut said) = (text("wamid.held.1", "متوفر؟"), text("wamid.held.2", "نعم"));
    (wrote["from"], said["to"]) = (json!(from), json!(from));
    shop.posts(&of_number("standby", &json!({ "messages": [wrote], "message_echoes": [said] }))).await;
    shop.handled().await;
    let conversations = shop.api.get("/v1/conversations").await;
    let conversations = conversations.body["data"].as_array().unwrap().clone();
    assert_eq!(conversations.len(), 2, "{conversations:?}");
    for conversation in &conversations {
        let path = format!("/v1/conversations/{}/messages", conversation["id"].as_str().unwrap());
        // An echo waits until it cannot be one of this service's own sends any more.
        let messages = eventually("both messages", async || {
            let messages = shop.api.get(&path).await.body["data"].as_array().unwrap().clone();
            (messages.len() == 2).then_some(messages)
        })
        .await;
        let roles: Vec<&str> = messages.iter().rev().map(|one| one["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["customer", "team"], "{messages:?}");
        assert!(messages.iter().all(|one| one["context"]["heldElsewhere"] == true), "{messages:?}");
        assert!(messages[1]["sentAt"].is_string() && messages[0].get("sentAt").is_none(), "{messages:?}");
    }
    let received = shop.world.receiver.next_of("message.received").await;
    assert_eq!(received.body["data"]["message"]["context"]["heldElsewhere"], true, "{received:?}");
    let waiting = shop.rows.count("conversations WHERE waiting_since IS NOT NULL").await;
    assert_eq!(waiting, 0, "nobody here is waited for");
}

#[tokio::test]
async fn a_message_that_is_told_by_its_name_alone_is_asked_for_and_one_that_cannot_be_had_is_set_aside() {
    let shop = Shop::new().await;
    let channel = instagram();
    let event = json!({ "message_edit": { "mid": "m_named", "num_edit": 0, "text": "بكم هذا؟" } });
    let body = json!({ "channelId": channel.id, "from": channel.person["from"], "event": event });
    shop.world.control(Method::POST, "inbound", &body).await;
    let received = shop.world.receiver.next_of("message.received").await;
    assert_eq!(received.text("/data/message/content"), "بكم هذا؟");
    let unknown =
        json!([{ "timestamp": seconds(0) * SECOND, "message_edit": { "mid": "m_nobodys", "num_edit": 0 } }]);
    shop.posts(&json!({ "object": "instagram", "entry": [{ "id": channel.id, "messaging": unknown }] }))
        .await;
    eventually("set aside", async || (shop.rows.count("quarantine").await == 1).then_some(())).await;
    let accounts = shop.owner().await.get("/accounts").await;
    assert_eq!(accounts.text("/unread/0/field"), "message_edit", "{accounts:?}");
}

#[tokio::test]
async fn what_this_version_does_not_read_is_counted_and_shown_to_the_owner() {
    let shop = Shop::new().await;
    for _ in 0..2 {
        shop.posts(&of_number("history", &json!({ "history": [{}] }))).await;
    }
    let in_a_group = json!({ "from": "9647701234567", "id": "wamid.group", "timestamp": seconds(0).to_string(),
                             "type": "text", "text": { "body": "Hello all" }, "group_id": "g" });
    shop.posts(&of_number("messages", &json!({ "messages": [in_a_group] }))).await;
    let owner = shop.owner().await;
    let accounts = owner.get("/accounts").await;
    let unread = accounts.body["unread"].as_array().unwrap();
    let counted: Vec<_> =
        unread.iter().map(|one| (one["field"].as_str().unwrap(), &one["updates"])).collect();
    assert_eq!(counted, [("group message", &json!(1)), ("history", &json!(2))], "{accounts:?}");
    assert_eq!(shop.rows.count("messages").await, 0);
}

#[tokio::test]
async fn what_comes_late_says_when_it_was_written() {
    let shop = Shop::new().await;
    let late = json!({ "from": "9647701234567", "id": "wamid.late", "timestamp": seconds(5 * 3_600).to_string(),
                       "type": "text", "text": { "body": "كتبتها قبل خمس ساعات" } });
    shop.posts(&of_number("messages", &json!({ "messages": [late] }))).await;
    let told = shop.world.receiver.next_of("message.received").await;
    let written = told.text("/data/message/sentAt");
    assert!(written < told.text("/data/message/createdAt"), "{told:?}");
    let conversation = told.text("/data/conversationId");
    let listed = shop.api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    assert_eq!(listed.text("/data/0/sentAt"), written);
}

#[tokio::test]
async fn whoever_changes_their_number_stays_one_in_each_form_in_which_that_is_told() {
    for system in [
        json!({ "type": "customer_changed_number", "wa_id": "9647709876543" }),
        json!({ "type": "customer_changed_number", "new_wa_id": "9647709876543" }),
        json!({ "type": "user_changed_number", "wa_id": "9647709876543" }),
        json!({ "type": "yet_to_come", "previous_wa_id": "9647701234567", "wa_id": "9647709876543" }),
    ] {
        let shop = Shop::new().await;
        shop.begin(&whatsapp()).await;
        let mut told = json!({ "id": "wamid.changed", "timestamp": seconds(0).to_string(), "type": "system", "system": system });
        if told["system"].get("previous_wa_id").is_none() {
            told["from"] = json!("9647701234567");
        }
        shop.posts(&of_number("messages", &json!({ "messages": [told] }))).await;
        let wrote = json!({ "from": "9647709876543", "id": "wamid.after", "timestamp": seconds(0).to_string(),
                            "type": "text", "text": { "body": "هذا رقمي الجديد" } });
        shop.posts(&of_number("messages", &json!({ "messages": [wrote] }))).await;
        shop.handled().await;
        let people = shop.api.get("/v1/contacts").await;
        assert_eq!(
            (&people.body["total"], people.text("/rows/0/phone")),
            (&json!(1), "+9647709876543"),
            "{told}"
        );
    }
}
