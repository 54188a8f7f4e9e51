//! The assistant, with a stand-in for its model.

mod commands;
mod hand_over;
mod keys;
mod knowledge;
pub(crate) mod orders;
mod pages;
mod rehearsals;
mod rules;
mod waiting;

use model_simulator::{Config, Fault, ModelSimulator};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    support::{Rows, Service, eventually},
    systems::counter::{CUSTOMER, Counter},
};

/// The sender of the shop's ordinary number.
const NUMBER: &str = "106540352242922";

/// A shop whose customers an assistant answers.
pub(crate) struct Chat {
    pub(crate) counter: Counter,
    pub(crate) model: ModelSimulator,
    pub(crate) rows: Rows,
}

impl Chat {
    pub(crate) async fn new(settings: &Value) -> Self {
        let mut counter = Counter::new().await;
        let model = ModelSimulator::start(Config::default()).await.unwrap();
        counter.world.service.kill();
        start(&mut counter, &model).await;
        let set = counter.owner.put("/assistant", settings).await;
        assert_eq!(set.status, 200, "{set:?}");
        let rows = counter.rows().await;
        Self { counter, model, rows }
    }

    pub(crate) async fn writes(&self, text: &str) {
        let message = json!({ "type": "text", "text": { "body": text } });
        let body = json!({ "channelId": NUMBER, "from": CUSTOMER, "name": "سارة", "message": message });
        let written = self.counter.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
        self.counter.world.receiver.next_of("message.received").await;
    }

    /// Makes turns due at once, since nobody waits here for a customer to stop writing.
    async fn hurry(&self) {
        self.rows.change("UPDATE assistant_turns SET due_at = now() WHERE due_at IS NOT NULL").await;
    }

    /// Returns the newest turn, once `number` turns have ended.
    pub(crate) async fn turn(&self, number: usize) -> Value {
        self.hurry().await;
        eventually("the turn has ended", async || {
            let listed = self.counter.owner.get("/assistant/turns").await;
            let rows = listed.body["rows"].as_array().unwrap();
            (rows.len() == number).then(|| rows[0].clone())
        })
        .await
    }

    /// The texts that the network was given, but for the service's own that tells of a hand-over.
    pub(crate) async fn said(&self) -> Vec<String> {
        let mut said = self.told().await;
        said.retain(|text| {
            !text.starts_with("حوّلنا محادثتك") && !text.starts_with("We have passed your chat")
        });
        said
    }

    /// The texts that the network was given.
    pub(crate) async fn told(&self) -> Vec<String> {
        let seen = self.counter.world.control(Method::GET, "messages", &json!({})).await;
        let texts = seen["data"].as_array().unwrap().iter();
        let text = |message: &Value| {
            let body = &message["body"];
            let text = body["text"]["body"].as_str().or_else(|| body["image"]["caption"].as_str());
            text.map(str::to_owned)
        };
        texts.filter_map(text).collect()
    }
}

/// Starts the service anew, with the model.
async fn start(counter: &mut Counter, model: &ModelSimulator) {
    start_with(counter, model, &[]).await;
}

/// Starts the service with more settings.
pub(crate) async fn start_with(counter: &mut Counter, model: &ModelSimulator, more: &[(&str, &str)]) {
    let base_url = model.base_url();
    let settings = [("MESSAGING_MODEL_URL", &*base_url), ("MESSAGING_MODEL_NAME", "stand-in")];
    let settings = [&settings[..], more].concat();
    counter.world.service = Service::start_with(&counter.world.secrets, &settings).await;
    counter.world.simulator.set_webhook_url(Some(counter.world.service.network_webhook())).unwrap();
    counter.owner.moved_to(counter.world.service.base_url());
}

pub(crate) fn on() -> Value {
    let facts = json!([{ "title": "التوصيل", "text": "داخل بغداد خلال يومين" }]);
    json!({ "mode": "on", "facts": facts, "introducesItself": false })
}

