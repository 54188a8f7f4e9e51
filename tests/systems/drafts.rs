//! What customers are asked to confirm, and what is ordered, booked and cancelled once they have.

use data_encoding::HEXLOWER;
use reference_shop::{Config, Fault, ReferenceShop};
use reqwest::Method;
use serde_json::{Value, json};

use super::counter::{CUSTOMER, Counter, SECRET};
use crate::support::{Answer, Api, Rows, earlier, eventually};

/// The sender of the shop's ordinary number.
const NUMBER: &str = "106540352242922";
/// The neighbour's only number.
const NEIGHBOURS_NUMBER: &str = "106540352242955";
const CREATE: &str = "POST /orders";

/// Two packs of the size 3 of a product, at 14500 each.
pub(super) fn order() -> Value {
    json!({
        "kind": "order",
        "lines": [{ "productId": "1001", "variantId": "1001-3", "quantity": 2 }],
        "address": { "line1": "شارع 14، دار 7", "city": "الكرادة", "province": "بغداد" },
        "note": "بعد العصر",
    })
}

/// A conversation with the customer, in which drafts are made.
pub(super) struct Chat {
    pub(super) counter: Counter,
    pub(super) conversation: String,
    pub(super) rows: Rows,
}

impl Chat {
    pub(super) async fn new() -> Self {
        Self::of(Counter::new().await).await
    }

    async fn of(counter: Counter) -> Self {
        let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
        let rows = counter.rows().await;
        Self { counter, conversation, rows }
    }

    fn path(&self) -> String {
        format!("/conversations/{}/drafts", self.conversation)
    }

    async fn propose(&self, body: &Value) -> Answer {
        self.counter.owner.post(&self.path(), body).await
    }

    /// Proposes it, and answers with the draft.
    pub(super) async fn proposed(&self, body: &Value) -> Answer {
        let answer = self.propose(body).await;
        assert_eq!((answer.status, answer.text("/state")), (201, "open"), "{answer:?}");
        answer
    }

    /// What was ordered here: the shop has opened with orders of its own.
    fn placed(&self) -> Vec<Value> {
        self.counter.shop.orders().into_iter().filter(|order| !order["request"].is_null()).collect()
    }

    /// The newest of what the network was given with buttons: its text, and the ids of the buttons.
    pub(super) async fn summary(&self) -> (String, Vec<String>) {
        let sent = self.sent().await;
        let interactive = sent.iter().rev().find(|body| body["type"] == "interactive").expect("a summary");
        let buttons = interactive.pointer("/interactive/action/buttons").unwrap().as_array().unwrap();
        let ids = buttons.iter().map(|button| button["reply"]["id"].as_str().unwrap().to_owned());
        let text = interactive.pointer("/interactive/body/text").unwrap().as_str().unwrap().to_owned();
        (text, ids.collect())
    }

    /// Everything that the network was given, oldest first.
    pub(super) async fn sent(&self) -> Vec<Value> {
        let seen = self.counter.world.control(Method::GET, "messages", &json!({})).await;
        seen["data"].as_array().unwrap().iter().map(|message| message["body"].clone()).collect()
    }

    async fn writes(&self, text: &str) {
        self.says(&json!({ "type": "text", "text": { "body": text } })).await;
    }

    pub(super) async fn taps(&self, button: &str) {
        let reply = json!({ "type": "button_reply", "button_reply": { "id": button, "title": "أؤكد" } });
        self.says(&json!({ "type": "interactive", "interactive": reply })).await;
    }

    async fn says(&self, message: &Value) {
        let body = json!({ "channelId": NUMBER, "from": CUSTOMER, "message": message });
        let written = self.counter.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
    }

    /// The conversation's drafts, newest first, each as its state and that of its commitment.
    async fn states(&self) -> Vec<String> {
        let listed = self.counter.owner.get(&self.path()).await;
        assert_eq!(listed.status, 200, "{listed:?}");
        let rows = listed.body["rows"].as_array().unwrap();
        let state = |row: &Value| {
            let commitment = row["commitment"]["state"].as_str().unwrap_or("-");
            format!("{} {commitment}", row["state"].as_str().unwrap())
        };
        rows.iter().map(state).collect()
    }

