//! What everybody sees of each fault that a system can have, held to the table of the documents.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    counter::{CUSTOMER, Counter},
    drafts::{Chat, order},
};
use crate::support::{Answer, eventually};

const TABLE: &str = include_str!("../../docs/integrate/system-faults.md");
/// Faults of answers as such: they strike whichever route is asked.
const OF_ANY_ROUTE: [&str; 17] = [
    "slow_answer",
    "hanging",
    "slow_drip",
    "endless_body",
    "oversized_answer",
    "cut_answer",
    "html_answer",
    "invalid_json",
    "text_plain_answer",
    "gzip_bomb",
    "redirect_loop",
    "redirect_to_other_origin",
    "redirect_within_origin",
    "server_error",
    "server_error_once",
    "rate_limited_once",
    "rate_limited_without_retry_after",
];

/// One fault of a row, what was asked, and what everybody saw of it.
#[derive(Debug, PartialEq)]
struct Row {
    fault: &'static str,
    asked: &'static str,
    told: Vec<&'static str>,
}

/// The table's rows, one for each fault that a row names.
fn every_row() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.flat_map(|line| {
        let cells: Vec<&'static str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let faults = cells[0].split(", ").map(|fault| fault.trim_matches('`'));
        // A connection of which nothing is said is active.
        let told = match cells[2..] {
            [answer, log] => vec![answer, log, "active"],
            ref told => told.to_vec(),
        };
        faults.map(|fault| Row { fault, asked: cells[1], told: told.clone() }).collect::<Vec<_>>()
    });
    rows.collect()
}

/// The table's rows in which this is asked.
fn rows(asked: &[&str]) -> Vec<Row> {
    every_row().into_iter().filter(|row| asked.contains(&row.asked)).collect()
}

impl Counter {
    fn switch(&self, fault: &str, route: &str) {
        let fault = if OF_ANY_ROUTE.contains(&fault) {
            json!({ "name": fault, "route": route })
        } else {
            json!({ "name": fault })
        };
        self.shop.set_faults(&json!([fault])).unwrap();
    }

    /// The result of the newest call of a route, and what was unusable in it. A search is several calls side
    /// by side: of these one that has something to tell.
    pub(super) async fn logged(&self, route: &str) -> String {
        let told = |call: &Value| {
            let unusable = call["unusable"].as_array().unwrap().iter();
            let unusable: Vec<_> = unusable.map(|it| it.as_str().unwrap()).collect();
            let result = call["result"].as_str().unwrap().to_owned();
            (result, unusable.join(", "))
        };
        let calls: Vec<_> = self.calls(route).await.iter().map(told).collect();
        let telling = calls.iter().filter(|(_, unusable)| !unusable.is_empty()).min();
        match telling.or_else(|| calls.first()) {
            None => "-".to_owned(),
            Some((result, unusable)) if unusable.is_empty() => result.clone(),
            Some((result, unusable)) => format!("{result}: {unusable}"),
        }
    }

    pub(super) async fn state(&self) -> String {
        self.owner.get("/system").await.text("/state").to_owned()
    }

    /// How far the system was told of the one lead there is.
    async fn lead_ended(&self) -> String {
        let rows = self.rows().await;
        eventually("the lead has ended", async || {
            rows.texts("SELECT state FROM leads WHERE state <> 'waiting'").await.pop()
        })
        .await
    }

    /// Repairs everything, as if nothing had happened.
    pub(super) async fn mend(&self) {
        self.shop.reset();
        self.connect(&self.owner).await;
        self.rows().await.change("DELETE FROM system_calls; DELETE FROM leads").await;
    }
}

/// Status and code of an answer.
fn said(answer: &Answer) -> String {
    match answer.body["code"].as_str() {
        Some(code) => format!("{} {code}", answer.status),
        None => answer.status.to_string(),
    }
}

/// One look-up.
async fn look_up(counter: &Counter, conversation: &str, asked: &str) -> (Answer, &'static str) {
    let owner = &counter.owner;
    match asked {
        "verify" => (owner.post("/system/verify", &json!({})).await, "GET /verify"),
        "search" => {
            let search = owner.request(Method::GET, "/system/products").query(&[("q", "حفاضات")]);
            (Answer::to(search).await, "GET /products")
        }
        "product" => (owner.get("/system/products/1001").await, "GET /products/{id}"),
        "order" => (counter.about(conversation, "orders/5001").await, "GET /orders/{reference}"),
        "customer" => (counter.about(conversation, "customer").await, "GET /customers/lookup"),
        "slots" => (counter.about(conversation, "slots").await, "GET /appointments/slots"),
        "lead" => {
            let path = format!("/conversations/{conversation}/leads");
            (owner.post(&path, &json!({ "need": "ثلاجة" })).await, "POST /customers")
        }
        asked => panic!("{asked}"),
    }
}

/// The shop's name of the route that is asked.
pub(super) fn route_of(asked: &str) -> &str {
    match asked {
        "search" => "products",
        "customer" => "customer_lookup",
        "order confirmed" => "order_create",
        "cancellation confirmed" => "order_cancel",
        "booking confirmed" => "appointment_create",
        asked => asked,
    }
}

/// Whether the table tells this. What it cuts short goes on.
fn is_told(told: &[&str], seen: &[String; 4]) -> bool {
    told.iter().zip(seen).all(|(told, seen)| match told.strip_suffix('…') {
        Some(beginning) => seen.starts_with(beginning),
        None => told == seen,
    })
}

#[tokio::test]
async fn what_is_seen_of_every_fault_of_a_look_up_is_what_the_table_says() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let mut wrong = Vec::new();
    for row in rows(&["verify", "search", "product", "order", "customer", "slots", "lead"]) {
        counter.mend().await;
        counter.switch(row.fault, route_of(row.asked));
        let (answer, route) = look_up(&counter, &conversation, row.asked).await;
        let said = if row.asked == "lead" { counter.lead_ended().await } else { said(&answer) };
        let seen = [said, counter.logged(route).await, counter.state().await, "-".to_owned()];
        if !is_told(&row.told, &seen) {
            wrong.push(format!("| `{}` | {} | {} |", row.fault, row.asked, seen.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What a draft proposes, the route that is called for it, and the event that tells of it.
pub(super) async fn confirmed(chat: &Chat, asked: &str) -> (Value, &'static str, &'static str) {
    match asked {
        "order confirmed" => (order(), "POST /orders", "order.placed"),
        "cancellation confirmed" => {
            let cancellation = json!({ "kind": "cancellation", "reference": "5003", "reason": "تأخر" });
            (cancellation, "POST /orders/{reference}/cancel", "order.cancelled")
        }
        "booking confirmed" => {
            let slots = chat.counter.about(&chat.conversation, "slots").await;
            let slot = &slots.body["slots"][0];
            let booking = json!({ "kind": "booking", "slotId": slot["id"], "startsAt": slot["startsAt"] });
            (booking, "POST /appointments", "booking.requested")
        }
        asked => panic!("{asked}"),
    }
}

#[tokio::test]
async fn what_is_seen_of_every_fault_after_a_confirmation_is_what_the_table_says() {
    let mut wrong = Vec::new();
    // The network's pace does not let one person be written to for ever.
    for rows in rows(&["order confirmed", "cancellation confirmed", "booking confirmed"]).chunks(15) {
        let chat = Chat::new().await;
        for row in rows {
            chat.counter.mend().await;
            let (body, route, event) = confirmed(&chat, row.asked).await;
            let told = format!("delivery_log WHERE event = '{event}'");
            let before = chat.rows.count(&told).await;
            chat.proposed(&body).await;
            chat.counter.switch(row.fault, route_of(row.asked));
            chat.taps(&chat.summary().await.1[0]).await;
            // One that asks for fewer calls is asked again when its time is over.
            let attempts = if row.fault == "rate_limited_once" { 5 } else { 1 };
            let state = chat.ended(attempts).await;
            let events = if chat.rows.count(&told).await > before { event } else { "-" };
            let logged = chat.counter.logged(route).await;
            let seen = [state, logged, chat.counter.state().await, events.to_owned()];
            if row.told != seen {
                wrong.push(format!("| `{}` | {} | {} |", row.fault, row.asked, seen.join(" | ")));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_fault_there_is() {
    let rows = every_row();
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.fault).collect();
    let all: BTreeSet<&str> = reference_shop::ALL.iter().map(|fault| fault.name()).collect();
    assert_eq!(all.difference(&listed).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(rows.len() >= all.len());
}
