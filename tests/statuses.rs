//! What the network tells us of sent messages, in whatever order and however often, and who may tell it.

use std::collections::HashSet;

use graph_client::signature;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use server::config::Role;

use crate::support::{Api, CODES_NUMBER, InProcess, Rows, SHOP, SHOP_NUMBER, World, eventually};

const TO: &str = "0770 123 4567";
/// The shop's ordinary number, by its id at the network.
const SHOP_NUMBER_ID: &str = "106540352242922";
/// The number that a world makes send-only.
const CODES_NUMBER_ID: &str = "106540352242933";

fn notice() -> Value {
    json!({ "to": TO, "template": "store_hours", "from": SHOP_NUMBER })
}

/// A world whose network says nothing of what becomes of messages, with one notice sent: its id, and the
/// network's.
async fn one_sent() -> (World, String, String) {
    let world = World::new().await;
    world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let (id, network_id) = send(&world).await;
    (world, id, network_id)
}

async fn send(world: &World) -> (String, String) {
    let answer = world.api().send(&notice()).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let messages = world.simulator.messages();
    let network_id = messages.last().unwrap()["id"].as_str().unwrap().to_owned();
    (answer.text("/id").to_owned(), network_id)
}

/// Has the network report a status, with these fields besides.
async fn tell(world: &World, network_id: &str, status: &str, more: Value) {
    let mut body = json!({ "messageId": network_id, "status": status });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let posted = world.control(Method::POST, "statuses", &body).await;
    assert_eq!(posted, json!({ "webhook": { "status": 200 } }), "{status}");
}

/// Waits until everything that was taken in is handled.
async fn handled(rows: &Rows) {
    eventually("an empty journal", async || (rows.count("journal").await == 0).then_some(())).await;
}

/// The types of all events so far.
async fn events(rows: &Rows) -> Vec<String> {
    rows.texts("SELECT event FROM deliveries ORDER BY created_at, id").await
}

/// Returns the state of the only send, and which times are known.
async fn standing(rows: &Rows) -> Vec<String> {
    let known = "concat_ws(' ', status, CASE WHEN delivered_at IS NOT NULL THEN 'delivered_at' END,
        CASE WHEN read_at IS NOT NULL THEN 'read_at' END, CASE WHEN failed_at IS NOT NULL THEN 'failed_at' END)";
    rows.texts(&format!("SELECT {known} FROM sends")).await
}

#[tokio::test]
async fn a_status_moves_a_message_forward_only_and_is_announced_once() {
    // What the network tells, what is announced of it, and where the message stands afterwards.
    for (told, announced, stands) in [
        (&["sent"][..], &[][..], "sent"),
        (&["delivered", "delivered", "sent"], &["delivered"], "delivered delivered_at"),
        (&["delivered", "read", "read"], &["delivered", "read"], "read delivered_at read_at"),
        (&["read"], &["read"], "read read_at"),
        (&["read", "delivered"], &["read"], "read delivered_at read_at"),
        (&["failed", "failed"], &["failed"], "failed failed_at"),
        (
            &["failed", "delivered", "read"],
            &["failed", "delivered", "read"],
            "read delivered_at read_at failed_at",
        ),
        (&["failed", "read", "failed"], &["failed", "read"], "read read_at failed_at"),
        (&["delivered", "failed"], &["delivered"], "delivered delivered_at failed_at"),
    ] {
        let (world, _, network_id) = one_sent().await;
        let rows = world.rows().await;
        for status in told {
            tell(&world, &network_id, status, json!({})).await;
            handled(&rows).await;
        }
        let wanted: Vec<String> =
            ["sent"].iter().chain(announced).map(|status| format!("message.{status}")).collect();
        assert_eq!(events(&rows).await, wanted, "{told:?}");
        assert_eq!(standing(&rows).await, [stands], "{told:?}");
    }
}

#[tokio::test]
async fn a_failure_says_why_and_an_event_when_it_happened_at_the_network() {
    let (world, id, network_id) = one_sent().await;
    let details = "Message undeliverable.";
    let errors = json!([{ "code": 131_026, "title": "Undeliverable", "error_data": { "details": details } }]);
    tell(&world, &network_id, "failed", json!({ "errors": errors, "timestamp": 1_763_600_001 })).await;
    let failed = world.receiver.next_of("message.failed").await;
    assert_eq!(failed.text("/data/messageId"), id);
    assert_eq!(failed.text("/data/status"), "failed");
    assert_eq!(failed.text("/data/error/message"), details);
    assert_eq!(failed.text("/data/providerMessageId"), network_id);
    assert_eq!(failed.text("/data/occurredAt"), "2025-11-20T00:53:21.000Z");
    assert_eq!(failed.text("/data/template/name"), "store_hours");
    assert_eq!(failed.text("/data/customer/phone"), "+9647701234567");
}

