//! What everybody sees of each status that a system answers with when a customer has confirmed something,
//! held to the table of the documents.

use std::collections::BTreeSet;

use serde_json::json;

use super::{
    drafts::Chat,
    faults::{confirmed, route_of},
};
use crate::support::eventually;

const TABLE: &str = include_str!("../../docs/integrate/system-faults.md");
/// Statuses that the contract mentions; of the 500s two.
const STATUSES: [u16; 8] = [401, 403, 404, 409, 422, 429, 500, 503];
const CONFIRMED: [&str; 3] = ["order confirmed", "booking confirmed", "cancellation confirmed"];

/// Rows that begin with statuses, one for each of these, as its cells.
fn rows() -> Vec<Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| {
        line.strip_prefix("| ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let rows = lines.flat_map(|line| {
        let cells: Vec<&'static str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let statuses = cells[0].split(", ");
        statuses.map(|status| [&[status][..], &cells[1..]].concat()).collect::<Vec<_>>()
    });
    rows.collect()
}

/// Has the shop answer what this customer confirms with that status; returns what everybody sees then.
async fn seen(chat: &Chat, status: &str, asked: &str) -> Vec<String> {
    chat.counter.mend().await;
    let (body, route, _) = confirmed(chat, asked).await;
    let told_of = "delivery_log WHERE event IN ('order.placed', 'order.cancelled', 'booking.requested')";
    let (events, done) = (chat.rows.count(told_of).await, done(chat));
    chat.proposed(&body).await;
    let answer = json!([{ "route": route_of(asked), "status": status.parse::<u16>().unwrap() }]);
    chat.counter.shop.set_answers(&answer).unwrap();
    let before = chat.sent().await.len();
    chat.taps(&chat.summary().await.1[0]).await;
    let state = chat.ended(1).await;
    let receipt = eventually("the receipt", async || {
        let sent = chat.sent().await;
        let mut texts = sent.get(before..)?.iter().filter_map(|body| body["text"]["body"].as_str());
        // What takes longer is told before.
        let receipt = texts.find(|text| !text.contains("قيد الإرسال"))?;
        receipt.lines().next().map(str::to_owned)
    })
    .await;
    // What the system says is the team's to read, and nobody else's.
    let call = &chat.counter.calls(route).await[0];
    assert_eq!(
        (&call["status"].to_string(), &call["message"]),
        (&status.to_owned(), &json!("told to answer so"))
    );
    assert!(call["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{call}");
    assert!(!receipt.contains("told to"), "{receipt}");
    assert_eq!(done, self::done(chat), "{status} {asked}: nothing is done");
    let events = if chat.rows.count(told_of).await > events { "told" } else { "-" };
    let logged = chat.counter.logged(route).await;
    vec![
        status.to_owned(),
        asked.to_owned(),
        state,
        logged,
        chat.counter.state().await,
        events.to_owned(),
        receipt,
    ]
}

/// What the shop has ordered, booked and cancelled.
fn done(chat: &Chat) -> (usize, usize, usize) {
    let orders = chat.counter.shop.orders();
    let cancelled = orders.iter().filter(|order| order["order"]["status"] == "cancelled").count();
    (orders.len(), chat.counter.shop.appointments().len(), cancelled)
}

/// The rows of one kind that are wrong, each as it should be.
async fn wrong(asked: &str) -> Vec<String> {
    let chat = Chat::new().await;
    let mut wrong = Vec::new();
    for row in rows().iter().filter(|row| row[1] == asked) {
        let seen = seen(&chat, row[0], asked).await;
        if *row != seen {
            wrong.push(format!("| {} |", seen.join(" | ")));
        }
    }
    wrong
}

#[tokio::test]
async fn what_is_seen_of_every_status_after_a_confirmation_is_what_the_table_says() {
    let [orders, bookings, cancellations] = CONFIRMED;
    let (orders, bookings, cancellations) =
        tokio::join!(wrong(orders), wrong(bookings), wrong(cancellations));
    let wrong = [orders, bookings, cancellations].concat();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_status_of_whatever_a_customer_confirms() {
    let listed: BTreeSet<String> = rows().iter().map(|row| format!("{} {}", row[0], row[1])).collect();
    let all: BTreeSet<String> =
        CONFIRMED.iter().flat_map(|asked| STATUSES.map(|status| format!("{status} {asked}"))).collect();
    assert_eq!(listed, all);
}
