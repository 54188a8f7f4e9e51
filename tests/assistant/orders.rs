//! What the assistant asks customers to confirm, and what comes of it. The model's answers are played as they
//! stand.

use domain::clock::Clock as _;
use model_simulator::{Script, ScriptedCall};
use reference_shop::Fault;
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;

use super::{Chat, NUMBER, on};
use crate::{
    support::{Answer, Api, eventually},
    systems::counter::CUSTOMER,
};

const WISH: &str = "اريد 2 حفاضات بامبرز قياس 3، شارع 14 الكرادة بغداد";

/// Two packs of the size 3 of a product, at 14500 each.
pub(crate) fn order() -> Value {
    json!({
        "lines": [{ "productId": "1001", "variantId": "1001-3", "quantity": 2 }],
        "address": { "line1": "شارع 14", "city": "الكرادة", "province": "بغداد" },
    })
}

pub(crate) fn calls(name: &str, arguments: &Value) -> Script {
    let call = ScriptedCall { name: name.to_owned(), arguments: arguments.clone() };
    Script { calls: vec![call], ..Script::default() }
}

pub(crate) fn words(text: &str) -> Script {
    Script { text: text.to_owned(), ..Script::default() }
}

/// An answer by acts, which code words.
pub(crate) fn answers(acts: &[Value]) -> Script {
    Script { acts: acts.to_vec(), ..Script::default() }
}

pub(crate) fn act(name: &str) -> Value {
    json!({ "act": name })
}

pub(crate) fn ask(what: &str) -> Value {
    json!({ "act": "ask", "what": what })
}

impl Chat {
    /// The newest of what the network was given with buttons: its text, and the ids of the buttons.
    pub(crate) async fn summary(&self) -> (String, Vec<String>) {
        let seen = self.counter.world.control(Method::GET, "messages", &json!({})).await;
        let sent = seen["data"].as_array().unwrap();
        let summary = sent.iter().rev().find(|it| it["body"]["type"] == "interactive").expect("a summary");
        let interactive = &summary["body"]["interactive"];
        let buttons = interactive["action"]["buttons"].as_array().unwrap();
        let ids = buttons.iter().map(|button| button["reply"]["id"].as_str().unwrap().to_owned());
        (interactive["body"]["text"].as_str().unwrap().to_owned(), ids.collect())
    }

    pub(crate) async fn taps(&self, button: &str) {
        let reply = json!({ "type": "button_reply", "button_reply": { "id": button, "title": "أؤكد" } });
        let message = json!({ "type": "interactive", "interactive": reply });
        let body = json!({ "channelId": NUMBER, "from": CUSTOMER, "message": message });
        let written = self.counter.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
    }

    /// Has the shop send an order off. The shop has opened with orders of its own.
    pub(crate) async fn ships(&self, order: u64) {
        let control = Api::new(&self.counter.shop.control_url(), "");
        let shipped = control.request(Method::PUT, &format!("/orders/{order}"));
        assert_eq!(Answer::to(shipped.json(&json!({ "status": "shipped" }))).await.status, 200);
    }

    fn placed(&self) -> Vec<Value> {
        self.counter.shop.orders().into_iter().filter(|order| !order["request"].is_null()).collect()
    }

    /// The newest draft of the turn's conversation, once its commitment has ended.
    pub(crate) async fn settled(&self, turn: &Value) -> Value {
        let path = format!("/conversations/{}/drafts", turn["conversationId"].as_str().unwrap());
        eventually("the commitment has ended", async || {
            let soon =
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds';
                UPDATE commitments SET due_at = now() WHERE due_at < now() + interval '1 minute'";
            self.rows.change(soon).await;
            let listed = self.counter.owner.get(&path).await;
            let draft = &listed.body["rows"][0];
            (!draft["commitment"]["settledAt"].is_null()).then(|| draft.clone())
        })
        .await
    }
}