#[tokio::test]
async fn duplicates_disorder_batches_and_people_without_a_number_change_nothing() {
    for fault in [
        json!({ "kind": "duplicate_statuses" }),
        json!({ "kind": "reorder_statuses" }),
        json!({ "kind": "batch_statuses", "size": 9 }),
        json!({ "kind": "no_phone" }),
    ] {
        let world = World::new().await;
        let rows = world.rows().await;
        world.simulator.set_faults(&json!([fault])).unwrap();
        let mut ids = HashSet::new();
        for _ in 0..3 {
            ids.insert(send(&world).await.0);
        }
        world.simulator.settled().await;
        handled(&rows).await;
        let standing: HashSet<String> = standing(&rows).await.into_iter().collect();
        assert_eq!(standing, HashSet::from(["read delivered_at read_at".to_owned()]), "{fault}");
        let announced = events(&rows).await;
        for (kind, most) in [("message.sent", 3), ("message.read", 3), ("message.delivered", 3)] {
            let count = announced.iter().filter(|event| *event == kind).count();
            let fits = if fault["kind"] == "reorder_statuses" { count <= most } else { count == most };
            assert!(fits, "{fault}: {announced:?}");
        }
        assert_eq!(announced.iter().filter(|event| *event == "message.read").count(), 3, "{fault}");
        assert!(world.simulator.webhooks().iter().all(|post| post["status"] == 200), "{fault}");
    }
}

#[tokio::test]
async fn a_status_without_a_tag_finds_its_message_by_the_networks_id() {
    let (world, id, network_id) = one_sent().await;
    tell(&world, &network_id, "delivered", json!({ "withTag": false })).await;
    assert_eq!(world.receiver.next_of("message.delivered").await.text("/data/messageId"), id);
}

#[tokio::test]
async fn what_is_about_nothing_of_ours_harms_nobody() {
    let (world, id, network_id) = one_sent().await;
    let rows = world.rows().await;
    let before = events(&rows).await;

    let unknown = json!({ "phoneNumberId": SHOP_NUMBER_ID, "recipientId": "9647709999999", "fields": {
        "biz_opaque_callback_data": "0197f3c2-7c1a-7e55-9d0e-000000000000" } });
    tell(&world, "wamid.HBgNOTY0NzcwOTk5OTk5ORUCABEYEjA1", "delivered", unknown).await;
    for tag in ["not one of ours", "", "ffffffff-ffff-ffff-ffff-ffffffffffff"] {
        let fields = json!({ "fields": { "id": "wamid.nobodys", "biz_opaque_callback_data": tag } });
        tell(&world, &network_id, "delivered", fields).await;
    }
    for status in ["deleted", "warning", "held_for_quality_assessment", "a new one"] {
        tell(&world, &network_id, "read", json!({ "fields": { "status": status } })).await;
    }
    for body in [
        json!({ "object": "whatsapp_business_account", "entry": [{ "id": SHOP, "changes": [{
            "field": "messages", "value": { "messaging_product": "whatsapp",
            "metadata": { "phone_number_id": "999999999999999", "display_phone_number": "1" },
            "statuses": [{ "id": network_id, "status": "failed", "timestamp": "1763600001" }] } }] }] }),
        json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1", "changes": [{
            "field": "something_new", "value": {} }] }] }),
        json!({ "object": "page", "entry": [] }),
    ] {
        let posted =
            world.control(Method::POST, "webhooks", &json!({ "accountId": SHOP, "body": body })).await;
        assert_eq!(posted, json!({ "webhook": { "status": 200 } }));
    }

    // What comes after it is handled all the same.
    tell(&world, &network_id, "delivered", json!({})).await;
    assert_eq!(world.receiver.next_of("message.delivered").await.text("/data/messageId"), id);
    assert_eq!(events(&rows).await.len(), before.len() + 1);
    assert_eq!(rows.count("quarantine").await, 0);
    assert_eq!(rows.count("sends").await, 1);
}