#[tokio::test]
async fn the_first_answer_says_that_an_assistant_answers() {
    let mut settings = on();
    settings["introducesItself"] = json!(true);
    settings["name"] = json!("سارة");
    let chat = Chat::new(&settings).await;
    for number in 1..=2 {
        chat.writes("شكد سعر حفاضات بامبرز؟").await;
        let turn = chat.turn(number).await;
        assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    }
    let said = chat.said().await;
    let says_so: Vec<_> = said.iter().map(|text| text.contains("آلي") && text.contains("سارة")).collect();
    assert_eq!(says_so, [true, false], "{said:?}");
}

#[tokio::test]
async fn a_customer_is_told_what_the_shop_says_of_a_product_by_the_assistant() {
    let chat = Chat::new(&on()).await;
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("answered"), &Value::Null), "{turn}");
    assert_eq!(turn["tools"], json!(["searchProducts"]));
    assert_eq!(
        (&turn["acts"], &turn["words"]),
        (&json!(["quote", "how_to_order"]), &json!("code")),
        "{turn}"
    );
    let said = chat.said().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("14,500 دينار"), "{said:?}");
    let event = chat.counter.world.receiver.next_of("message.sent").await;
    let message = &event.body["data"]["message"];
    assert_eq!((&message["role"], &message["senderId"]), (&json!("assistant"), &Value::Null));
    let shown = format!("[image]\n{}", said[0]);
    assert_eq!(message["content"], json!(shown));
    let usage = chat.counter.owner.get("/assistant/usage").await;
    assert_eq!((&usage.body["rows"][0]["turns"], &usage.body["rows"][0]["answered"]), (&json!(1), &json!(1)));
    assert!(usage.body["rows"][0]["readTokens"].as_u64().unwrap() > 0, "{usage:?}");
    // What is in the model's sight holds no number and no id of the conversation.
    let asked = serde_json::to_string(&chat.model.requests()).unwrap();
    let conversation = turn["conversationId"].as_str().unwrap();
    assert!(!asked.contains("7701234567") && !asked.contains(conversation), "{asked}");
    // The answer is the conversation's, with what the network says of it, and nobody waits any more.
    let path = format!("/conversations/{conversation}/messages");
    let listed = chat.counter.owner.get(&path).await;
    let messages = listed.body["data"].as_array().unwrap();
    let answer = messages.iter().find(|message| message["content"] == json!(shown)).unwrap();
    assert!(answer["delivery"].is_object(), "{answer}");
    assert_eq!(chat.rows.count("assistant_turns WHERE due_at IS NOT NULL").await, 0);
    // The product was named for the first time, so that its photo went with it, above the text.
    let seen = chat.counter.world.control(Method::GET, "messages", &json!({})).await;
    let sent = seen["data"].as_array().unwrap();
    let photo = sent.last().and_then(|message| message["body"]["image"]["link"].as_str());
    assert!(photo.is_some_and(|link| link.starts_with("https://")), "{sent:?}");
    assert_eq!((sent.len(), chat.rows.count("messages WHERE role = 'assistant'").await), (1, 1));
}

#[tokio::test]
async fn whoever_asks_for_a_person_gets_the_owners_group_and_the_model_is_not_asked() {
    let chat = Chat::new(&on()).await;
    let group = chat.counter.owner.post("/groups", &json!({ "name": "Sales" })).await;
    let mut settings = on();
    settings["groupId"] = group.body["id"].clone();
    assert_eq!(chat.counter.owner.put("/assistant", &settings).await.status, 200);
    chat.writes("اريد احجي ويه موظف").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("customer_asked")));
    let event = chat.counter.world.receiver.next_of("conversation.assigned").await;
    assert_eq!(event.text("/data/reason"), "ai_escalation: customer_asked");
    assert_eq!(event.text("/data/conversation/status"), "open");
    assert_eq!(event.text("/data/conversation/group/name"), "Sales");
    assert_eq!((chat.model.requests().len(), chat.said().await.len()), (0, 0));
    // It is the team's now.
    chat.writes("هلو؟").await;
    assert_eq!(chat.rows.count("assistant_turns WHERE due_at IS NOT NULL").await, 0);
}