#[tokio::test]
async fn a_customer_orders_in_a_chat_and_confirms_what_code_has_summed_up() {
    let chat = Chat::new(&on()).await;
    chat.model.play(vec![calls("placeOrder", &order())]);
    chat.writes(WISH).await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["tools"]), (&json!("proposed"), &json!(["placeOrder"])), "{turn}");
    let (summary, buttons) = chat.summary().await;
    for part in ["قياس 3", "قطعتان × 14,500 = 29,000 د.ع", "سارة", CUSTOMER, "الكرادة"]
    {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    assert_eq!(chat.placed(), Vec::<Value>::new(), "nothing is ordered before they say so");
    let event = chat.counter.world.receiver.next_of("message.sent").await;
    assert_eq!(event.text("/data/message/role"), "assistant");

    chat.taps(&buttons[0]).await;
    let event = chat.counter.world.receiver.next_of("order.placed").await;
    assert_eq!(event.body["data"]["order"]["total"].as_f64(), Some(29_000.0));
    let draft = chat.settled(&turn).await;
    assert_eq!((&draft["memberId"], &draft["commitment"]["state"]), (&Value::Null, &json!("done")));
    assert_eq!(chat.placed().len(), 1);
    // The tap was an answer to the summary: no model was asked about it, and nobody waits.
    assert_eq!((chat.model.requests().len(), chat.model.errors()), (1, vec![]));
    assert_eq!(chat.rows.count("assistant_turns WHERE due_at IS NOT NULL").await, 0);
    // The number in the summary is no model's to see.
    chat.model.play(vec![answers(&[act("you_are_welcome")])]);
    chat.writes("شكرا").await;
    chat.turn(2).await;
    assert!(!serde_json::to_string(&chat.model.requests()).unwrap().contains("7701234567"));
}

#[tokio::test]
async fn an_order_in_the_first_message_is_summed_up_by_who_says_that_it_is_an_assistant() {
    let mut settings = on();
    settings["introducesItself"] = json!(true);
    let chat = Chat::new(&settings).await;
    for number in 1..=2 {
        chat.model.play(vec![calls("placeOrder", &order())]);
        chat.writes(WISH).await;
        chat.turn(number).await;
        let (summary, _) = chat.summary().await;
        assert_eq!(summary.lines().next().unwrap().contains("آلي"), number == 1, "{summary}");
    }
}

#[tokio::test]
async fn a_second_yes_is_answered_by_the_receipt_and_asks_neither_the_model_nor_a_person() {
    let chat = Chat::new(&on()).await;
    chat.model.play(vec![calls("placeOrder", &order())]);
    chat.writes(WISH).await;
    let turn = chat.turn(1).await;
    let (_, buttons) = chat.summary().await;
    chat.writes("نعم").await;
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("done"));
    eventually("the receipt is there", async || {
        chat.said().await.iter().any(|text| text.contains("تم تسجيل طلبك")).then_some(())
    })
    .await;
    chat.taps(&buttons[0]).await;
    chat.counter.world.receiver.next_of("message.received").await;
    chat.hurry().await;
    eventually("nobody waits", async || {
        (chat.rows.count("assistant_turns WHERE due_at IS NOT NULL").await == 0).then_some(())
    })
    .await;
    assert_eq!((chat.model.requests().len(), chat.placed().len()), (1, 1));
    assert_eq!(chat.rows.count("conversations WHERE status <> 'bot'").await, 0);
    let said = chat.said().await;
    let again: Vec<_> = said.iter().filter(|text| text.starts_with("سبق أن أكّدت ذلك:")).collect();
    assert!(matches!(again.as_slice(), [text] if text.contains("تم تسجيل طلبك")), "{said:?}");
}

#[tokio::test]
async fn a_yes_that_quotes_what_nobody_knows_here_confirms_nothing() {
    let chat = Chat::new(&on()).await;
    chat.model.play(vec![calls("placeOrder", &order()), answers(&[ask("product")])]);
    chat.writes(WISH).await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("proposed"), "{turn}");
    let quoted = json!({ "from": NUMBER, "id": "wamid.OF-NOBODY" });
    let message = json!({ "type": "text", "text": { "body": "نعم" }, "context": quoted });
    let body = json!({ "channelId": NUMBER, "from": CUSTOMER, "message": message });
    let written = chat.counter.world.control(Method::POST, "inbound", &body).await;
    assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
    let event = chat.counter.world.receiver.next_of("message.received").await;
    assert_eq!(event.body["data"]["message"]["context"], json!({ "replyToUnknown": true }));
    let turn = chat.turn(2).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    let path = format!("/conversations/{}/drafts", turn["conversationId"].as_str().unwrap());
    let listed = chat.counter.owner.get(&path).await;
    assert_eq!(listed.body["rows"][0]["state"], json!("open"), "{listed:?}");
    assert_eq!(chat.placed(), Vec::<Value>::new());
}

