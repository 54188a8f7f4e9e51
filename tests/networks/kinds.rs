//! A message of every kind that the networks know: shown as words and files, done to an earlier one, or
//! passed over.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{Channel, Shop, instagram, messenger, whatsapp};
use crate::support::eventually;

/// Name of a sample, the words that it is shown as, the kinds of its files.
type Said = (&'static str, &'static str, &'static [&'static str]);

const WHATSAPP: [Said; 27] = [
    ("text", "مرحبا، هل الطلب جاهز؟", &[]),
    ("reply", "نعم", &[]),
    ("image", "هذه القطعة", &["image"]),
    ("image_lost", "[image]", &[]),
    ("video", "So sieht es aus", &["video"]),
    ("audio", "", &["audio"]),
    ("voice", "", &["audio"]),
    ("voice_as_a_type", "", &["audio"]),
    ("a_new_kind_of_film", "", &["video"]),
    ("document", "الفاتورة", &["document"]),
    ("sticker", "", &["sticker"]),
    ("location", "Rafidain Shop\nشارع الرشيد، بغداد\n33.3152, 44.3661", &[]),
    (
        "contacts",
        "Ali Hasan\nExample\n+964 770 765 4321\nali@example.com\n14 Ramadan, Baghdad, Iraq\n1990-05-01",
        &[],
    ),
    ("button_reply", "نعم", &[]),
    ("list_reply", "Monday 10:00\nBranch Karrada", &[]),
    ("nfm_reply", "day: Monday", &[]),
    ("interactive_without_content", "[interactive]", &[]),
    ("button", "تأكيد", &[]),
    ("code_not_requested", "I didn't request a code", &[]),
    ("order", "2 × SKU-7 · 12500 IQD\n1 × SKU-9 · 4.5 USD\nبدون بصل", &[]),
    ("unsupported", "[poll_creation]", &[]),
    ("unknown", "[unknown]", &[]),
    ("ephemeral", "[ephemeral]", &[]),
    ("from_advertisement", "Is it still available?", &[]),
    ("about_a_product", "متوفر باللون الأسود؟", &[]),
    ("forwarded_video", "شاهد", &["video"]),
    ("forwarded", "A joke", &[]),
];
/// What is done to earlier messages and to the person, and what is of no use.
const WHATSAPP_ELSE: [&str; 13] = [
    "reaction",
    "reaction_removed",
    "edit",
    "revoke",
    "marketing_stopped",
    "marketing_resumed",
    "user_id_changed",
    "number_changed",
    "identity_changed",
    "request_welcome",
    "in_a_group",
    // After those that are about the last message: nobody keeps these, and what is about one of them would
    // wait for it.
    "call_permission_reply",
    "unsupported_edit",
];

const MESSENGER: [Said; 16] = [
    ("text", "مرحبا، هل الطلب جاهز؟", &[]),
    ("reply", "نعم", &[]),
    ("image", "", &["image"]),
    ("images", "These two", &["image", "image"]),
    ("video", "", &["video"]),
    ("audio", "", &["audio"]),
    ("file", "", &["file"]),
    ("sticker", "", &["sticker"]),
    ("location", "Sara's location\n33.3152, 44.3661", &[]),
    ("fallback", "https://shop.example/p/7\nProduct 7", &[]),
    ("reel", "A reel\nhttps://lookaside.example/reel", &[]),
    ("post", "A post\nhttps://lookaside.example/post", &[]),
    ("template", "[template]", &[]),
    ("appointment_booking", "[appointment_booking]", &[]),
    ("from_advertisement", "Is it still available?", &[]),
    ("quick_reply", "Yes", &[]),
];
const MESSENGER_ELSE: [&str; 16] = [
    "reaction",
    "reaction_removed",
    "edit",
    "postback",
    "read",
    "delivery",
    "referral",
    "optin",
    "optin_stopped",
    "account_linking",
    "policy_enforcement",
    "response_feedback",
    "pass_thread_control",
    "take_thread_control",
    "request_thread_control",
    "app_roles",
];

