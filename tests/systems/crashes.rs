//! What a customer has confirmed is done once, wherever the service dies on the way.

use serde_json::{Value, json};

use super::{
    drafts::Chat,
    faults::{confirmed, route_of},
};
use crate::support::{Rows, eventually};

/// Where the service dies.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The customer has tapped, and nobody has read it.
    Tapped,
    /// The draft is confirmed, and what was quoted is being read again.
    Confirmed,
    /// The system has done it, and its answer does not end.
    Asked,
    /// The system has answered, and nothing of that is written down.
    Answered,
}

const STEPS: [Step; 4] = [Step::Tapped, Step::Confirmed, Step::Asked, Step::Answered];

/// Makes answers due at once, since nobody waits here for a customer to stop writing.
const READ_SOON: &str =
    "UPDATE drafts SET answer_due_at = now() WHERE answer_due_at < now() + interval '5 seconds'";
/// Ends the leases of a dead process.
const TAKE_SOON: &str = "UPDATE commitments SET due_at = now() WHERE due_at IS NOT NULL";

/// What is confirmed, what of it is read once more before the call, and how its receipt begins.
struct Case {
    asked: &'static str,
    read_again: &'static str,
    receipt: &'static str,
}

const CASES: [Case; 3] = [
    Case { asked: "order confirmed", read_again: "product", receipt: "تم تسجيل" },
    Case { asked: "booking confirmed", read_again: "slots", receipt: "تم تثبيت" },
    Case { asked: "cancellation confirmed", read_again: "order", receipt: "تم إلغاء" },
];

impl Case {
    /// How often the shop has done it since it was opened.
    fn done(&self, chat: &Chat) -> usize {
        let shop = &chat.counter.shop;
        let orders = |is: fn(&Value) -> bool| shop.orders().iter().filter(|order| is(order)).count();
        match self.asked {
            "order confirmed" => orders(|order| !order["request"].is_null()),
            "booking confirmed" => shop.appointments().len(),
            "cancellation confirmed" => orders(|order| order["order"]["status"] == "cancelled"),
            asked => panic!("{asked}"),
        }
    }

    /// What the shop does wrong until the service dies.
    fn fault(&self, step: Step) -> Value {
        match step {
            Step::Tapped | Step::Answered => json!([]),
            Step::Confirmed => json!([{ "name": "hanging", "route": self.read_again }]),
            Step::Asked => json!([{ "name": "slow_drip", "route": route_of(self.asked), "times": 1 }]),
        }
    }
}

/// What the shop was asked to do.
fn posts(chat: &Chat) -> Vec<Value> {
    chat.counter.shop.requests().into_iter().filter(|request| request["method"] == "POST").collect()
}

/// Returns once the service is where it is to die.
async fn comes_to(chat: &Chat, case: &Case, step: Step, route: &str, read_before: usize) {
    eventually(&format!("{} {step:?}", case.asked), async || {
        if matches!(step, Step::Tapped) {
            return Some(());
        }
        chat.rows.change(READ_SOON).await;
        let is_there = match step {
            Step::Tapped => true,
            Step::Confirmed => chat.counter.shop.requests().len() > read_before,
            Step::Asked => case.done(chat) == 1,
            Step::Answered => !chat.counter.calls(route).await.is_empty(),
        };
        is_there.then_some(())
    })
    .await;
    let state = match step {
        Step::Tapped => return,
        Step::Confirmed => "confirmed",
        Step::Asked | Step::Answered => "asked",
    };
    let open = format!("commitments WHERE state = '{state}' AND settled_at IS NULL");
    assert_eq!(chat.rows.count(&open).await, 1, "{} {step:?}", case.asked);
    assert_eq!(posts(chat).is_empty(), matches!(step, Step::Confirmed), "{} {step:?}", case.asked);
}

/// Lets the service die there, starts it again, and checks that everything ends the same way.
async fn dies(chat: &mut Chat, case: &Case, step: Step, number: i64) {
    let told = format!("{} {step:?}", case.asked);
    chat.counter.mend().await;
    let (body, route, event) = confirmed(chat, case.asked).await;
    chat.proposed(&body).await;
    chat.counter.shop.set_faults(&case.fault(step)).unwrap();
    let read_before = chat.counter.shop.requests().len();
    let heard = "messages WHERE role = 'customer'";
    let before = chat.rows.count(heard).await;
    chat.taps(&chat.summary().await.1[0]).await;
    eventually("the tap is kept", async || (chat.rows.count(heard).await > before).then_some(())).await;
    let holder = held(chat, step).await;
    comes_to(chat, case, step, route, read_before).await;

    chat.counter.world.service.kill();
    if let Some(holder) = holder {
        holder.change("ROLLBACK").await;
    }
    chat.counter.shop.set_faults(&json!([])).unwrap();
    chat.rows.change(TAKE_SOON).await;
    chat.counter.world.restart().await;
    chat.counter.owner.moved_to(chat.counter.world.service.base_url());

    let done = "commitments WHERE state = 'done'";
    eventually(&told, async || {
        chat.rows.change(READ_SOON).await;
        (chat.rows.count(done).await == number).then_some(())
    })
    .await;
    assert_eq!(case.done(chat), 1, "{told}");
    assert_eq!(chat.rows.count("commitments WHERE settled_at IS NULL").await, 0, "{told}");
    let events = format!("delivery_log WHERE event = '{event}'");
    assert_eq!(chat.rows.count(&events).await, number, "{told}: told of once");
    let posts = posts(chat);
    let keys: Vec<_> = posts.iter().map(|request| &request["body"]["idempotencyKey"]).collect();
    assert!(keys.iter().all(|key| *key == keys[0]), "{told}: {keys:?}");
    // What has no key is looked at, and not done again.
    let again = matches!(step, Step::Asked | Step::Answered) && case.asked != "cancellation confirmed";
    assert_eq!(posts.len(), if again { 2 } else { 1 }, "{told}");
    receipts(chat, case, number).await;
}

/// Locks what the end of a commitment waits for, if the answer is not to be recorded; held until it is
/// dropped.
async fn held(chat: &Chat, step: Step) -> Option<Rows> {
    if !matches!(step, Step::Answered) {
        return None;
    }
    let holder = chat.counter.rows().await;
    let theirs = format!("conversations WHERE workspace_id = '{}'", chat.counter.world.workspace);
    holder.change(&format!("BEGIN; SELECT 1 FROM {theirs} FOR NO KEY UPDATE")).await;
    Some(holder)
}

/// Checks that the customer has `number` receipts, one for each action.
async fn receipts(chat: &Chat, case: &Case, number: i64) {
    let is_receipt =
        |body: &&Value| body["text"]["body"].as_str().is_some_and(|text| text.contains(case.receipt));
    let number = usize::try_from(number).unwrap();
    eventually("the receipt", async || {
        let sent = chat.sent().await;
        let receipts = sent.iter().filter(is_receipt).count();
        assert!(receipts <= number, "{}: {sent:?}", case.asked);
        (receipts == number).then_some(())
    })
    .await;
}

async fn dies_at_every_step(case: &Case) {
    let mut chat = Chat::new().await;
    for (step, number) in STEPS.into_iter().zip(1..) {
        dies(&mut chat, case, step, number).await;
    }
}

#[tokio::test]
async fn what_was_confirmed_survives_kills_at_each_step_and_is_done_once() {
    let [order, booking, cancellation] = &CASES;
    tokio::join!(dies_at_every_step(order), dies_at_every_step(booking), dies_at_every_step(cancellation));
}
