//! What a turn of the assistant reads, asks and does, marked, and searched for where it must not be.

use serde_json::json;

use super::{Needles, dump, metrics, pg_dump};
use crate::{
    assistant::{
        Chat, on,
        orders::{act, answers, calls, order},
        start_with,
    },
    support::{Delivery, eventually},
    systems::counter::{CUSTOMER, SECRET},
};

const INSTALLATIONS_KEY: &str = "sk-installation-4Q7Z-11d2c9";
const OWN_KEY: &str = "sk-own-8842-Kf0913bb";
/// What the system says of products and of the customer, and nobody repeats.
const TITLE: &str = "TITLE-4KX-OSCAR";
const DESCRIPTION: &str = "DESCRIPTION-9PD-TANGO";
const FIELD: &str = "RECORD-7Q9-ZULU";
/// What the customer writes, and what the order and the lead are made of.
const MESSAGE: &str = "MESSAGE-2WV-KILO";
const ADDRESS: &str = "ADDRESS-LIMA-XR";
const NEED: &str = "NEED-5TT-ECHO";
/// What the shop says when it refuses to cancel what was shipped.
const REFUSAL: &str = "can no longer be cancelled";
/// The end of the customer's number.
const NUMBER: &str = "7701234567";

/// A turn that looks up, an order that is confirmed, a lead that is told of, and a cancellation that is
/// refused.
async fn chat() -> Chat {
    let mut chat = Chat::new(&on()).await;
    chat.counter.world.service.kill();
    "trace".clone_into(&mut chat.counter.world.secrets.log);
    let settings = [("MESSAGING_MODEL_KEY", INSTALLATIONS_KEY), ("MESSAGING_MODEL_OWN_KEYS", "allowed")];
    let Chat { counter, model, .. } = &mut chat;
    start_with(counter, model, &settings).await;
    chat.furnish("products/1002", &json!({ "title": TITLE, "description": DESCRIPTION })).await;
    let record = json!({ "name": "سارة", "fields": { "ملاحظة": FIELD, "الهاتف": CUSTOMER } });
    chat.furnish(&format!("customers/{CUSTOMER}"), &record).await;

    let reads =
        [calls("searchProducts", &json!({ "query": TITLE })), calls("lookupCustomerRecord", &json!({}))];
    chat.model.play([&reads[..], &[answers(&[act("greet")])]].concat());
    chat.writes(&format!("شنو عندكم؟ {MESSAGE}")).await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["tools"], json!(["searchProducts", "lookupCustomerRecord"]), "{turn}");
    let told = serde_json::to_string(&chat.model.requests()).unwrap();
    assert!([TITLE, DESCRIPTION, FIELD].iter().all(|mark| told.contains(mark)), "{told}");
    assert!(!told.contains(NUMBER), "the record has the number in it: {told}");
    let set = chat.counter.owner.put("/assistant/key", &json!({ "key": OWN_KEY })).await;
    assert_eq!(set.status, 200, "{set:?}");

    let mut wish = order();
    wish["address"]["line1"] = json!(ADDRESS);
    chat.model.play(vec![calls("placeOrder", &wish)]);
    chat.writes("اريد 2 حفاضات بامبرز قياس 3").await;
    let turn = chat.turn(2).await;
    chat.taps(&chat.summary().await.1[0]).await;
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("done"));
    let placed: Delivery = chat.counter.world.receiver.next_of("order.placed").await;
    assert!(placed.body.to_string().contains("5004"), "{placed:?}");

    chat.model.play(vec![calls("captureLead", &json!({ "need": NEED })), answers(&[act("greet")])]);
    chat.writes(NEED).await;
    chat.turn(3).await;
    eventually("the shop is told", async || (!chat.counter.shop.leads().is_empty()).then_some(())).await;

    chat.model.play(vec![calls("cancelOrder", &json!({ "reference": "5003" }))]);
    chat.writes("الغوا طلبي 5003").await;
    let turn = chat.turn(4).await;
    chat.ships(5003).await;
    chat.taps(&chat.summary().await.1[0]).await;
    assert_eq!(chat.settled(&turn).await["commitment"]["state"], json!("refused"));
    chat
}

#[tokio::test]
async fn what_a_turn_reads_is_kept_nowhere_and_what_was_said_is_in_no_log() {
    let chat = chat().await;
    let world = &chat.counter.world;
    // The team may read why it was refused.
    let calls = chat.counter.calls("POST /orders/{reference}/cancel").await;
    assert!(calls.iter().any(|call| call.to_string().contains(REFUSAL)), "{calls:?}");
    let rows = world.rows().await;
    world.simulator.settled().await;
    eventually("nothing left to do", async || {
        let open = rows.count("journal").await + rows.count("delivery_queue").await;
        (open == 0).then_some(())
    })
    .await;

    let mut database = dump(&rows).await;
    database.extend(pg_dump(&world.secrets.database_url));
    let said = |told: String| told.into_bytes();
    let mut spoken = vec![
        ("the log".to_owned(), said(world.service.log().join("\n"))),
        ("the metrics".to_owned(), said(metrics(world).await)),
    ];
    for listing in [["assistant", "show"], ["assistant", "usage"], ["system", "show"]] {
        let listed = world.operator(&[&listing[..], &[&world.workspace]].concat());
        spoken.push((format!("{listing:?}"), said(listed)));
    }
    for path in ["/audit?limit=100", "/assistant", "/assistant/turns", "/assistant/usage", "/system"] {
        spoken.push((path.to_owned(), said(chat.counter.owner.get(path).await.body.to_string())));
    }
    assert!(
        world.service.log().iter().any(|line| line.contains("\"TRACE\"")),
        "the log is not at its finest"
    );

    let places = |hays: &[(String, Vec<u8>)], needles: &Needles| -> Vec<String> {
        let found = hays.iter().filter(|(_, hay)| !needles.found_in(hay).is_empty());
        found.map(|(place, _)| place.clone()).collect()
    };
    for secret in [SECRET, INSTALLATIONS_KEY, OWN_KEY, TITLE, DESCRIPTION, FIELD] {
        let needles = Needles::of(secret);
        assert_eq!(places(&database, &needles), [""; 0], "{secret}");
        assert_eq!(places(&spoken, &needles), [""; 0], "{secret}");
    }
    for said in [MESSAGE, ADDRESS, NEED, REFUSAL, "ملخص الطلب", "هلا، شلون أساعدك"] {
        assert_eq!(places(&spoken, &Needles::of(said)), [""; 0], "{said}");
    }
    // What a customer was asked is in the message that asked them, and nowhere else in clear.
    let only_messages = |needles: &Needles| {
        places(&database, needles).iter().all(|place| place == "table messages" || place == "pg_dump")
    };
    for said in [MESSAGE, ADDRESS, NEED] {
        let needles = Needles::of(said);
        assert!(only_messages(&needles), "{said}: {:?}", places(&database, &needles));
        assert!(places(&database, &needles).contains(&"table messages".to_owned()), "{said}");
    }
    assert_eq!(places(&database, &Needles::of(REFUSAL)), [""; 0], "{REFUSAL}");
    // The number is a contact's and in the summary that repeats it: not in the log, and not beside a draft or
    // a call.
    let needles = Needles::of_number(NUMBER, &[]);
    assert_eq!(places(&spoken, &needles), [""; 0]);
    let sealed = ["drafts", "commitments", "prepared_replies", "leads", "system_calls", "assistant_turns"];
    let kept = places(&database, &needles);
    assert!(!sealed.iter().any(|table| kept.contains(&format!("table {table}"))), "{kept:?}");
}