const INSTAGRAM: [Said; 18] = [
    ("text", "مرحبا، هل الطلب جاهز؟", &[]),
    ("reply", "نعم", &[]),
    ("story_reply", "Nice!", &[]),
    ("image", "", &["image"]),
    ("video", "", &["video"]),
    ("audio", "", &["audio"]),
    ("file", "", &["file"]),
    ("sticker", "", &["sticker"]),
    ("like_heart", "❤", &[]),
    ("share", "https://lookaside.example/post", &[]),
    ("post", "A post\nhttps://lookaside.example/post", &[]),
    ("reel", "A reel\nhttps://lookaside.example/reel", &[]),
    // Its picture lies on a host that is not the network's.
    ("story_mention", "[file]", &[]),
    ("ephemeral", "[ephemeral]", &[]),
    ("from_advertisement", "Is it still available?", &[]),
    ("about_a_product", "How much?", &[]),
    ("quick_reply", "Yes", &[]),
    ("unsupported", "[unsupported]", &[]),
];
const INSTAGRAM_ELSE: [&str; 7] =
    ["postback", "reaction", "reaction_removed", "edit", "unsend", "read", "referral"];

impl Shop {
    async fn does(&self, channel: &Channel, sample: &str) {
        let mut body = json!({ "channelId": channel.id, "sample": sample });
        for (field, value) in channel.person.as_object().unwrap() {
            body[field] = value.clone();
        }
        let posted = self.world.control(Method::POST, "inbound", &body).await;
        assert!(posted["webhook"].is_null() || posted["webhook"] == json!({ "status": 200 }), "{posted}");
    }

    /// Waits until everything that came is handled, without anything left over.
    async fn is_done(&self) {
        eventually("nothing left to do", async || {
            let left = self.rows.count("journal").await + self.rows.count("attachment_queue").await;
            (left == 0).then_some(())
        })
        .await;
        assert_eq!(self.rows.count("quarantine").await, 0);
    }

    /// Lists what is stored of the customer's signals to the network without a message.
    async fn signals(&self) -> Vec<String> {
        self.rows.texts("SELECT kind || ' ' || (signal - 'kind') FROM contact_signals ORDER BY kind").await
    }

    /// The customer's messages of the only conversation.
    async fn shown(&self) -> Vec<Value> {
        let conversations = self.api.get("/v1/conversations").await;
        assert_eq!(conversations.body["data"].as_array().unwrap().len(), 1, "{conversations:?}");
        let conversation = conversations.text("/data/0/id");
        let messages = self.api.get(&format!("/v1/conversations/{conversation}/messages")).await;
        messages.body["data"].as_array().unwrap().clone()
    }
}

fn words_and_files(messages: &[Value]) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let files = |message: &Value| {
        message["attachments"].as_array().unwrap().iter().map(|file| text(&file["kind"])).collect()
    };
    let mut all: Vec<_> =
        messages.iter().map(|message| (text(&message["content"]), files(message))).collect();
    all.sort();
    all
}

/// Checks that every kind is shown as it should be, and reported as it is shown.
async fn shows(channel: &Channel, said: &[Said], others: &[&str]) -> Shop {
    let shop = Shop::new().await;
    let samples = network_simulator::samples(channel.name);
    let named: BTreeSet<&str> = said.iter().map(|(name, ..)| *name).chain(others.iter().copied()).collect();
    assert_eq!(named, samples.keys().map(String::as_str).collect(), "every sample has its place");
    for (name, ..) in said {
        shop.does(channel, name).await;
    }
    shop.is_done().await;
    let shown = shop.shown().await;
    let mut wanted: Vec<(String, Vec<String>)> = said
        .iter()
        .map(|(_, words, files)| ((*words).to_owned(), files.iter().map(|kind| (*kind).to_owned()).collect()))
        .collect();
    wanted.sort();
    assert_eq!(words_and_files(&shown), wanted);
    let mut told = Vec::new();
    while told.len() < said.len() {
        told.push(shop.world.receiver.next_of("message.received").await.body["data"]["message"].clone());
    }
    assert_eq!(words_and_files(&told), wanted);
    for message in &told {
        let same = shown.iter().find(|shown| shown["id"] == message["id"]).unwrap();
        assert_eq!(message["context"], same["context"], "what it refers to");
        assert!(message.get("meta").is_none() && same.get("meta").is_none(), "no template made it: {same}");
    }

    for name in others {
        shop.does(channel, name).await;
    }
    shop.is_done().await;
    assert_eq!(shop.rows.count("contacts").await, 1);
    shop
}

/// What the only message with these words refers to.
fn refers<'a>(shown: &'a [Value], words: &str) -> &'a Value {
    let mut same = shown.iter().filter(|message| message["content"] == words);
    let found = same.next().unwrap();
    assert!(same.next().is_none(), "{words}");
    &found["context"]
}

fn is_one_of(id: &Value, shown: &[Value]) -> bool {
    id.is_string() && shown.iter().any(|message| message["id"] == *id)
}

