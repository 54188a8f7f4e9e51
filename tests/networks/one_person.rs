//! One person under several names: contacts that become one, and numbers that change.

use reqwest::Method;
use serde_json::{Value, json};

use super::{ANSWER, NUMBER, Shop};
use crate::support::eventually;

const USER: &str = "IQ.13491208655302741918";
const PHONE: &str = "+9647701234567";

impl Shop {
    /// Lets somebody write, under these names.
    async fn written_by(&self, names: &Value, message: &Value) {
        let mut body = json!({ "phoneNumberId": NUMBER, "message": message });
        body.as_object_mut().unwrap().extend(names.as_object().unwrap().clone());
        let written = self.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
    }

    async fn contact(&self, id: &str) -> Value {
        self.api.get(&format!("/v1/contacts/{id}")).await.body
    }
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": { "body": words } })
}

#[tokio::test]
async fn contacts_that_turn_out_to_be_one_person_become_one_under_every_id_they_had() {
    let shop = Shop::new().await;
    // Somebody whom the team knows by number, and somebody who hides theirs.
    let notice = json!({ "to": PHONE, "template": "order_ready", "variables": ["سارة", "A-1042"] });
    let notice = shop.api.post("/v1/messages/template", &notice).await;
    let (known, first) = (notice.text("/contactId"), notice.text("/conversationId"));
    shop.written_by(&json!({ "userId": USER }), &text("متوفر؟")).await;
    let created = shop.world.receiver.next_of("conversation.created").await;
    let (hidden, second) =
        (created.text("/data/customer/id").to_owned(), created.text("/data/conversation/id").to_owned());
    assert_ne!((known, first), (&*hidden, &*second));
    assert_eq!(shop.contact(&hidden).await["phone"], Value::Null);
    let answered = shop.reply(&second).await;
    assert_eq!(answered.status, 201, "who hides their number can be answered: {answered:?}");

    shop.written_by(&json!({ "userId": USER, "from": PHONE, "name": "Sara K" }), &text("هذا رقمي")).await;
    let one = eventually("one contact", async || {
        let one = shop.contact(&hidden).await;
        (one["id"] == known).then_some(one)
    })
    .await;
    assert_eq!((&one["phone"], &one["name"]), (&json!(PHONE), &json!("Sara K")));
    assert_eq!((&one["conversations"], &one["channels"]), (&json!(1), &json!(["whatsapp"])));
    let people = shop.api.get("/v1/contacts").await;
    assert_eq!((people.body["total"].as_u64(), people.text("/rows/0/id")), (Some(1), known));
    let found = shop.api.get(&format!("/v1/conversations?contactId={hidden}")).await;
    assert_eq!((found.body["data"].as_array().unwrap().len(), found.text("/data/0/id")), (1, first));
    assert_eq!(shop.api.get(&format!("/v1/conversations/{second}")).await.text("/id"), first);
    let written = ["هذا رقمي", ANSWER, "متوفر؟"];
    eventually("everything in one conversation", async || {
        let messages = shop.api.get(&format!("/v1/conversations/{second}/messages")).await;
        let rows = messages.body["data"].as_array().unwrap();
        let words: Vec<&str> = rows.iter().filter_map(|row| row["content"].as_str()).collect();
        (words.len() == 4 && words[..3] == written).then_some(())
    })
    .await;
    let again = shop.reply(&second).await;
    assert_eq!((again.status, again.text("/conversationId")), (201, first), "{again:?}");
}

#[tokio::test]
async fn a_changed_number_is_followed_and_meets_who_had_the_new_one() {
    let shop = Shop::new().await;
    let new = "+9647709876543";
    shop.written_by(&json!({ "from": PHONE, "name": "Sara K" }), &text("متوفر؟")).await;
    let created = shop.world.receiver.next_of("conversation.created").await;
    let sara = created.text("/data/customer/id");
    let other = shop.api.post("/v1/contacts", &json!({ "phone": new, "name": "Sara (new)" })).await;
    assert_eq!(other.status, 200, "{other:?}");
    let system = json!({ "type": "system", "system": {
        "body": "Sara changed her number", "type": "user_changed_number", "wa_id": new.trim_start_matches('+'),
    } });
    shop.written_by(&json!({ "from": PHONE }), &system).await;
    let contact = eventually("the new number", async || {
        let contact = shop.contact(sara).await;
        (contact["phone"] == new).then_some(contact)
    })
    .await;
    assert_eq!(contact["name"], "Sara K", "the older contact's own name stays");
    assert_eq!(shop.contact(other.text("/id")).await["id"], sara);
    assert_eq!(shop.api.get("/v1/contacts").await.body["total"], 1);
    shop.written_by(&json!({ "from": new }), &text("من رقمي الجديد")).await;
    shop.world.receiver.next_of("message.received").await;
    let received = shop.world.receiver.next_of("message.received").await;
    assert_eq!(
        received.text("/data/conversationId"),
        created.text("/data/conversation/id"),
        "the same conversation"
    );
    assert_eq!(received.text("/data/customer/phone"), new);
}