#[tokio::test]
async fn while_it_is_tried_a_confirmation_goes_no_further_and_says_so() {
    let mut test = on();
    test["mode"] = json!("test");
    test["testNumbers"] = json!([CUSTOMER]);
    let chat = Chat::new(&test).await;
    chat.model.play(vec![calls("placeOrder", &order())]);
    chat.writes(WISH).await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("proposed"), "{turn}");
    chat.taps(&chat.summary().await.1[0]).await;
    let draft = chat.settled(&turn).await;
    assert_eq!((&draft["state"], &draft["commitment"]["state"]), (&json!("confirmed"), &json!("tested")));
    eventually("they are told", async || {
        chat.said().await.iter().any(|text| text.contains("تجربة")).then_some(())
    })
    .await;
    let asked = chat.counter.shop.requests();
    assert!(!asked.iter().any(|request| request["method"] == "POST"), "{asked:?}");
    assert_eq!(chat.rows.count("delivery_log WHERE event = 'order.placed'").await, 0);
    // Nobody is written down either.
    let lead = calls("captureLead", &json!({ "need": "عرض سعر" }));
    chat.model.play(vec![lead, answers(&[act("greet")])]);
    chat.writes("اريد عرض سعر للجملة").await;
    let turn = chat.turn(2).await;
    assert_eq!(turn["tools"], json!(["captureLead"]), "{turn}");
    assert_eq!(chat.rows.count("leads").await, 0);
}

#[tokio::test]
async fn what_was_proposed_in_a_try_is_no_order_once_the_assistant_is_on_and_nor_the_other_way_round() {
    let mut test = on();
    test["mode"] = json!("test");
    test["testNumbers"] = json!([CUSTOMER]);
    for (proposed, confirmed, ended, orders) in
        [(&test, &on(), "tested", 0), (&on(), &test, "tested", 0), (&on(), &on(), "done", 1)]
    {
        let chat = Chat::new(proposed).await;
        chat.model.play(vec![calls("placeOrder", &order())]);
        chat.writes(WISH).await;
        let turn = chat.turn(1).await;
        assert_eq!(turn["outcome"], json!("proposed"), "{turn}");
        assert_eq!(chat.counter.owner.put("/assistant", confirmed).await.status, 200);
        chat.taps(&chat.summary().await.1[0]).await;
        let draft = chat.settled(&turn).await;
        assert_eq!(draft["commitment"]["state"], json!(ended), "{proposed} {confirmed}");
        assert_eq!(chat.placed().len(), orders, "{proposed} {confirmed}");
    }
}

#[tokio::test]
async fn a_customers_own_order_is_cancelled_once_they_confirm_and_nobody_elses_is_found() {
    let chat = Chat::new(&on()).await;
    let cancel = |reference: &str| calls("cancelOrder", &json!({ "reference": reference }));
    chat.model.play(vec![cancel("5002"), answers(&[ask("order_number")])]);
    chat.writes("الغوا طلبي 5002").await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    let asked = chat.model.requests();
    let told =
        |asked: &[Value]| asked.last().unwrap()["messages"].as_array().unwrap().last().unwrap().clone();
    let foreign = told(&asked);
    chat.model.play(vec![cancel("9999"), answers(&[ask("order_number")])]);
    chat.writes("الغوا طلبي 9999").await;
    chat.turn(2).await;
    assert_eq!(told(&chat.model.requests())["content"], foreign["content"], "as if it did not exist");

    chat.model.play(vec![cancel("#5003")]);
    chat.writes("قصدي 5003").await;
    let turn = chat.turn(3).await;
    assert_eq!(turn["outcome"], json!("proposed"), "{turn}");
    chat.writes("أؤكد الإلغاء").await;
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("done"));
    let event = chat.counter.world.receiver.next_of("order.cancelled").await;
    assert_eq!(event.text("/data/order/number"), "5003");
}