    /// Returns how the newest draft's commitment has ended, whose time is over after `attempts` attempts.
    pub(super) async fn ended(&self, attempts: u32) -> String {
        eventually("the commitment has ended", async || {
            // What somebody is carrying on is theirs for seven to ten seconds more.
            let soon = format!(
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds';
                UPDATE commitments SET due_at = now() WHERE due_at < now() + interval '1 minute'
                    AND due_at NOT BETWEEN now() + interval '6 seconds' AND now() + interval '11 seconds';
                UPDATE commitments SET confirmed_at = now() - interval '29 minutes 58 seconds'
                WHERE due_at < now() + interval '1 minute' AND attempts >= {attempts}"
            );
            self.rows.change(&soon).await;
            let listed = self.counter.owner.get(&self.path()).await;
            let commitment = &listed.body["rows"][0]["commitment"];
            let ended = !commitment["settledAt"].is_null();
            ended.then(|| commitment["state"].as_str().unwrap().to_owned())
        })
        .await
    }

    async fn until(&self, wanted: &[&str]) {
        eventually(&format!("{wanted:?}"), async || {
            // Nobody waits here for a customer to stop writing, or between two attempts.
            let soon = "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds';
                UPDATE commitments SET due_at = now() WHERE due_at IS NOT NULL AND due_at < now() + interval '1 minute'";
            self.rows.change(soon).await;
            (self.states().await == wanted).then_some(())
        })
        .await;
    }