#[tokio::test]
async fn a_tag_of_another_workspace_moves_nothing() {
    let (world, id, network_id) = one_sent().await;
    let rows = world.rows().await;
    let (_, neighbour) = world.neighbour();
    let theirs =
        neighbour.send(&json!({ "to": TO, "template": "neighbourly", "variables": ["a", "b"] })).await;
    assert_eq!(theirs.status, 201, "{:?}", theirs.body);
    let foreign = json!({ "fields": { "id": "wamid.x", "biz_opaque_callback_data": theirs.text("/id") } });
    tell(&world, &network_id, "failed", foreign).await;
    tell(&world, &network_id, "delivered", json!({})).await;
    assert_eq!(world.receiver.next_of("message.delivered").await.text("/data/messageId"), id);
    handled(&rows).await;
    assert_eq!(rows.texts("SELECT status FROM sends WHERE failed_at IS NOT NULL").await, [""; 0]);
}

#[tokio::test]
async fn a_thousand_statuses_in_one_post_are_taken_in() {
    const MESSAGES: usize = 10;
    let world = World::new().await;
    let rows = world.rows().await;
    world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let mut sent = Vec::new();
    for _ in 0..MESSAGES {
        sent.push(send(&world).await);
    }
    let statuses: Vec<Value> = (0..1000)
        .map(|n| {
            let (id, network_id) = &sent[n % MESSAGES];
            let status = ["sent", "delivered", "read"][n * 3 / 1000];
            json!({
                "id": network_id, "status": status, "timestamp": "1763600001", "recipient_id": "9647701234567",
                "biz_opaque_callback_data": id,
            })
        })
        .collect();
    let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": SHOP, "changes": [{
        "field": "messages", "value": {
            "messaging_product": "whatsapp",
            "metadata": { "phone_number_id": SHOP_NUMBER_ID, "display_phone_number": "9647700000001" },
            "statuses": statuses,
        } }] }] });
    let posted = world.control(Method::POST, "webhooks", &json!({ "accountId": SHOP, "body": body })).await;
    assert_eq!(posted, json!({ "webhook": { "status": 200 } }));
    handled(&rows).await;
    let announced = events(&rows).await;
    for kind in ["message.sent", "message.delivered", "message.read"] {
        assert_eq!(announced.iter().filter(|event| *event == kind).count(), MESSAGES, "{kind}");
    }
    assert_eq!(announced.len(), 3 * MESSAGES);
}

#[tokio::test]
async fn what_the_network_did_not_sign_is_refused_and_leaves_nothing() {
    let (world, _, network_id) = one_sent().await;
    let rows = world.rows().await;
    let idle = async || (rows.count("delivery_queue").await == 0).then_some(());
    eventually("a delivered event", idle).await;
    let before = rows.all_counts().await;
    let raw = json!({ "object": "whatsapp_business_account", "entry": [{ "id": SHOP, "changes": [{
        "field": "messages", "value": { "metadata": { "phone_number_id": SHOP_NUMBER_ID },
        "statuses": [{ "id": network_id, "status": "failed", "timestamp": "1763600001" }] } }] }] })
    .to_string();
    let (right, other) = (world.secrets.app_secret.clone().into(), "another-secret".to_owned().into());
    let of_other_bytes = signature::sign(&right, b"{}");
    let bare = signature::sign(&right, raw.as_bytes()).replace("sha256=", "");
    let forged = signature::sign(&other, raw.as_bytes());
    let headers = [
        None,
        Some(""),
        Some("sha256="),
        Some("sha1=00"),
        Some(&*bare),
        Some(&*forged),
        Some(&*of_other_bytes),
    ];
    for header in headers {
        let answer = post(&world, raw.as_bytes(), header).await;
        assert_eq!(answer, StatusCode::FORBIDDEN, "{header:?}");
    }
    assert_eq!(rows.all_counts().await, before);
    assert_eq!(standing(&rows).await, ["sent"]);

    // The very same bytes, signed.
    assert_eq!(
        post(&world, raw.as_bytes(), Some(&*signature::sign(&right, raw.as_bytes()))).await,
        StatusCode::OK
    );
    world.receiver.next_of("message.failed").await;
}

