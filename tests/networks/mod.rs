//! Customers write over three networks, and are answered over each.

mod kinds;
mod lost_answers;
mod odd_ways;
mod one_person;
mod other_containers;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Api, Delivery, Rows, World, eventually};

const ANSWER: &str = "نعم، متوفر";
/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";

/// A network, and somebody who writes over it.
struct Channel {
    name: &'static str,
    /// The number, page or account, by its id at the network.
    id: &'static str,
    /// Who writes, as the control route is told.
    person: Value,
    /// Their number, if the network tells it.
    phone: Option<&'static str>,
    /// What they are called in the update itself.
    named: Option<&'static str>,
}

fn whatsapp() -> Channel {
    Channel {
        name: "whatsapp",
        id: NUMBER,
        person: json!({ "from": "9647701234567", "name": "Sara K" }),
        phone: Some("+9647701234567"),
        named: Some("Sara K"),
    }
}

/// Somebody whose number the network hides.
fn hidden() -> Channel {
    Channel {
        person: json!({ "userId": "IQ.13491208655302741918", "name": "Sara K" }),
        phone: None,
        ..whatsapp()
    }
}

fn messenger() -> Channel {
    Channel {
        name: "messenger",
        id: "1234567890",
        person: json!({ "from": "24811234567890123", "name": "Sara K" }),
        phone: None,
        named: None,
    }
}

fn instagram() -> Channel {
    Channel {
        name: "instagram",
        id: "17841400000000001",
        person: json!({ "from": "17851234567890123", "name": "Sara K" }),
        phone: None,
        named: None,
    }
}

/// A world with every network connected.
struct Shop {
    world: World,
    api: Api,
    rows: Rows,
}

impl Shop {
    async fn new() -> Self {
        let world = World::new().await;
        world.connect_page();
        let (api, rows) = (world.api(), world.rows().await);
        Self { world, api, rows }
    }

    /// The person writes; the message's id at the network.
    async fn write(&self, channel: &Channel, text: &str) -> String {
        let message = match channel.name {
            "whatsapp" => json!({ "type": "text", "text": { "body": text } }),
            _ => json!({ "text": text }),
        };
        let mut body = json!({ "channelId": channel.id, "message": message });
        for (field, value) in channel.person.as_object().unwrap() {
            body[field] = value.clone();
        }
        let written = self.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
        written["id"].as_str().unwrap().to_owned()
    }

    /// The person writes for the first time; what is told of their conversation and of their message.
    async fn begin(&self, channel: &Channel) -> [Delivery; 2] {
        self.write(channel, "متوفر؟").await;
        self.two("conversation.created", "message.received").await
    }

    /// The next two deliveries, in whichever order they come.
    async fn two(&self, first: &str, second: &str) -> [Delivery; 2] {
        let (one, other) = (self.world.receiver.next().await, self.world.receiver.next().await);
        let both = if one.kind() == first { [one, other] } else { [other, one] };
        assert_eq!(both.each_ref().map(Delivery::kind), [first, second]);
        both
    }

    async fn reply(&self, conversation: &str) -> Answer {
        self.api.post("/v1/messages", &json!({ "conversationId": conversation, "text": ANSWER })).await
    }

    /// Takes the deliveries about this message up to the one of this kind.
    async fn told_until(&self, kind: &str, message: &str) -> Vec<Delivery> {
        let mut told = Vec::new();
        loop {
            let delivery = self.world.receiver.next().await;
            if [delivery.text("/data/messageId"), delivery.text("/data/message/id")].contains(&message) {
                told.push(delivery);
            }
            if told.len() > 1 && told.iter().any(|told| told.kind() == kind) {
                return told;
            }
        }
    }