#[tokio::test]
async fn a_free_time_is_booked_and_an_invented_one_is_not() {
    let chat = Chat::new(&on()).await;
    chat.model.play(vec![answers(&[act("greet")])]);
    chat.writes("مرحبا").await;
    let turn = chat.turn(1).await;
    let slots = chat.counter.about(turn["conversationId"].as_str().unwrap(), "slots").await;
    let slot = &slots.body["slots"][0];
    let book = |at: &Value| calls("bookAppointment", &json!({ "startsAt": at, "service": slot["service"] }));
    chat.model.play(vec![book(&json!("2031-01-01T03:17:00+03:00")), answers(&[ask("day")])]);
    chat.writes("احجزلي موعد").await;
    assert_eq!(chat.turn(2).await["outcome"], json!("answered"));
    chat.model.play(vec![book(&slot["startsAt"])]);
    chat.writes("اول موعد").await;
    assert_eq!(chat.turn(3).await["outcome"], json!("proposed"));
    chat.taps(&chat.summary().await.1[0]).await;
    let event = chat.counter.world.receiver.next_of("booking.requested").await;
    let told = &event.body["data"]["booking"];
    assert_eq!((&told["source"], &told["startsAt"]), (&json!("system"), &slot["startsAt"]));
}

#[tokio::test]
async fn the_free_times_that_a_try_tells_are_the_shops() {
    let chat = Chat::new(&on()).await;
    let now = SystemClock.now().replace_nanosecond(0).unwrap();
    let written =
        |at: time::OffsetDateTime| json!(at.format(&time::format_description::well_known::Rfc3339).unwrap());
    let span = json!({ "from": written(now), "to": written(now + time::Duration::days(7)) });
    chat.model.play(vec![calls("listAppointmentSlots", &span), answers(&[ask("service")])]);
    let said = json!({ "messages": [{ "role": "customer", "text": "شنو المواعيد الفارغة؟" }] });
    let tried = chat.counter.owner.post("/assistant/try", &said).await;
    assert_eq!((tried.status, tried.text("/steps/0/tool")), (200, "listAppointmentSlots"), "{tried:?}");
    let told = &tried.body["steps"][0]["result"];
    assert!(told["slots"].as_array().is_some_and(|slots| !slots.is_empty()), "{told}");
    assert_eq!(chat.counter.shop.appointments().len(), 0);
}

#[tokio::test]
async fn where_no_system_has_a_calendar_a_wish_is_written_down_once() {
    let chat = Chat::new(&on()).await;
    chat.counter.shop.switch_on(&[Fault::NoCapabilities]);
    assert_eq!(chat.counter.owner.post("/system/verify", &json!({})).await.status, 200);
    let wish = calls("requestBooking", &json!({ "service": "حلاقة", "preferredTime": "الخميس العصر" }));
    let noted = json!({ "act": "lead", "words": "موعد حلاقة الخميس العصر" });
    chat.model.play(vec![wish.clone(), wish, answers(&[noted])]);
    chat.writes("اريد موعد حلاقة الخميس العصر").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["refused"]), (&json!("answered"), &json!([])), "{turn}");
    let event = chat.counter.world.receiver.next_of("booking.requested").await;
    let wished =
        json!({ "name": "سارة", "phone": CUSTOMER, "service": "حلاقة", "preferredTime": "الخميس العصر" });
    assert_eq!(event.body["data"]["booking"], wished);
    assert_eq!(chat.rows.count("booking_requests").await, 1);
    // The tools of a calendar are not offered.
    let offered = chat.model.requests()[0]["tools"].to_string();
    assert!(offered.contains("requestBooking") && !offered.contains("Appointment"), "{offered}");
}

