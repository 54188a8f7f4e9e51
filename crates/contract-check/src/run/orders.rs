//! Orders: tried by reading and, where allowed, by writing. What was ordered is cancelled.

use serde_json::{Map, Value, json};

use super::{NOTHING, Run};
use crate::caller::{Answer, Ask};
use crate::checks;
use crate::judge::order;
use crate::options::Writes;

const BY_WRITING: &str = "only writing shows it (--allow-writes --variant)";
const NO_FINAL: &str = "name an order that can no longer be cancelled (--final-order)";

impl Run<'_> {
    pub(super) async fn orders(self) {
        if let Some(answer) = self.caller.ask(&Ask::get(&["orders", NOTHING])).await {
            self.expects_404("order.unknown", &answer);
        }
        if let Some(answer) = self.cancel(NOTHING).await {
            self.expects_404("order.cancel_unknown", &answer);
        }
        let Some(writes) = &self.options.writes else {
            let mut log = self.caller.log();
            checks::all()
                .filter(|check| check.area() == "order")
                .for_each(|check| log.skip(check.id, BY_WRITING));
            return;
        };
        self.final_order(writes).await;
        self.not_sold().await;
        self.order_and_cancel(writes).await;
    }

    async fn order_and_cancel(self, writes: &Writes) {
        let ask = self.creation(&self.key("order"), &writes.variant);
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let Some(placed) = self.created(&answer) else {
            self.clean(answer.body()).await;
            return;
        };
        self.caller.log().take(&answer.call, order::one(&placed));
        let again = self.repeat(&ask, &placed).await;
        if !self.caller.log().has_found("order.repeated") {
            self.at_once(writes).await;
        }
        for (check, field) in [("order.by_number", "number"), ("order.by_id", "id")] {
            self.look_up(check, field, &placed).await;
        }
        self.cancels(&placed).await;
        if let Some(second) = again {
            self.clean(&second).await;
        }
    }

    fn creation(self, key: &str, variant: &str) -> Ask {
        Ask::post(
            &["orders"],
            json!({
                "idempotencyKey": key,
                "lines": [{ "variantId": variant, "quantity": 1 }],
                "customer": { "name": "تجربة الربط", "phone": self.phone(), "email": null },
                "address": {
                    "line1": "شارع السعدون", "city": "بغداد", "province": "بغداد", "country": "IQ", "notes": null,
                },
                "note": "طلب تجريبي، يلغى حالا",
                "source": "messaging-service",
            }),
        )
    }

    fn created(self, answer: &Answer) -> Option<Map<String, Value>> {
        let order = answer.body().as_object().filter(|_| order::is_one(answer.body()));
        let mut log = self.caller.log();
        if let Some(order) = order.filter(|_| matches!(answer.status, 200 | 201)) {
            log.pass("order.create", &answer.call);
            return Some(order.clone());
        }
        let detail = match answer.status {
            status @ (404 | 409 | 422) => format!("answered {status}: --variant must name what is in stock"),
            status => format!("answered {status} without an order"),
        };
        log.found("order.create", &answer.call, detail);
        None
    }

    /// Repeats an order; returns the second one if the repetition made one.
    async fn repeat(self, ask: &Ask, placed: &Map<String, Value>) -> Option<Value> {
        let answer = self.caller.ask(ask).await?;
        let same = answer.body().as_object().and_then(|again| order::same(placed, again));
        let mut log = self.caller.log();
        if same == Some(true) {
            log.pass("order.repeated", &answer.call);
            let status = answer.status;
            let seen = if status == 200 { Ok(()) } else { Err(format!("answered {status}")) };
            log.settle("order.repeated_status", &answer.call, seen);
            return None;
        }
        log.found("order.repeated", &answer.call, format!("answered {} and another order", answer.status));
        Some(answer.body().clone())
    }

    async fn at_once(self, writes: &Writes) {
        let ask = self.creation(&self.key("order-at-once"), &writes.variant);
        let (one, other) = tokio::join!(self.caller.ask(&ask), self.caller.ask(&ask));
        let (Some(one), Some(other)) = (one, other) else { return };
        let orders = (one.body().as_object(), other.body().as_object());
        let same = matches!(orders, (Some(a), Some(b)) if order::same(a, b) == Some(true));
        let wrong = || Err(format!("answered {} and {}, not one order twice", one.status, other.status));
        self.caller.log().settle("order.repeated_at_once", &one.call, if same { Ok(()) } else { wrong() });
        self.clean(one.body()).await;
        if !same {
            self.clean(other.body()).await;
        }
    }

    async fn look_up(self, check: &'static str, field: &str, placed: &Map<String, Value>) {
        let Some(reference) = order::reference(placed, field) else { return };
        let Some(answer) = self.caller.ask(&Ask::get(&["orders", &reference])).await else { return };
        let found = answer.body().as_object().filter(|_| answer.status == 200);
        let mut log = self.caller.log();
        match found.filter(|found| order::same(placed, found) == Some(true)) {
            Some(order) => {
                log.pass(check, &answer.call);
                log.take(&answer.call, order::looked_up(order, self.phone()));
            }
            None => {
                log.found(check, &answer.call, format!("answered {} to the order's {field}", answer.status));
            }
        }
    }

    async fn cancels(self, placed: &Map<String, Value>) {
        let references = ["id", "number"].iter().filter_map(|field| order::reference(placed, field));
        let references: Vec<String> = references.collect();
        let Some(reference) = references.first() else { return };
        let Some(answer) = self.cancel(reference).await else { return };
        let seen = match (answer.is_success(), &answer.json) {
            (false, _) => Err(format!("answered {} to an order just made", answer.status)),
            (true, None | Some(Value::Null | Value::Object(_))) => Ok(()),
            (true, Some(_)) => Err("answered neither nothing nor an object".to_owned()),
        };
        let holds = seen.is_ok();
        self.caller.log().settle("order.cancel", &answer.call, seen);
        for reference in references.iter().filter(|_| holds) {
            let Some(answer) = self.caller.ask(&Ask::get(&["orders", reference])).await else { return };
            let Some(order) = answer.body().as_object().filter(|_| answer.status == 200) else { continue };
            let Some(is_cancelled) = order::is_cancelled(order) else { return };
            let open = || Err("the order is not cancelled afterwards".to_owned());
            let seen = if is_cancelled { Ok(()) } else { open() };
            self.caller.log().settle("order.cancelled", &answer.call, seen);
            return;
        }
    }

    async fn final_order(self, writes: &Writes) {
        let Some(reference) = &writes.final_order else {
            let mut log = self.caller.log();
            for id in ["order.cancel_refused", "order.cancel_message"] {
                log.skip(id, NO_FINAL);
            }
            return;
        };
        let Some(answer) = self.cancel(reference.trim_start_matches('#')).await else { return };
        self.refused("order.cancel_refused", "order.cancel_message", &answer, &[409]);
    }

    async fn not_sold(self) {
        let Some(answer) = self.caller.ask(&self.creation(&self.key("not-sold"), NOTHING)).await else {
            return;
        };
        self.refused("order.refused", "order.refusal_message", &answer, &[404, 409, 422]);
        if answer.is_success() {
            self.clean(answer.body()).await;
        }
    }

    /// Checks a refusal by its status and its message.
    pub(super) fn refused(
        self,
        check: &'static str,
        message: &'static str,
        answer: &Answer,
        statuses: &[u16],
    ) {
        let mut log = self.caller.log();
        if !statuses.contains(&answer.status) {
            log.found(check, &answer.call, format!("answered {}", answer.status));
            return;
        }
        log.pass(check, &answer.call);
        let silent = || Err(format!("the {} says nothing", answer.status));
        log.settle(message, &answer.call, if answer.has_message() { Ok(()) } else { silent() });
    }

    async fn cancel(self, reference: &str) -> Option<Answer> {
        let body = json!({ "reason": "طلب تجريبي" });
        self.caller.ask(&Ask::post(&["orders", reference, "cancel"], body)).await
    }

    /// Cancels an order made on the way; if that fails, a note says so.
    async fn clean(self, body: &Value) {
        let reference = order::of(body)
            .and_then(|order| ["id", "number"].iter().find_map(|field| order::reference(order, field)));
        let Some(reference) = reference else { return };
        let cancelled = self.cancel(&reference).await.is_some_and(|answer| answer.is_success());
        if !cancelled {
            self.caller
                .log()
                .note(format!("the order {reference} could not be cancelled: cancel it by hand"));
        }
    }
}