#[tokio::test]
async fn what_the_model_does_wrong_is_said_to_nobody_and_a_person_is_asked_for() {
    for (fault, reason) in [
        (Fault::UnknownIds, "needs_person"),
        (Fault::CutActs, "needs_person"),
        (Fault::ProseOnly, "unsafe_answer"),
        (Fault::EndlessTools, "turn_exhausted"),
        (Fault::ServerError, "model_unavailable"),
        (Fault::RateLimited, "model_unavailable"),
        (Fault::CutAnswer, "model_unavailable"),
    ] {
        let chat = Chat::new(&on()).await;
        chat.model.switch_on(&[fault]);
        chat.writes("شكد سعر حفاضات بامبرز؟").await;
        let turn = chat.turn(1).await;
        assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!(reason)), "{fault:?}");
        assert_eq!(chat.said().await, Vec::<String>::new(), "{fault:?}");
        let event = chat.counter.world.receiver.next_of("conversation.assigned").await;
        assert_eq!(event.text("/data/reason"), format!("ai_escalation: {reason}"));
    }
    // What is wrong in words beside acts costs no answer: code's words go out.
    for fault in [
        Fault::InventedPrice,
        Fault::FalsePromise,
        Fault::WrongLanguage,
        Fault::OtherTongue,
        Fault::SwappedPrices,
    ] {
        let chat = Chat::new(&on()).await;
        chat.model.switch_on(&[fault]);
        chat.writes("شكد سعر حفاضات بامبرز؟").await;
        let turn = chat.turn(1).await;
        assert_eq!((&turn["outcome"], &turn["words"]), (&json!("answered"), &json!("code")), "{fault:?}");
        let said = chat.said().await.concat();
        assert!(said.contains("14,500 دينار") && !said.contains("7777"), "{fault:?} {said}");
    }
    for fault in [Fault::EmptyArguments, Fault::BrokenArguments, Fault::UnknownTool] {
        // It is told what was wrong, and goes on by itself.
        let chat = Chat::new(&on()).await;
        chat.model.switch_on(&[fault]);
        chat.writes("شكد سعر حفاضات بامبرز؟").await;
        let turn = chat.turn(1).await;
        assert!([json!([]), json!(["handOver"])].contains(&turn["tools"]), "{fault:?} {turn}");
        assert!(chat.model.requests().len() >= 2, "{fault:?}");
    }
}

#[tokio::test]
async fn a_turn_that_was_killed_is_taken_by_the_next_and_answers_once() {
    let mut chat = Chat::new(&on()).await;
    chat.model.switch_on(&[Fault::Hanging]);
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.hurry().await;
    eventually("the model is asked", async || (!chat.model.requests().is_empty()).then_some(())).await;
    chat.counter.world.service.kill();
    chat.model.switch_on(&[]);
    start(&mut chat.counter, &chat.model).await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    assert_eq!(chat.said().await.len(), 1);
}

#[tokio::test]
async fn a_customer_who_was_left_waiting_is_handed_over() {
    let chat = Chat::new(&on()).await;
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let waited = "UPDATE assistant_turns SET waiting_since = now() - interval '2 minutes'";
    chat.rows.change(waited).await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("unanswered")));
}

#[tokio::test]
async fn what_nobody_has_answered_is_answered_once_the_team_gives_the_conversation_back() {
    let chat = Chat::new(&on()).await;
    chat.model.switch_on(&[Fault::ServerError]);
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["reason"], json!("model_unavailable"), "{turn}");
    chat.model.switch_on(&[]);
    let path = format!("/conversations/{}/moves", turn["conversationId"].as_str().unwrap());
    let given_back = chat.counter.owner.post(&path, &json!({ "do": "return" })).await;
    assert_eq!(given_back.status, 200, "{given_back:?}");
    let turn = chat.turn(2).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    let said = chat.said().await;
    assert!(said.len() == 1 && said[0].contains("14,500"), "{said:?}");
}