#[tokio::test]
async fn a_shop_that_refuses_what_was_confirmed_leaves_the_customer_to_the_team() {
    let chat = Chat::new(&on()).await;
    let cancel = |reference: &str| calls("cancelOrder", &json!({ "reference": reference }));
    // Of an order that has left, nothing is proposed: the customer is told how it stands.
    let look = calls("getOrderStatus", &json!({ "reference": "5001" }));
    let status = json!({ "act": "order_status", "order": "5001" });
    chat.model.play(vec![cancel("5001"), look, answers(&[status])]);
    chat.writes("الغوا طلبي 5001").await;
    let turn = chat.turn(1).await;
    assert_eq!((&turn["outcome"], &turn["refused"]), (&json!("answered"), &json!([])), "{turn}");
    assert_eq!(chat.rows.count("drafts").await, 0);
    chat.model.play(vec![cancel("5003")]);
    chat.writes("الغوا طلبي 5003").await;
    let turn = chat.turn(2).await;
    chat.ships(5003).await;
    chat.taps(&chat.summary().await.1[0]).await;
    // It has left meanwhile, and the shop says so when it is asked.
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("refused"));
    let event = chat.counter.world.receiver.next_of("conversation.assigned").await;
    assert_eq!(event.text("/data/reason"), "ai_escalation: not_carried_out");
    eventually("they are told", async || {
        chat.said().await.iter().any(|text| text.contains("لم يُلغَ")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn whoever_orders_again_while_the_shop_is_down_is_told_once_and_gets_one_order() {
    let chat = Chat::new(&on()).await;
    chat.model.play(vec![calls("placeOrder", &order())]);
    chat.writes(WISH).await;
    let turn = chat.turn(1).await;
    let down = json!([{ "name": "server_error", "route": "order_create" }]);
    chat.counter.shop.set_faults(&down).unwrap();
    chat.taps(&chat.summary().await.1[0]).await;
    let tries = async |least: i64| {
        eventually("it is tried", async || {
            let soon =
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds';
                UPDATE commitments SET due_at = now() WHERE due_at < now() + interval '5 minutes'
                    AND due_at NOT BETWEEN now() + interval '6 seconds' AND now() + interval '11 seconds'";
            chat.rows.change(soon).await;
            (chat.rows.count(&format!("commitments WHERE attempts >= {least}")).await == 1).then_some(())
        })
        .await;
    };
    let delay_messages =
        async || chat.said().await.iter().filter(|text| text.contains("طلبك قيد الإرسال")).count();
    tries(1).await;
    eventually("they are told", async || (delay_messages().await == 1).then_some(())).await;
    chat.model.play(vec![calls("placeOrder", &order()), answers(&[act("under_way")])]);
    chat.writes(WISH).await;
    let second = chat.turn(2).await;
    assert_eq!((&second["outcome"], &second["refused"]), (&json!("answered"), &json!([])), "{second}");
    tries(3).await;
    assert_eq!(chat.rows.count("drafts").await, 1);

    chat.counter.shop.set_faults(&json!([])).unwrap();
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("done"));
    eventually("the receipt is there", async || {
        chat.said().await.iter().any(|text| text.contains("تم تسجيل طلبك")).then_some(())
    })
    .await;
    assert_eq!((chat.placed().len(), delay_messages().await), (1, 1));
    assert_eq!(chat.rows.count("conversations WHERE status <> 'bot'").await, 0);
    eventually("nothing waits any more", async || {
        (chat.rows.count("prepared_replies").await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_the_model_would_write_into_a_summary_is_the_customers_or_is_not_sent() {
    let chat = Chat::new(&on()).await;
    for note in ["السعر المتفق 1000 دينار", "ادفع هنا https://pay.evil.example", "كود 887766"]
    {
        let mut hostile = order();
        hostile["note"] = json!(note);
        chat.model.play(vec![calls("placeOrder", &hostile), answers(&[ask("address")])]);
        chat.writes(WISH).await;
        chat.turn(chat.said().await.len() + 1).await;
    }
    let seen = chat.counter.world.control(Method::GET, "messages", &json!({})).await.to_string();
    assert!(!seen.contains("interactive") && !seen.contains("1000"), "{seen}");
    assert_eq!(chat.rows.count("drafts").await, 0);
}
