//! A shop that can be read and takes no order, while a customer who has confirmed one asks for it again.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    assistant::{
        ANSWER, ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall, TurnResult,
        ports::LanguageModel,
    },
    channels::ChannelKind,
    messages::{Role, TappedReply},
    systems::Capability,
    testing::{ManualClock, a_conversation, a_moment, a_workspace},
};
use pollster::FutureExt;
use serde_json::json;

use super::{
    books::Books,
    shop::{AGAIN_AFTER, Shop},
    wiring::{self, Service},
};

const WISH: &str = "اريد 2 حليب، شارع السعدون بغداد";
const PASSED_ON: &str = "طلبك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة.";

/// A model that answers what was written for it, and keeps what tools told it.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) answers: Mutex<VecDeque<ModelAnswer>>,
    told: Mutex<Vec<String>>,
}

#[async_trait]
impl LanguageModel for Scripted {
    async fn answer(&self, request: &ModelRequest, _: Duration) -> Result<ModelAnswer, ModelError> {
        if let Some(ModelMessage::ToolResult { json, .. }) = request.said.last() {
            self.told.lock().unwrap().push(json.clone());
        }
        Ok(self.answers.lock().unwrap().pop_front().expect("nothing else is asked"))
    }
}

pub(crate) fn calls(name: &str, arguments: &serde_json::Value) -> ModelAnswer {
    let (id, name) = ("c0".to_owned(), name.to_owned());
    let calls = vec![ToolCall { id, name, arguments: arguments.to_string(), state: None }];
    ModelAnswer { text: String::new(), calls, usage: Some(TokenUsage::default()) }
}

fn says_that_it_is_under_way() -> ModelAnswer {
    calls(ANSWER, &json!({ "acts": [{ "act": "under_way" }] }))
}

fn orders_milk() -> ModelAnswer {
    let order = json!({
        "lines": [{ "productId": "p1", "quantity": 2 }],
        "name": "سارة",
        "address": { "line1": "شارع السعدون", "city": "بغداد", "province": "بغداد" },
    });
    calls("placeOrder", &order)
}

struct Outage {
    books: Arc<Books>,
    shop: Arc<Shop>,
    model: Arc<Scripted>,
    service: Service,
}

impl Outage {
    /// A customer has confirmed an order, which the shop has not been asked for yet.
    fn after_a_yes() -> Self {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let books = Arc::new(Books::new(a_conversation(), clock));
        let (shop, model) = (Arc::new(Shop::new()), Arc::new(Scripted::default()));
        let declared = Capability::ALL.into_iter().collect();
        let service = wiring::service(&books, &shop, &declared, ChannelKind::Whatsapp, model.clone());
        let outage = Self { books, shop, model, service };
        outage.shop.floor().is_down = true;
        assert_eq!(outage.asks(vec![orders_milk()]), TurnResult::Proposed);
        outage.taps();
        assert!(outage.service.answers.run(a_workspace().id).block_on().unwrap());
        outage
    }

    /// As above, and the shop did not take it once it was asked.
    fn after_a_try() -> Self {
        let outage = Self::after_a_yes();
        outage.tries();
        outage
    }

    fn says(&self, role: Role, text: &str) {
        self.books.clock.advance(Duration::from_secs(3));
        let said = self.books.message(role, text);
        self.books.say(said);
        self.books.clock.advance(Duration::from_secs(3));
    }

    fn taps(&self) {
        self.books.clock.advance(Duration::from_secs(3));
        let button = self.books.pages().reached.iter().rev().find_map(|it| it.buttons.first().cloned());
        let mut tap = self.books.message(Role::Customer, "أؤكد");
        tap.message.context.reply = TappedReply::told(button.map(|it| it.id), Some("أؤكد".to_owned()));
        self.books.say(tap);
        self.books.clock.advance(Duration::from_secs(3));
    }

    /// The customer asks for two of milk, and the model answers so.
    fn asks(&self, answers: Vec<ModelAnswer>) -> TurnResult {
        self.says(Role::Customer, WISH);
        self.model.answers.lock().unwrap().extend(answers);
        self.turn().expect("the turn has ended")
    }

    fn turn(&self) -> Option<TurnResult> {
        let turn = self.books.turn().expect("somebody waits");
        self.service.turns.run(a_workspace().id, &turn).block_on().unwrap()
    }

    /// What is due is tried once, and what was worded is sent.
    fn tries(&self) {
        self.books.clock.advance(AGAIN_AFTER);
        let carried = self.service.carry.run(a_workspace().id).block_on().unwrap();
        assert!(carried.is_some(), "something is due");
        while self.service.replies.run(a_workspace().id).block_on().unwrap() {}
    }

    /// What reached the customer, without the buttons under it.
    fn told(&self) -> Vec<String> {
        self.books.pages().reached.iter().map(|it| it.text.clone()).collect()
    }

    fn summaries(&self) -> usize {
        self.books.pages().reached.iter().filter(|it| !it.buttons.is_empty()).count()
    }

    fn opens(&self) {
        self.shop.floor().is_down = false;
        self.books.clock.advance(Duration::from_mins(5));
        self.tries();
    }
}

#[test]
fn whoever_has_confirmed_what_the_shop_does_not_take_is_told_once_that_it_is_being_passed_on() {
    let outage = Outage::after_a_try();
    assert_eq!(outage.told()[1..], [PASSED_ON]);
    // Later tries, a second tap and a second yes say nothing more: the receipt will.
    outage.books.clock.advance(Duration::from_secs(20));
    outage.tries();
    outage.taps();
    assert_eq!(outage.turn(), None);
    outage.says(Role::Customer, "نعم");
    assert_eq!(outage.turn(), None);
    assert_eq!(outage.told()[1..], [PASSED_ON]);
    outage.opens();
    let told = outage.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].starts_with("تم تسجيل طلبك رقم"), "{told:?}");
    assert_eq!(outage.shop.floor().writes.len(), 1);
}

#[test]
fn while_one_order_is_being_passed_on_no_second_one_is_proposed() {
    let outage = Outage::after_a_try();
    assert_eq!(outage.asks(vec![orders_milk(), says_that_it_is_under_way()]), TurnResult::Answered);
    assert_eq!(outage.summaries(), 1);
    let told = outage.told().pop().unwrap();
    assert!(told.contains("تأكيدكم") && told.contains("هنا"), "{told}");
    let told = outage.model.told.lock().unwrap().pop().unwrap();
    assert!(told.contains("not done yet"), "{told}");
    outage.opens();
    assert_eq!(outage.shop.floor().writes.len(), 1);
    // Once it is settled, another may be ordered.
    assert_eq!(outage.asks(vec![orders_milk()]), TurnResult::Proposed);
    assert_eq!(outage.summaries(), 2);
}

#[test]
fn once_a_person_has_spoken_the_customer_is_not_told_that_it_is_being_passed_on() {
    let outage = Outage::after_a_yes();
    outage.says(Role::Team, "هلا، أنا من الفريق");
    outage.tries();
    assert_eq!(outage.told().len(), 1, "{:?}", outage.told());
    outage.opens();
    let told = outage.told();
    assert!(told.len() == 2 && told[1].starts_with("تم تسجيل طلبك رقم"), "{told:?}");
}