#[tokio::test]
async fn after_a_person_has_written_the_assistant_is_silent() {
    let chat = Chat::new(&on()).await;
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let turn = chat.turn(1).await;
    let path = format!("/conversations/{}/messages", turn["conversationId"].as_str().unwrap());
    let replied = chat.counter.owner.post(&path, &json!({ "text": "هلا، شنو تحتاج؟" })).await;
    assert_eq!(replied.status, 201, "{replied:?}");
    chat.writes("متوفر؟").await;
    chat.hurry().await;
    eventually("it is put off", async || {
        let later =
            "assistant_turns WHERE due_at > now() + interval '30 seconds' AND person_spoke_at IS NOT NULL";
        (chat.rows.count(later).await == 1).then_some(())
    })
    .await;
    assert_eq!(chat.said().await.len(), 2, "the assistant's first answer and the person's");
}

#[tokio::test]
async fn an_assistant_that_is_off_or_tried_by_others_answers_nobody() {
    let chat = Chat::new(&json!({ "mode": "off" })).await;
    // Whoever looks at the list is told whether somebody of the team has to answer.
    let answers =
        async || chat.counter.owner.get("/conversations").await.body["rows"][0]["assistantAnswers"].clone();
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    assert_eq!((chat.rows.count("assistant_turns").await, answers().await), (0, json!(false)));
    let test = json!({ "mode": "test", "testNumbers": ["0770 999 9999"] });
    let set = chat.counter.owner.put("/assistant", &test).await;
    assert_eq!((set.status, &set.body["testNumbers"]), (200, &json!(["+9647709999999"])), "{set:?}");
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.hurry().await;
    eventually("it is dropped", async || {
        (chat.rows.count("assistant_turns WHERE due_at IS NOT NULL").await == 0).then_some(())
    })
    .await;
    assert_eq!((chat.model.requests().len(), chat.said().await.len()), (0, 0));
    assert_eq!(answers().await, json!(false), "others try it");
    assert_eq!(chat.counter.owner.put("/assistant", &on()).await.status, 200);
    assert_eq!(answers().await, json!(true));
}