    /// Checks that the person's picture is the network's, if it shows any.
    async fn assert_pictured(&self, channel: &Channel, avatar: &Value) {
        if channel.name == "whatsapp" {
            return assert_eq!(avatar, &Value::Null);
        }
        let person = channel.person["from"].as_str().unwrap();
        let network = self.world.simulator.url();
        let path = format!("cdn/portrait-{person}");
        assert_eq!(avatar, &json!(format!("{network}{path}")));
        let picture = Api::new(network.as_str(), "").bare(Method::GET, &path).send().await.unwrap();
        let content_type = picture.headers()["content-type"].to_str().unwrap();
        assert_eq!((picture.status().as_u16(), content_type), (200, "image/png"));
    }

    /// The bodies of what the network was given over this channel.
    fn given(&self, channel: &Channel) -> Vec<Value> {
        let all = self.world.simulator.messages();
        let bodies = all.iter().filter(|message| message.to_string().contains(channel.id));
        bodies.map(|message| message["body"].clone()).collect()
    }
}

/// Checks that a customer's message is reported, stored and shown; that the answer reaches them, and that its
/// reading is reported.
async fn is_served(channel: &Channel) {
    let shop = Shop::new().await;
    let [created, received] = shop.begin(channel).await;
    let conversation = created.text("/data/conversation/id");
    let shown = shop.api.get(&format!("/v1/conversations/{conversation}")).await;
    let contact_id = shown.text("/contactId");
    let customer = json!({ "id": contact_id, "name": channel.named, "phone": channel.phone });
    let whole = json!({
        "id": conversation, "contactId": contact_id, "channel": channel.name, "status": "bot", "assignedTo": null,
        "group": null, "lastMessageAt": shown.body["lastMessageAt"], "createdAt": shown.body["createdAt"],
    });
    assert_eq!(shown.body, whole);
    let mut told = whole.clone();
    let told_of = told.as_object_mut().unwrap();
    let customer_id = told_of.remove("contactId").unwrap();
    told_of.insert("customerId".to_owned(), customer_id);
    assert_eq!(created.body["data"]["conversation"], told);
    assert_eq!(created.body["data"]["reopened"], json!(false));
    assert_eq!(created.body["data"]["customer"], customer);
    let message = json!({
        "id": received.text("/data/message/id"), "role": "customer", "content": "متوفر؟", "attachments": [],
        "transcription": null, "createdAt": received.text("/data/message/createdAt"),
        "sentAt": received.text("/data/message/sentAt"),
    });
    let data = json!({ "conversationId": conversation, "message": message, "customer": customer });
    assert_eq!(received.body["data"], data);

    let contact = eventually("a name", async || {
        let contact = shop.api.get(&format!("/v1/contacts/{contact_id}")).await;
        (contact.text("/name") == "Sara K").then_some(contact)
    })
    .await;
    assert_eq!(contact.body["phone"], json!(channel.phone));
    shop.assert_pictured(channel, &contact.body["avatarUrl"]).await;
    assert_eq!(contact.body["channels"], json!([channel.name]));

    let answer = shop.reply(conversation).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let id = answer.text("/message/id");
    let told = shop.told_until("message.read", id).await;
    assert!(told.iter().any(|told| told.kind() == "message.sent"), "{told:?}");
    let read = told.iter().find(|told| told.kind() == "message.read").unwrap();
    assert_eq!((read.text("/data/conversationId"), read.text("/data/status")), (conversation, "read"));
    let given = shop.given(channel);
    assert!(given.len() == 1 && given[0].to_string().contains(ANSWER), "{given:?}");
    let messages = shop.api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    assert_eq!(messages.body["data"].as_array().unwrap().len(), 2, "no echo of our own: {messages:?}");
}

#[tokio::test]
async fn who_writes_on_whatsapp_is_told_of_shown_and_answered() {
    is_served(&whatsapp()).await;
}

#[tokio::test]
async fn who_hides_their_number_on_whatsapp_is_told_of_shown_and_answered() {
    is_served(&hidden()).await;
}

#[tokio::test]
async fn who_writes_on_messenger_is_told_of_shown_and_answered() {
    is_served(&messenger()).await;
}

#[tokio::test]
async fn who_writes_on_instagram_is_told_of_shown_and_answered() {
    is_served(&instagram()).await;
}
