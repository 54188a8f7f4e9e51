//! What customers see who wait: typing, that it takes a moment, words about a file that nobody here reads,
//! and one sentence more while they wait for a person.

use model_simulator::Fault;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Chat, NUMBER, on,
    orders::{act, answers},
    start, start_with,
};
use crate::{
    support::{Answer, Api, eventually},
    systems::counter::CUSTOMER,
};

impl Chat {
    /// Whether the customer's phone shows that the shop is typing.
    async fn types(&self) -> bool {
        let chat = format!("/phones/chat?channelId={NUMBER}&from={CUSTOMER}");
        let base = self.counter.world.secrets.graph_url.trim_end_matches('/');
        let shown = Answer::to(Api::new(base, "").request(Method::GET, &chat)).await;
        shown.body["typing"] == json!(true)
    }

    /// Has the customer do something that the network's stand-in knows by name.
    async fn does(&self, sample: &str) {
        let body = json!({ "channelId": NUMBER, "from": CUSTOMER, "name": "سارة", "sample": sample });
        self.counter.world.control(Method::POST, "inbound", &body).await;
    }

    async fn told_times(&self, times: usize) -> Vec<String> {
        eventually("the customer is told", async || {
            let told = self.told().await;
            (told.len() >= times).then_some(told)
        })
        .await
    }
}

#[tokio::test]
async fn who_waits_for_a_model_sees_typing_and_once_that_it_takes_a_moment_though_the_service_dies() {
    let mut chat = Chat::new(&on()).await;
    chat.model.switch_on(&[Fault::Hanging]);
    chat.writes("do you have milk?").await;
    chat.hurry().await;
    eventually("typing is shown", async || chat.types().await.then_some(())).await;
    // In the inbox the message stays unread.
    assert_eq!(chat.rows.count("unread_messages").await, 1);
    let told = chat.told_times(1).await;
    assert!(told[0].contains("moment"), "{told:?}");
    assert_eq!(
        chat.rows.count("conversations WHERE waiting_since IS NOT NULL").await,
        1,
        "it answers nothing"
    );

    chat.counter.world.service.kill();
    chat.model.switch_on(&[]);
    start(&mut chat.counter, &chat.model).await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    // Three products, each with its photo.
    let told = chat.told_times(4).await;
    assert_eq!(told.iter().filter(|told| told.contains("moment")).count(), 1, "{told:?}");
    assert!(!chat.types().await);
}

#[tokio::test]
async fn where_an_owner_wants_no_read_marks_no_typing_is_shown() {
    let chat = Chat::new(&on()).await;
    chat.rows.change("UPDATE workspaces SET marks_read = false").await;
    chat.model.switch_on(&[Fault::Hanging]);
    chat.writes("do you have milk?").await;
    chat.hurry().await;
    eventually("the model is asked", async || (!chat.model.requests().is_empty()).then_some(())).await;
    // Typing is asked for before the model is.
    assert!(!chat.types().await);
}

#[tokio::test]
async fn a_picture_is_acknowledged_and_handed_over() {
    let chat = Chat::new(&on()).await;
    chat.does("image").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("cannot_read")), "{turn}");
    let told = chat.told_times(1).await;
    assert!(
        told[0].starts_with("وصلتنا صورتك.") || told[0].starts_with("We have received your picture."),
        "{told:?}"
    );
    assert_eq!(chat.model.requests().len(), 0);
}

#[tokio::test]
async fn a_picture_goes_to_a_model_that_reads_some_and_is_no_yes_and_no_evidence() {
    let mut chat = Chat::new(&on()).await;
    start_with(&mut chat.counter, &chat.model, &[("MESSAGING_MODEL_PICTURES", "read")]).await;
    chat.does("image").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["acts"]), (&json!("answered"), &json!(["ask"])), "{turn}");
    let pictures = |request: &Value| {
        let parts = request["messages"].as_array().unwrap().iter().filter_map(|it| it["content"].as_array());
        let urls = parts.flatten().filter_map(|part| part["image_url"]["url"].as_str());
        urls.filter(|url| url.starts_with("data:image/png;base64,")).count()
    };
    let requests = chat.model.requests();
    assert_eq!(requests.iter().map(pictures).collect::<Vec<_>>(), [1]);
    // It is shown in the turn that answers it, and in no later one.
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let turn = chat.turn(2).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    let requests = chat.model.requests();
    assert!(requests.len() > 1 && requests.iter().skip(1).all(|request| pictures(request) == 0));
    // A server that has no eyes refuses the request, and the customer gets a person and the words for it.
    chat.model.switch_on(&[Fault::NoPictures]);
    chat.does("image").await;
    let turn = chat.turn(3).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("cannot_read")), "{turn}");
    let told = chat.told_times(3).await;
    assert!(told.iter().any(|text| text.starts_with("وصلتنا صورتك.")), "{told:?}");
}