#[tokio::test]
async fn an_owner_sets_and_tries_it_and_what_cannot_be_is_refused_by_its_field() {
    let chat = Chat::new(&on()).await;
    let shown = chat.counter.owner.get("/assistant").await;
    assert_eq!((shown.text("/mode"), shown.text("/model")), ("on", "stand-in"));
    for (body, field) in [
        (json!({ "mode": "maybe" }), "mode"),
        (json!({ "mode": "on", "tools": ["dropTables"] }), "tools"),
        (json!({ "mode": "on", "languages": [] }), "languages"),
        (json!({ "mode": "on", "languages": ["fr"] }), "languages"),
        (json!({ "mode": "test" }), "testNumbers"),
        (json!({ "mode": "test", "testNumbers": ["12"] }), "testNumbers"),
        (json!({ "mode": "test", "testNumbers": ["+5215512345678"] }), "testNumbers"),
        (json!({ "mode": "on", "dailyTokens": 0 }), "dailyTokens"),
        (json!({ "mode": "on", "dailyTokens": -1 }), "dailyTokens"),
        (json!({ "mode": "on", "dailyBudget": "2,5" }), "dailyBudget"),
        // The stand-in has no price here.
        (json!({ "mode": "on", "dailyBudget": "2.50" }), "dailyBudget"),
        (json!({ "mode": "on", "handOver": { "minutes": 0 } }), "handOver.minutes"),
        (json!({ "mode": "on", "systemPrompt": "x" }), "systemPrompt"),
        (json!({ "mode": "on", "handOver": { "ar": "ا".repeat(401) } }), "handOver.ar"),
        (json!({ "mode": "on", "handOver": { "fr": "x" } }), "fr"),
        (json!({ "mode": "on", "instructions": "ا".repeat(4_001) }), "instructions"),
        (json!({ "mode": "on", "name": "ا".repeat(61) }), "name"),
        (json!({ "mode": "on", "facts": vec![json!({ "title": "x", "text": "y" }); 31] }), "facts"),
        (json!({ "mode": "on", "facts": [{ "title": " ", "text": "x" }] }), "fact"),
        (json!({ "mode": "on", "facts": [{ "title": "x", "text": "y", "fr": "z" }] }), "fr"),
        (json!({ "mode": "on", "register": "slang" }), "register"),
        (json!({ "mode": "on", "wordings": { "ar": "[greet]\nاتصلوا 0770" } }), "`wordings.ar`: line 2: "),
        (json!({ "mode": "on", "wordings": { "en": "[not_a_person]\nYes, I am" } }), "own words"),
        (json!({ "mode": "on", "groupId": "0199b9f0-0000-7000-8000-000000000001" }), "groupId"),
    ] {
        let answer = chat.counter.owner.put("/assistant", &body).await;
        assert_eq!(answer.status, 400, "{body} {answer:?}");
        assert!(answer.body.to_string().contains(field), "{body} {answer:?}");
    }
    let said = json!({ "messages": [{ "role": "customer", "text": "شكد سعر حفاضات بامبرز؟" }] });
    let tried = chat.counter.owner.post("/assistant/try", &said).await;
    assert_eq!((tried.status, &tried.body["handOver"]), (200, &Value::Null), "{tried:?}");
    assert!(tried.body.to_string().contains("14,500 دينار"), "{tried:?}");
    assert_eq!(tried.text("/steps/0/tool"), "searchProducts");
    chat.model.switch_on(&[Fault::ProseOnly]);
    let tried = chat.counter.owner.post("/assistant/try", &said).await;
    assert_eq!(tried.text("/handOver"), "unsafe_answer");
    let steps = tried.body["steps"].as_array().unwrap();
    let refused: Vec<&Value> = steps.iter().filter(|step| step["kind"] == "refused").collect();
    assert_eq!(refused.len(), 2, "{tried:?}");
    assert!(refused[0]["why"].as_str().is_some_and(|why| why.contains("`answer`")), "{tried:?}");
    // Acts are worded by the owner's register and wordings, and no model is asked.
    let before = chat.model.requests().len();
    let evidence = json!({ "products": [{ "id": 12, "title": "حليب نيدو", "price": 15000 }] });
    let acts =
        json!([{ "act": "quote", "product": 12, "parts": ["price"] }, { "act": "cite", "fact": "f1" }]);
    for language in ["ar", "en"] {
        let asked = json!({ "acts": acts, "evidence": evidence, "language": language });
        let said = chat.counter.owner.post("/assistant/try", &asked).await;
        assert_eq!((said.status, said.text("/words")), (200, "code"), "{said:?}");
        assert_eq!(said.text("/messages/0/kind"), "text");
        let text = said.text("/messages/0/text");
        assert!(text.contains("15,000") && text.contains("داخل بغداد خلال يومين"), "{text}");
    }
    assert_eq!(chat.model.requests().len(), before);
    for (body, why) in [
        (json!({ "acts": acts }), "`acts`: acts[0] (quote) product: "),
        (json!({ "acts": acts, "evidence": { "products": [{}] } }), "`evidence`: products[0]: "),
        (json!({ "acts": acts, "language": "fr" }), "`language` is one of"),
        (json!({ "evidence": {} }), "`acts` are missing"),
        (json!({ "acts": acts, "messages": [{ "role": "customer", "text": "x" }] }), "`messages` are not"),
    ] {
        let refused = chat.counter.owner.post("/assistant/try", &body).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.body.to_string().contains(why), "{why}: {refused:?}");
    }
    for body in [
        json!({ "messages": [] }),
        json!({ "messages": [{ "role": "assistant", "text": "هلا" }] }),
        json!({ "messages": [{ "role": "customer", "text": " " }] }),
    ] {
        assert_eq!(chat.counter.owner.post("/assistant/try", &body).await.status, 400, "{body}");
    }
    assert_eq!(chat.said().await, Vec::<String>::new());
    let neighbour = chat.counter.neighbour().await;
    assert_eq!(neighbour.get("/assistant").await.text("/mode"), "off");
    assert_eq!(neighbour.get("/assistant/turns").await.body["rows"], json!([]));
}