async fn post(world: &World, raw: &[u8], signature: Option<&str>) -> StatusCode {
    let mut request = world.api().bare(Method::POST, "/networks/meta/webhook").body(raw.to_vec());
    if let Some(signature) = signature {
        request = request.header("X-Hub-Signature-256", signature);
    }
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn what_is_signed_and_cannot_be_read_is_kept_aside_sealed() {
    let world = World::new().await;
    let rows = world.rows().await;
    let secret = world.secrets.app_secret.clone().into();
    let marked = "a zebra nobody can read";
    let posts: [&[u8]; 5] = [
        b"{\"object\":\"a zebra nobody can read",
        b"[]",
        b"{\"object\":\"whatsapp_business_account\",\"entry\":7}",
        b"\xff\xfe a zebra nobody can read",
        b"",
    ];
    for (count, raw) in (1..).zip(posts) {
        // Anything else than 200 would bring it again and again.
        let answer = post(&world, raw, Some(&*signature::sign(&secret, raw))).await;
        assert_eq!(answer, StatusCode::OK, "{:?}", String::from_utf8_lossy(raw));
        assert_eq!(rows.count("quarantine").await, count);
    }
    assert_eq!(rows.count("journal").await, 0);
    let kept =
        rows.texts("SELECT concat(q::text, encode(q.payload_sealed, 'escape')) FROM quarantine q").await;
    assert!(kept.iter().all(|row| !row.contains("zebra")), "{kept:?}");
    let log = world.service.log();
    assert!(log.iter().any(|line| line.contains("quarantine")));
    assert!(log.iter().all(|line| !line.contains(marked)));
}

#[tokio::test]
async fn the_handshake_is_answered_only_to_who_knows_the_token() {
    let world = World::new().await;
    let shake = async |query: &str| {
        let path = format!("/networks/meta/webhook{query}");
        let answer = world.api().bare(Method::GET, &path).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let right = "hub.verify_token=verify-token-of-the-demo";
    let answer = shake(&format!("?hub.mode=subscribe&hub.challenge=1158201444&{right}")).await;
    assert_eq!(answer, (200, "1158201444".to_owned()));
    for query in [
        String::new(),
        format!("?hub.mode=subscribe&{right}"),
        format!("?hub.challenge=1&{right}"),
        format!("?hub.mode=unsubscribe&hub.challenge=1&{right}"),
        "?hub.mode=subscribe&hub.challenge=1".to_owned(),
        "?hub.mode=subscribe&hub.challenge=1&hub.verify_token=".to_owned(),
        "?hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify-token-of-the-dem".to_owned(),
        "?hub.mode=subscribe&hub.challenge=1&hub.verify_token=VERIFY-TOKEN-OF-THE-DEMO".to_owned(),
    ] {
        let (status, body) = shake(&query).await;
        assert_eq!(status, 403, "{query}");
        assert!(body.contains("\"statusCode\":403"), "{query}: {body}");
    }
    let network = world.control(Method::POST, "handshake", &json!({})).await;
    assert_eq!(network, json!({ "verified": true, "status": 200 }));
}

#[tokio::test]
async fn what_customers_write_to_a_send_only_number_is_acknowledged_and_kept_nowhere() {
    let world = World::new().await;
    let rows = world.rows().await;
    let before = rows.all_counts().await;
    for message in [
        json!({ "type": "text", "text": { "body": "zebra" } }),
        json!({ "type": "image", "image": { "id": "1", "mime_type": "image/jpeg", "sha256": "a" } }),
        json!({ "type": "unsupported", "errors": [{ "code": 131_051, "title": "Unsupported" }] }),
    ] {
        assert_eq!(write(&world, CODES_NUMBER_ID, &message).await, json!({ "status": 200 }), "{message}");
    }
    assert_eq!(rows.all_counts().await, before);
}

#[tokio::test]
async fn the_journal_holds_nothing_in_clear() {
    let mut world = World::new().await;
    let rows = world.rows().await;
    world.service.kill();
    // Without a worker, what is taken in stays where it can be looked at.
    let process = InProcess::over(&world.secrets);
    let serving = process.serve(&[Role::Api]);
    world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    let api = Api::new(&serving.base_url, &world.key);

    let code = json!({ "to": TO, "template": "login_code", "code": "483920", "from": CODES_NUMBER });
    for body in [notice(), code] {
        let answer = api.send(&body).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
    }
    world.simulator.settled().await;
    let message = json!({ "type": "text", "text": { "body": "a zebra wrote this" } });
    assert_eq!(write(&world, SHOP_NUMBER_ID, &message).await, json!({ "status": 200 }));

    let kept = rows.texts("SELECT concat(j::text, encode(j.item_sealed, 'escape')) FROM journal j").await;
    assert_eq!(kept.len(), 7);
    for clear in ["zebra", "7709876543", "Zahra", "wamid", "7701234567", "recipient", "delivered"] {
        assert!(kept.iter().all(|row| !row.contains(clear)), "{clear}: {kept:?}");
    }
    serving.stop().await;
}

/// Has a person write to a number; returns the answer.
async fn write(world: &World, number: &str, message: &Value) -> Value {
    let body =
        json!({ "phoneNumberId": number, "from": "+9647709876543", "name": "Zahra", "message": message });
    world.control(Method::POST, "inbound", &body).await["webhook"].clone()
}