#[tokio::test]
async fn every_kind_of_message_on_whatsapp_is_shown_done_or_passed_over() {
    let shop = shows(&whatsapp(), &WHATSAPP, &WHATSAPP_ELSE).await;
    let shown = shop.shown().await;
    assert_eq!(shown.len(), WHATSAPP.len(), "nothing else is a message");
    let marked: Vec<&Value> =
        shown.iter().filter(|message| message["context"]["editedAt"].is_string()).collect();
    let [last] = marked.as_slice() else { panic!("{marked:?}") };
    assert_eq!(last["content"], "مرحبا، متى يجهز الطلب؟");
    let context = &last["context"];
    assert!(context["deletedAt"].is_string() && context["forwarded"] == true, "{context}");
    let lacking = json!({ "unavailable": ["image"] });
    assert_eq!(refers(&shown, "[image]"), &lacking, "what the network could not hand over");
    let product = refers(&shown, "متوفر باللون الأسود؟");
    assert_eq!(product["product"], json!({ "id": "SKU-7", "catalogId": "194836987003835" }));
    assert!(is_one_of(&product["replyTo"], &shown), "{product}");
    assert_eq!(refers(&shown, "شاهد"), &json!({ "forwarded": true }));
    let advertised = json!({
        "source": "ad", "id": "120", "title": "Summer", "text": "Everything must go", "url": "https://fb.me/1",
        "clickId": "Aff",
    });
    assert_eq!(refers(&shown, "Is it still available?"), &json!({ "referral": advertised }));
    for (title, id) in [("تأكيد", "confirm:A-1042"), ("I didn't request a code", "DID_NOT_REQUEST_CODE")]
    {
        let tapped = refers(&shown, title);
        assert_eq!(tapped["reply"], json!({ "id": id, "title": title }));
        assert!(is_one_of(&tapped["replyTo"], &shown), "{tapped}");
    }
    let row = json!({ "id": "slot-2", "title": "Monday 10:00" });
    assert_eq!(refers(&shown, "Monday 10:00\nBranch Karrada")["reply"], row);
    assert_eq!(shop.signals().await, ["marketing {\"stopped\": false}"], "stopped, and then resumed");
    let people = shop.api.get("/v1/contacts").await;
    assert_eq!(people.text("/rows/0/phone"), "+9647709876543", "the changed number");
}

#[tokio::test]
async fn every_kind_of_message_on_messenger_is_shown_done_or_passed_over() {
    let shop = shows(&messenger(), &MESSENGER, &MESSENGER_ELSE).await;
    let shown = shop.shown().await;
    assert_eq!(shown.len(), MESSENGER.len() + 1, "a tapped button is one more");
    let start = json!({ "reply": { "id": "START", "title": "Get started" } });
    assert_eq!(refers(&shown, "Get started"), &start);
    let edited = refers(&shown, "متى يجهز الطلب؟");
    assert_eq!(
        edited["reply"],
        json!({ "id": "YES", "title": "Yes" }),
        "what was tapped before it was edited"
    );
    assert!(is_one_of(&refers(&shown, "نعم")["replyTo"], &shown));
    let opted = r#"opt_in {"title": "Our offers", "payload": "offers", "stopped": true}"#;
    let led = r#"referral {"referral": {"ref": "summer", "source": "shortlink"}}"#;
    assert_eq!(shop.signals().await, [opted, led]);
    let advertised = json!({ "source": "ads", "id": "120", "title": "Summer", "ref": "summer" });
    assert_eq!(refers(&shown, "Is it still available?"), &json!({ "referral": advertised }));
    assert!(shown.iter().any(|message| message["context"]["editedAt"].is_string()));
}

#[tokio::test]
async fn every_kind_of_message_on_instagram_is_shown_done_or_passed_over() {
    let shop = shows(&instagram(), &INSTAGRAM, &INSTAGRAM_ELSE).await;
    let shown = shop.shown().await;
    assert_eq!(shown.len(), INSTAGRAM.len() + 1, "a tapped button is one more");
    assert_eq!(refers(&shown, "Opening hours")["reply"], json!({ "id": "HOURS", "title": "Opening hours" }));
    assert_eq!(refers(&shown, "[file]"), &json!({ "unavailable": ["file"] }));
    assert_eq!(refers(&shown, "Nice!"), &json!({ "story": { "url": "https://lookaside.example/story" } }));
    assert_eq!(refers(&shown, "How much?"), &json!({ "product": { "id": "194836987003835" } }));
    assert!(shown.iter().any(|message| message["context"]["deletedAt"].is_string()));
}