#[tokio::test]
async fn who_writes_on_after_a_hand_over_is_told_one_sentence_more_and_none_after_a_person() {
    let chat = Chat::new(&on()).await;
    chat.writes("I want to speak to a human please").await;
    let turn = chat.turn(1).await;
    chat.told_times(1).await;
    let due = "assistant_turns WHERE waits_on_at IS NOT NULL";
    let looked_at = async || {
        eventually("nobody is due", async || (chat.rows.count(due).await == 0).then_some(())).await;
        eventually("nothing is left", async || {
            (chat.rows.count("prepared_replies").await == 0).then_some(())
        })
        .await;
        chat.told().await
    };
    chat.writes("hello?").await;
    assert_eq!(looked_at().await.len(), 1, "it is too early");
    chat.rows
        .change("UPDATE conversations SET handed_over_at = handed_over_at - interval '11 minutes'")
        .await;
    for text in ["anybody there?", "hello??"] {
        chat.writes(text).await;
        let told = looked_at().await;
        assert!(told.len() == 2 && told[1].contains("Sorry for the wait"), "{told:?}");
    }
    // They go on waiting, as the inbox and the sweepers see it.
    assert_eq!(chat.rows.count("conversations WHERE waiting_since IS NOT NULL AND status = 'open'").await, 1);
    let path = format!("/conversations/{}", turn["conversationId"].as_str().unwrap());
    // Handed over anew, they may be told again, but for a person who has written.
    let again =
        "UPDATE conversations SET more_message_id = NULL, handed_over_at = now() - interval '11 minutes'";
    chat.rows.change(again).await;
    let replied =
        chat.counter.owner.post(&format!("{path}/messages"), &json!({ "text": "Hello, Sara here" })).await;
    assert_eq!(replied.status, 201, "{replied:?}");
    chat.writes("thank you, so?").await;
    assert_eq!(looked_at().await.len(), 3, "the person's is the last");
}

#[tokio::test]
async fn outside_of_opening_hours_they_are_told_when_the_team_is_back() {
    let chat = Chat::new(&on()).await;
    let hours = json!({ "zone": "Asia/Baghdad", "week": {} });
    let opens_never = chat.counter.owner.put("/conversation-settings", &json!({ "hours": hours })).await;
    assert_eq!(opens_never.status, 200, "{opens_never:?}");
    chat.writes("I want to speak to a human please").await;
    chat.turn(1).await;
    chat.told_times(1).await;
    // A minute of each day but the days around now.
    let week = "UPDATE conversation_settings SET hours = jsonb_build_object('zone', 'UTC', 'week', jsonb_build_object(\
                trim(to_char(now() + interval '3 days', 'day')), '[[\"09:00\",\"10:00\"]]'::jsonb))";
    chat.rows.change(week).await;
    chat.writes("hello?").await;
    let told = chat.told_times(2).await;
    assert!(told[1].contains("We are closed now and back: "), "{told:?}");
}

#[tokio::test]
async fn whoever_wants_an_order_changed_gets_a_person_and_words_for_it() {
    let chat = Chat::new(&on()).await;
    // A model that leaves it at a courtesy.
    chat.model.play(vec![answers(&[act("thank")]), answers(&[act("thank")])]);
    chat.writes("اريد اغير عنوان طلبي، صار بالكرادة").await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("handed_over"), "{turn}");
    let told = chat.told_times(1).await;
    assert!(told[0].contains("أحد زملائنا"), "{told:?}");
    assert_eq!(chat.rows.count("drafts").await, 0, "no new order");
}

#[tokio::test]
async fn once_a_days_money_is_spent_customers_get_a_person_and_owners_see_what_it_cost() {
    let mut chat = Chat::new(&on()).await;
    chat.counter.world.service.kill();
    let price = [("MESSAGING_MODEL_PRICE", "0.15 0.60 USD 2026-11-01")];
    start_with(&mut chat.counter, &chat.model, &price).await;
    let with = |budget: &str| {
        let mut settings = on();
        settings["dailyBudget"] = json!(budget);
        settings
    };
    let set = chat.counter.owner.put("/assistant", &with("5.00")).await;
    assert_eq!((set.status, set.text("/currency"), set.text("/dailyBudget")), (200, "USD", "5"), "{set:?}");
    chat.writes("do you have milk?").await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    // To the last place: a token read is 15 hundred-millionths of a dollar, one written 60.
    let day = chat.counter.owner.get("/assistant/usage").await.body["rows"][0].clone();
    let tokens = |name: &str| day[name].as_u64().unwrap();
    let millionths_of_cents = tokens("readTokens") * 15 + tokens("writtenTokens") * 60;
    let cost = format!("0.{millionths_of_cents:08}");
    assert_eq!(day["cost"], json!(cost.trim_end_matches('0')), "{day}");
    let shown = chat.counter.owner.get("/assistant").await;
    assert_eq!(shown.body["costToday"], day["cost"]);

    let asked = chat.model.requests().len();
    assert_eq!(chat.counter.owner.put("/assistant", &with("0.0001")).await.status, 200);
    chat.writes("and eggs?").await;
    let turn = chat.turn(2).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("cap_reached")), "{turn}");
    assert_eq!(chat.model.requests().len(), asked);
}
