//! Orders, records and times that the team looks up for a conversation.

use std::collections::BTreeMap;

use reference_shop::Fault;
use serde_json::json;

use super::counter::{CUSTOMER, Counter};

#[tokio::test]
async fn the_customer_s_own_orders_are_found_however_they_are_called() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    for reference in ["5001", "%235001", "%D9%A5%D9%A0%D9%A0%D9%A1", "ord_1"] {
        let found = counter.about(&conversation, &format!("orders/{reference}")).await;
        assert_eq!((found.status, found.text("/number")), (200, "5001"), "{reference}");
        assert_eq!((found.text("/status"), found.text("/total")), ("shipped", "27500"));
        assert_eq!((found.text("/currency"), &found.body["lines"][0]["quantity"]), ("IQD", &json!(1)));
        assert!(found.text("/trackingUrl").starts_with("https://"));
        assert!(!found.body.to_string().contains("hone"), "no number goes out: {found:?}");
    }
}

#[tokio::test]
async fn another_customer_s_order_is_as_if_it_did_not_exist_byte_for_byte() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let ask = async |reference: &str| {
        let path = format!("/conversations/{conversation}/orders/{reference}");
        let answer = counter.owner.request(reqwest::Method::GET, &path).send().await.unwrap();
        let headers: BTreeMap<String, String> = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            // Each answer has one of its own.
            .filter(|(name, _)| name != "date" && name != "x-request-id")
            .collect();
        (answer.status().as_u16(), headers, answer.bytes().await.unwrap())
    };
    let (none, another) = (ask("9999").await, ask("5002").await);
    assert_eq!(none.0, 404);
    assert_eq!(another, none);
    // What the shop says of whom it was placed under is not taken for more than it is.
    counter.shop.switch_on(&[Fault::OrderWithoutCustomerPhone]);
    assert_eq!(ask("5001").await, none);
    counter.shop.switch_on(&[Fault::CustomerPhoneInOtherFormat]);
    assert_eq!(ask("5001").await.0, 200);
    assert_eq!(ask("5002").await, none);
    counter.shop.switch_on(&[]);
    assert_eq!(ask("5001").await.0, 200);
}

#[tokio::test]
async fn only_a_number_that_the_network_told_is_looked_up() {
    let counter = Counter::new().await;
    let of = |told: &crate::support::Delivery| told.text("/data/conversation/id").to_owned();
    let known = of(&counter.writes(CUSTOMER).await);
    let found = counter.about(&known, "customer").await;
    assert_eq!((found.status, found.text("/customer/name")), (200, "سارة"));
    let labels: Vec<_> =
        found.body["customer"]["fields"].as_array().unwrap().iter().map(|it| &it["label"]).collect();
    assert_eq!(labels.len(), 4, "{found:?}");
    let unknown = of(&counter.writes("+9647709990000").await);
    assert_eq!(counter.about(&unknown, "customer").await.body, json!({ "customer": null }));
    counter.shop.switch_on(&[Fault::LookupUnknownIs404]);
    assert_eq!(counter.about(&unknown, "customer").await.body, json!({ "customer": null }));
    counter.shop.switch_on(&[]);

    let (hidden, page, instagram) = (
        of(&counter.writes_hidden().await),
        of(&counter.writes_to_page().await),
        of(&counter.writes_to_instagram().await),
    );
    let rows = counter.rows().await;
    // A contact's number says nothing of who writes over another network.
    rows.change(
        "UPDATE contacts SET phone = '+9647701119999' WHERE phone IS NULL AND 'messenger' = ANY (channels)",
    )
    .await;
    // A number that the team typed: nobody has written there.
    let notice =
        json!({ "to": "+9647801112233", "template": "store_hours", "from": crate::support::SHOP_NUMBER });
    let typed = counter.world.api().send(&notice).await.text("/conversationId").to_owned();
    let before = counter.shop.requests().len();
    for conversation in [&hidden, &page, &instagram, &typed] {
        for what in ["customer", "orders/5002"] {
            let refused = counter.about(conversation, what).await;
            refused.assert_refused(409, "no_verified_number", &json!({}), what);
        }
    }
    assert_eq!(counter.shop.requests().len(), before, "nobody was asked");
}

#[tokio::test]
async fn times_are_offered_in_any_conversation_with_the_system_s_own_offset() {
    let counter = Counter::new().await;
    let conversation = counter.writes_to_page().await.text("/data/conversation/id").to_owned();
    let offered = counter.about(&conversation, "slots").await;
    assert_eq!(offered.status, 200, "{offered:?}");
    let slots = offered.body["slots"].as_array().unwrap();
    assert!(!slots.is_empty() && slots.len() <= 30, "{offered:?}");
    assert!(slots.iter().all(|slot| slot["startsAt"].as_str().unwrap().ends_with("+03:00")), "{offered:?}");
    for query in [
        "from=tomorrow",
        "from=2026-11-25&to=2026-11-24",
        "from=2026-11-25&to=2026-11-25",
        "from=2026-11-25&to=2027-11-25",
        "service=",
    ] {
        let refused = counter.about(&conversation, &format!("slots?{query}")).await;
        assert_eq!(refused.status, 400, "{query}: {refused:?}");
    }
}

#[tokio::test]
async fn nothing_of_a_look_up_is_kept_and_another_workspace_sees_none_of_it() {
    let counter = Counter::logging("trace").await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    for what in ["orders/5001", "orders/5002", "customer", "slots"] {
        counter.about(&conversation, what).await;
    }
    let neighbour = counter.neighbour().await;
    counter.connect(&neighbour).await;
    let before = counter.shop.requests().len();
    for what in ["orders/5001", "customer", "slots"] {
        let theirs = neighbour.get(&format!("/conversations/{conversation}/{what}")).await;
        theirs.assert_error(404, what);
        assert_eq!(theirs.text("/message"), "there is no conversation with this id");
    }
    assert_eq!(counter.shop.requests().len(), before, "their own system was not asked for it");
    let theirs = neighbour.get("/system/calls?result=answered").await;
    assert_eq!(theirs.body["rows"].as_array().unwrap().len(), 1, "it was verified: {theirs:?}");

    let calls = counter.calls("GET /orders/{reference}").await;
    assert_eq!(calls.len(), 2, "{calls:?}");
    let rows = counter.rows().await;
    let log = counter.world.service.log().join("\n");
    let kept = rows.texts("SELECT system_calls::text FROM system_calls").await.join("\n");
    for (what, written) in [("the log", &log), ("the log of calls", &kept)] {
        for secret in [super::counter::SECRET, "7701234567", "rafidain-shop.example", "غلاية", "نقاط الولاء"]
        {
            assert!(!written.contains(secret), "{what}: {secret}");
        }
    }
}