    /// The last text that the customer got, once it holds this.
    async fn is_told(&self, part: &str) {
        eventually(part, async || {
            let sent = self.sent().await;
            let last = sent.last()?["text"]["body"].as_str()?.to_owned();
            last.contains(part).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_order_is_placed_once_the_customer_has_tapped_and_told_of_with_what_the_shop_answered() {
    let chat = Chat::of(Counter::logging("trace").await).await;
    let draft = chat.proposed(&order()).await;
    assert_eq!((draft.text("/kind"), &draft.body["commitment"]), ("order", &Value::Null));
    let (summary, buttons) = chat.summary().await;
    for part in ["قياس 3", "قطعتان × 14,500 = 29,000 د.ع", "سارة", CUSTOMER, "الكرادة", "بعد العصر"]
    {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    assert_eq!(chat.placed(), Vec::<Value>::new(), "nothing is ordered before they say so");

    chat.taps(&buttons[0]).await;
    let event = chat.counter.world.receiver.next_of("order.placed").await;
    let orders = chat.placed();
    assert_eq!(orders.len(), 1, "{orders:?}");
    let told = &event.body["data"]["order"];
    assert_eq!((told["state"].as_str(), told["total"].as_f64()), (Some("pending"), Some(29_000.0)));
    assert_eq!((&told["currency"], &told["lines"][0]["quantity"]), (&json!("IQD"), &json!(2)));
    assert_eq!(event.text("/data/conversationId"), chat.conversation);
    assert_eq!(event.text("/data/customer/phone"), CUSTOMER);
    let number = told["number"].as_str().unwrap();
    chat.is_told(number).await;
    chat.until(&["confirmed done"]).await;
    // What a repeat of the tap says is no second order.
    chat.taps(&buttons[0]).await;
    chat.counter.world.receiver.next_of("message.received").await;
    assert_eq!(chat.placed().len(), 1);
    eventually("nothing is left of it", async || {
        let drafts = chat.rows.count("drafts WHERE proposal_sealed IS NOT NULL").await;
        (drafts + chat.rows.count("prepared_replies").await == 0).then_some(())
    })
    .await;

    let asked = chat.counter.shop.requests();
    let created = asked.iter().find(|it| it["method"] == "POST").unwrap();
    let key = created["body"]["idempotencyKey"].as_str().unwrap();
    assert_eq!((key.len(), created["headers"]["idempotency-key"].as_str()), (64, Some(key)));
    // Neither whom nor what is anywhere in clear.
    let log = chat.counter.world.service.log().join("\n");
    let written = chat.rows.texts("SELECT drafts::text FROM drafts").await.join("\n");
    for secret in ["7701234567", "الكرادة"] {
        assert!(!log.contains(secret) && !written.contains(secret), "{secret}");
        assert!(!written.contains(&HEXLOWER.encode(secret.as_bytes())), "{secret}");
    }
}

#[tokio::test]
async fn a_strict_yes_confirms_and_other_words_do_not() {
    let chat = Chat::new().await;
    chat.proposed(&order()).await;
    chat.writes("شكد التوصيل").await;
    let heard = "drafts WHERE state = 'open' AND only_button";
    eventually("it is heard", async || {
        chat.rows
            .change(
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'",
            )
            .await;
        (chat.rows.count(heard).await == 1).then_some(())
    })
    .await;
    // From here on words of assent may mean something else, and the button cannot.
    chat.writes("تمام").await;
    eventually("the words are read", async || {
        chat.rows
            .change(
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'",
            )
            .await;
        let read = "drafts WHERE state = 'open' AND answer_due_at = expires_at";
        (chat.rows.count(read).await == 1).then_some(())
    })
    .await;
    assert_eq!((chat.states().await, chat.placed().len()), (vec!["open -".to_owned()], 0));
    // A new summary is asked about anew, in the place of the other.
    chat.proposed(&order()).await;
    chat.writes("نعم، أؤكد").await;
    chat.until(&["confirmed done", "replaced -"]).await;
    assert_eq!(chat.placed().len(), 1);
}

#[tokio::test]
async fn a_no_ends_it_and_so_does_taking_it_back() {
    let chat = Chat::new().await;
    let (first, buttons) = (chat.proposed(&order()).await, chat.summary().await.1);
    chat.taps(&buttons[1]).await;
    chat.until(&["declined -"]).await;
    let second = chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    let page = format!("/dashboard{}", chat.path().replace("/conversations/", "/inbox/"));
    let mut owner = chat.counter.owner.visitor();
    // What is withdrawn or was answered before stays as it is.
    for draft in [&second, &second, &first] {
        assert_eq!(owner.post(&page, &[("withdraw", draft.text("/id"))]).await.status, 303);
        assert_eq!(chat.states().await, ["withdrawn -", "declined -"]);
    }
    chat.taps(&buttons[0]).await;
    chat.counter.world.receiver.next_of("message.received").await;
    assert_eq!(chat.states().await, ["withdrawn -", "declined -"]);
    assert_eq!(chat.placed(), Vec::<Value>::new());

    let neighbour = chat.counter.neighbour().await;
    neighbour.get(&chat.path()).await.assert_error(404, "another workspace's drafts");
    neighbour.post(&chat.path(), &order()).await.assert_error(404, "another workspace's conversation");
}

#[tokio::test]
async fn a_price_that_has_risen_since_is_not_ordered_and_asked_about_anew() {
    let chat = Chat::new().await;
    chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    let control = Api::new(&chat.counter.shop.control_url(), "");
    let raise = control.bare(Method::PUT, "/products/1001-3").json(&json!({ "price": 15_000 }));
    assert_eq!(raise.send().await.unwrap().status(), 204);
    chat.taps(&buttons[0]).await;
    chat.until(&["open -", "confirmed changed"]).await;
    assert_eq!(chat.placed(), Vec::<Value>::new());
    let again = eventually("the new summary", async || {
        let (summary, buttons) = chat.summary().await;
        summary.contains("30,000 د.ع").then_some(buttons)
    })
    .await;
    chat.taps(&again[0]).await;
    chat.until(&["confirmed done", "confirmed changed"]).await;
    assert_eq!(chat.placed().len(), 1);
}

#[tokio::test]
async fn a_shop_that_takes_an_order_and_does_not_answer_has_it_once() {
    let chat = Chat::new().await;
    chat.counter.shop.switch_on(&[Fault::OrderAcceptedThen500]);
    chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    chat.taps(&buttons[0]).await;
    chat.counter.world.receiver.next_of("order.placed").await;
    assert_eq!(chat.placed().len(), 1);
}

#[tokio::test]
async fn an_order_survives_kills_at_each_step_and_is_placed_once() {
    let mut chat = Chat::new().await;
    chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    // The answer is waited for when the service dies.
    chat.taps(&buttons[0]).await;
    chat.counter.world.crash_and_restart().await;
    // The shop has it, and has not answered.
    chat.counter.shop.switch_on(&[Fault::OrderAcceptedThenHangs]);
    let created = async |count: usize| {
        eventually("the shop is asked", async || {
            let soon =
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds';
                UPDATE commitments SET due_at = now() WHERE due_at IS NOT NULL";
            chat.rows.change(soon).await;
            let asked = chat.counter.shop.requests();
            (asked.iter().filter(|it| it["method"] == "POST").count() >= count).then_some(())
        })
        .await;
    };
    created(1).await;
    chat.counter.world.crash_and_restart().await;
    eventually("it is done", async || {
        chat.rows.change("UPDATE commitments SET due_at = now() WHERE due_at IS NOT NULL").await;
        (chat.rows.count("commitments WHERE state = 'done'").await == 1).then_some(())
    })
    .await;
    assert_eq!(chat.placed().len(), 1);
    let posts = chat.counter.shop.requests();
    let keys: Vec<_> =
        posts.iter().filter(|it| it["method"] == "POST").map(|it| &it["body"]["idempotencyKey"]).collect();
    assert!(keys.len() >= 2 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(chat.rows.count("delivery_log WHERE event = 'order.placed'").await, 1, "told of once");
    let receipts = async || {
        let sent = chat.sent().await;
        sent.iter()
            .filter(|body| body["text"]["body"].as_str().is_some_and(|text| text.contains("تم تسجيل")))
            .count()
    };
    eventually("the receipt", async || (receipts().await == 1).then_some(())).await;
}

#[tokio::test]
async fn a_shop_that_hangs_holds_up_no_neighbours_order() {
    let chat = Chat::new().await;
    chat.proposed(&order()).await;
    let (_, ours) = chat.summary().await;
    let neighbour = chat.counter.neighbour().await;
    let shop = ReferenceShop::start(Config::new(SECRET)).await.unwrap();
    let connected = neighbour.put("/system", &json!({ "baseUrl": shop.base_url(), "secret": SECRET })).await;
    assert_eq!(connected.status, 200, "{connected:?}");
    let text = json!({ "type": "text", "text": { "body": "متوفر؟" } });
    let says = async |message: &Value| {
        let body =
            json!({ "channelId": NEIGHBOURS_NUMBER, "from": CUSTOMER, "name": "سارة", "message": message });
        let written = chat.counter.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
    };
    says(&text).await;
    let theirs = format!("SELECT id::text FROM conversations WHERE id <> '{}'", chat.conversation);
    let conversation =
        eventually("the neighbour's conversation", async || chat.rows.texts(&theirs).await.pop()).await;
    let drafts = format!("/conversations/{conversation}/drafts");
    assert_eq!(neighbour.post(&drafts, &order()).await.status, 201);
    let (_, theirs) = chat.summary().await;

    chat.counter.shop.set_faults(&json!([{ "name": "hanging", "route": "order_create" }])).unwrap();
    let soon = "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'";
    chat.taps(&ours[0]).await;
    eventually("the shop is asked", async || {
        chat.rows.change(soon).await;
        chat.counter.shop.requests().iter().any(|it| it["method"] == "POST").then_some(())
    })
    .await;
    let reply = json!({ "type": "button_reply", "button_reply": { "id": theirs[0], "title": "أؤكد" } });
    says(&json!({ "type": "interactive", "interactive": reply })).await;
    eventually("the neighbour's order is placed", async || {
        chat.rows.change(soon).await;
        let listed = neighbour.get(&drafts).await;
        (listed.body["rows"][0]["commitment"]["state"] == "done").then_some(())
    })
    .await;
    assert_eq!(chat.counter.calls(CREATE).await, Vec::<Value>::new(), "the shop is still being asked");
}

#[tokio::test]
async fn a_shop_that_stays_away_is_given_up_and_the_customer_told_so() {
    let chat = Chat::new().await;
    chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    let down = json!([{ "name": "server_error", "route": "order_create" }]);
    chat.counter.shop.set_faults(&down).unwrap();
    chat.taps(&buttons[0]).await;
    eventually("it is asked", async || {
        chat.rows
            .change(
                "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'",
            )
            .await;
        (chat.counter.calls(CREATE).await.len() == 1).then_some(())
    })
    .await;
    chat.rows.change("UPDATE commitments SET confirmed_at = now() - interval '1 hour'").await;
    chat.until(&["confirmed given_up"]).await;
    chat.is_told("لم يصلنا تأكيد").await;
    assert_eq!(chat.rows.count("delivery_log WHERE event = 'order.placed'").await, 0);
}

#[tokio::test]
async fn an_order_at_a_shop_that_asks_for_an_hour_is_placed_after_ten_minutes() {
    let chat = Chat::new().await;
    chat.proposed(&order()).await;
    let (_, buttons) = chat.summary().await;
    let slow = json!([{ "route": "order_create", "status": 429, "retryAfter": 3_600 }]);
    chat.counter.shop.set_answers(&slow).unwrap();
    chat.taps(&buttons[0]).await;
    let soon = "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'";
    eventually("it waits as long as its connection cools", async || {
        chat.rows.change(soon).await;
        let waits = "commitments WHERE settled_at IS NULL AND attempts = 1
            AND due_at BETWEEN now() + interval '9 minutes' AND now() + interval '10 minutes'";
        (chat.rows.count(waits).await == 1).then_some(())
    })
    .await;
    assert_eq!(chat.counter.state().await, "cooling");
    assert_eq!(chat.states().await, ["confirmed asked"]);
    chat.counter.shop.set_answers(&json!([])).unwrap();
    let confirmed = earlier("confirmed_at", "10 minutes");
    chat.rows
        .change(&format!(
            "UPDATE systems SET cooling_until = now();
             UPDATE commitments SET due_at = now(), confirmed_at = {confirmed}"
        ))
        .await;
    chat.until(&["confirmed done"]).await;
    chat.is_told("تم تسجيل").await;
    assert_eq!(chat.placed().len(), 1);
    chat.counter.world.receiver.next_of("order.placed").await;
}

#[tokio::test]
async fn a_customer_s_own_order_is_cancelled_and_nobody_else_s() {
    let chat = Chat::new().await;
    let cancel =
        |reference: &str| json!({ "kind": "cancellation", "reference": reference, "reason": "تأخر" });
    chat.propose(&cancel("5002")).await.assert_error(404, "somebody else's order");
    chat.propose(&cancel("9999")).await.assert_error(404, "no order");
    chat.proposed(&cancel("#5003")).await;
    let (summary, _) = chat.summary().await;
    assert!(summary.contains("5003"), "{summary}");
    chat.writes("أؤكد الإلغاء").await;
    chat.until(&["confirmed done"]).await;
    let event = chat.counter.world.receiver.next_of("order.cancelled").await;
    assert_eq!((event.text("/data/order/number"), event.text("/data/order/state")), ("5003", "cancelled"));
    chat.is_told("5003").await;
    chat.propose(&cancel("5003")).await.assert_refused(409, "already_cancelled", &json!({}), "again");
    // One that is on its way cannot be cancelled: the shop says so when it is asked to.
    chat.proposed(&cancel("5001")).await;
    chat.taps(&chat.summary().await.1[0]).await;
    chat.until(&["confirmed refused", "confirmed done"]).await;
    chat.is_told("لم يُلغَ").await;

    let hidden = chat.counter.writes_hidden().await.text("/data/conversation/id").to_owned();
    let path = format!("/conversations/{hidden}/drafts");
    let refused = chat.counter.owner.post(&path, &cancel("5003")).await;
    refused.assert_refused(409, "no_verified_number", &json!({}), "a number that nobody has told");
}

#[tokio::test]
async fn a_slot_is_booked_and_told_of_with_what_the_shop_answered() {
    let chat = Chat::new().await;
    let slots = chat.counter.about(&chat.conversation, "slots").await;
    let slot = &slots.body["slots"][0];
    let booking = json!({
        "kind": "booking", "slotId": slot["id"], "startsAt": slot["startsAt"], "service": slot["service"],
    });
    let moved = json!({ "kind": "booking", "slotId": slot["id"], "startsAt": "2031-01-01T10:00:00+03:00" });
    chat.propose(&moved).await.assert_refused(409, "slot_gone", &json!({}), "another time");
    let last = json!({ "kind": "booking", "slotId": slot["id"], "startsAt": "9999-12-31T23:00:00Z" });
    chat.propose(&last).await.assert_refused(409, "slot_gone", &json!({}), "the last day that there is");
    chat.proposed(&booking).await;
    chat.taps(&chat.summary().await.1[0]).await;
    let event = chat.counter.world.receiver.next_of("booking.requested").await;
    let told = &event.body["data"]["booking"];
    assert_eq!((&told["source"], &told["status"]), (&json!("system"), &json!("confirmed")));
    assert_eq!((&told["startsAt"], &told["service"]), (&slot["startsAt"], &slot["service"]));
    assert_eq!(chat.counter.shop.appointments().len(), 1);
    // Where there is a calendar, a wish is not what is wanted.
    let path = format!("/conversations/{}/booking-requests", chat.conversation);
    let wish = json!({ "service": "حلاقة", "preferredTime": "الخميس العصر" });
    let refused = chat.counter.owner.post(&path, &wish).await;
    refused.assert_refused(409, "system_books", &json!({}), "a calendar");
    chat.counter.shop.switch_on(&[Fault::NoCapabilities]);
    assert_eq!(chat.counter.owner.post("/system/verify", &json!({})).await.status, 200);
    assert_eq!(chat.counter.owner.post(&path, &wish).await.status, 201);
    let event = chat.counter.world.receiver.next_of("booking.requested").await;
    let wished =
        json!({ "name": "سارة", "phone": CUSTOMER, "service": "حلاقة", "preferredTime": "الخميس العصر" });
    assert_eq!(event.body["data"]["booking"], wished);
}

#[tokio::test]
async fn who_writes_on_a_page_orders_by_a_quick_reply_and_with_a_number_that_they_gave() {
    for (page, from) in [("1234567890", "24811234567890123"), ("17841400000000001", "17851234567890123")] {
        let counter = Counter::new().await;
        let begun = if page == "1234567890" {
            counter.writes_to_page().await
        } else {
            counter.writes_to_instagram().await
        };
        let rows = counter.rows().await;
        let chat = Chat { counter, conversation: begun.text("/data/conversation/id").to_owned(), rows };
        let mut order = order();
        order["name"] = json!("سارة");
        chat.propose(&order).await.assert_refused(409, "no_verified_number", &json!({}), "whom to call");
        order["phone"] = json!("0770 123 4567");
        chat.proposed(&order).await;
        let sent = chat.sent().await;
        let asked = sent.iter().find_map(|body| body.pointer("/message/quick_replies")).expect("a summary");
        let reply = json!({ "text": "أؤكد", "quick_reply": { "payload": asked[0]["payload"] } });
        let body = json!({ "channelId": page, "from": from, "message": reply });
        let written = chat.counter.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
        chat.until(&["confirmed done"]).await;
        let placed = chat.placed();
        assert_eq!(placed.len(), 1, "{page}");
        assert_eq!(placed[0]["request"]["customer"]["phone"], CUSTOMER);
    }
}

#[tokio::test]
async fn what_cannot_be_proposed_is_refused_with_a_word_and_nobody_is_asked() {
    let chat = Chat::new().await;
    let with = |path: &str, value: Value| {
        let mut order = order();
        *order.pointer_mut(path).unwrap() = value;
        order
    };
    for (body, status) in [
        (with("/lines", json!([])), 400),
        (with("/lines/0/quantity", json!(0)), 400),
        (with("/lines/0/quantity", json!(1000)), 400),
        (with("/address/line1", json!(" ")), 400),
        (with("/kind", json!("gift")), 400),
        (json!({ "kind": "order" }), 400),
        (with("/note", json!("x".repeat(201))), 400),
    ] {
        let answer = chat.propose(&body).await;
        assert_eq!(answer.status, status, "{body} {answer:?}");
    }
    let gone = with("/lines/0/variantId", json!("1001-5"));
    chat.propose(&gone).await.assert_refused(409, "not_orderable", &json!({ "line": 1 }), "sold out");
    let unknown = with("/lines/0/productId", json!("no-such"));
    chat.propose(&unknown).await.assert_refused(409, "not_orderable", &json!({ "line": 1 }), "unknown");
    assert_eq!((chat.states().await.len(), chat.sent().await.len()), (0, 0));

    // A repeat with its key asks nobody again.
    let once = |body: &Value| {
        let request = chat.counter.owner.request(Method::POST, &chat.path());
        Answer::to(request.header("Idempotency-Key", "k").json(body))
    };
    let (first, again) = (once(&order()).await, once(&order()).await);
    assert_eq!((first.status, again.status, first.text("/id")), (201, 201, again.text("/id")));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other = once(&with("/lines/0/quantity", json!(3))).await;
    other.assert_refused(422, "idempotency_key_reused", &json!({}), "another order");
    assert_eq!(chat.sent().await.len(), 1);
    // What the network refuses can be confirmed by nobody, and its key is free.
    let refuse = json!({ "faults": [{ "kind": "error", "code": 131_047, "times": 1 }] });
    chat.counter.world.control(Method::PUT, "faults", &refuse).await;
    let refused = chat.propose(&order()).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(chat.states().await, ["withdrawn -", "replaced -"]);
}
