//! Webhook addresses and what was delivered to them, as an owner has them at the dashboard.

use adapter_webhooks::{signature, standard};
use domain::{clock::Clock, webhooks::WebhookSecret};
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;

use super::stage::{OWNER, Stage};
use crate::support::{Answer, Browser, Delivery, Listening, Receiver, World, eventually};

/// An owner at the dashboard of a service that delivers, and an address of their own.
struct Desk<'a> {
    receiver: Receiver,
    owner: Browser,
    address: String,
    secret: WebhookSecret,
    #[expect(dead_code, reason = "the service must outlive the desk")]
    world: &'a World,
}

impl<'a> Desk<'a> {
    async fn of(world: &'a World) -> Self {
        let receiver = Receiver::start().await;
        let owner =
            Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await;
        let new = json!({ "url": receiver.url(), "events": ["lead.captured", "lead.captured"] });
        let added = owner.post("/webhooks", &new).await;
        assert_eq!(added.status, 201, "{added:?}");
        let (address, secret) = (format!("/webhooks/{}", added.text("/id")), added.text("/secret"));
        let secret = WebhookSecret::from(secret.to_owned());
        Self { receiver, owner, address, secret, world }
    }

    async fn post(&self, part: &str, body: &Value) -> Answer {
        self.owner.post(&format!("{}{part}", self.address), body).await
    }

    /// Asks for a ping, and takes it.
    async fn ping(&self) -> Delivery {
        assert_eq!(self.post("/ping", &json!({})).await.status, 202);
        self.receiver.next_of("ping").await
    }

    /// Returns the log, once it has this many lines by the filter.
    async fn log(&self, filter: &str, lines: usize) -> Answer {
        eventually(filter, async || {
            let page = self.owner.get(&format!("{}/deliveries?{filter}", self.address)).await;
            (page.body["rows"].as_array().unwrap().len() == lines).then_some(page)
        })
        .await
    }
}

fn signed_by(secret: &WebhookSecret, delivery: &Delivery) -> bool {
    let header = Some(delivery.header("x-service-signature"));
    signature::verify(secret, header, &delivery.raw, SystemClock.now()).is_ok()
}

#[tokio::test]
async fn an_owner_registers_an_address_and_sees_each_attempt_at_a_delivery() {
    let world = World::new().await;
    let desk = Desk::of(&world).await;
    let shown = desk.owner.get(&desk.address).await;
    assert_eq!((shown.text("/url"), shown.text("/state")), (desk.receiver.url(), "enabled"));
    assert_eq!(shown.body["events"], json!(["lead.captured"]));
    assert!(!desk.owner.get("/webhooks").await.body.to_string().contains("whsec_"));

    desk.receiver.answer_with(410);
    let owed = desk.post("/ping", &json!({})).await;
    let ping = desk.receiver.next_of("ping").await;
    assert!(signed_by(&desk.secret, &ping));
    let failed = desk.log("state=failed&event=ping", 1).await;
    assert_eq!((owed.status, owed.text("/deliveryId")), (202, failed.text("/rows/0/id")));
    let path = format!("/deliveries/{}", failed.text("/rows/0/id"));
    let detail = desk.owner.get(&path).await;
    assert_eq!(detail.text("/body").as_bytes(), ping.raw);
    let attempt = &detail.body["attempts"][0];
    assert_eq!((&attempt["number"], &attempt["status"]), (&json!(1), &json!(410)));
    assert_eq!(attempt["failure"], json!("the answer was status 410"));
    assert!(attempt["durationMs"].is_number() && attempt["startedAt"].is_string(), "{attempt}");

    desk.receiver.answer_with(200);
    assert_eq!(desk.owner.post(&format!("{path}/resend"), &json!({})).await.status, 204);
    assert_eq!(desk.receiver.next().await.raw, ping.raw);
    let delivered = desk.log("state=delivered", 1).await;
    assert_eq!(delivered.body["rows"][0]["attempts"], json!(2));
}

#[tokio::test]
async fn browsers_hear_what_is_done_to_an_address() {
    let world = World::new().await;
    let desk = Desk::of(&world).await;
    let mut listening = Listening::new(&desk.owner, None).await;
    assert_eq!(listening.next().await.unwrap().1, "open");
    desk.ping().await;
    desk.log("state=delivered&event=ping", 1).await;
    for what in ["/pause", "/resume"] {
        assert_eq!(desk.post(what, &json!({})).await.status, 200, "{what}");
    }
    // Of the ping, of the pause and of the resumption.
    let mut heard = 0;
    while heard < 3 {
        let (_, told, about) = listening.next().await.unwrap();
        if told == "webhooks.changed" {
            assert_eq!(about, json!({}));
            heard += 1;
        }
    }
}

#[tokio::test]
async fn an_owner_rotates_a_secret_pauses_an_address_and_sends_what_it_missed() {
    let world = World::new().await;
    let desk = Desk::of(&world).await;
    let rotated = desk.post("/rotate", &json!({ "overlapMinutes": 60 })).await;
    let second = WebhookSecret::from(rotated.text("/secret").to_owned());
    let both = desk.ping().await;
    assert!(signed_by(&desk.secret, &both) && signed_by(&second, &both));
    let third = desk.post("/rotate", &json!({})).await.text("/secret").to_owned();
    assert!(desk.owner.get(&desk.address).await.body["previousSecretUntil"].is_null());
    let headers = desk.owner.patch(&desk.address, &json!({ "standardHeaders": true })).await;
    assert_eq!(headers.body["standardHeaders"], json!(true));
    let standard = desk.ping().await;
    assert!(signed_by(&WebhookSecret::from(third), &standard) && !standard.header(standard::ID).is_empty());

    desk.receiver.answer_with(500);
    for _ in 0..3 {
        desk.ping().await;
    }
    let paused = desk.post("/pause", &json!({})).await;
    assert_eq!((paused.text("/state"), paused.text("/disabledReason")), ("disabled", "paused by its owner"));
    desk.receiver.answer_with(200);
    // What would be tried again in a while is held when its time has come. Nobody waits for an attempt to be
    // written down.
    let rows = world.rows().await;
    eventually("the attempts that failed", async || {
        (rows.count("delivery_queue WHERE attempt = 2").await == 3).then_some(())
    })
    .await;
    rows.change("UPDATE delivery_queue SET due_at = now()").await;
    let held = desk.log("state=held", 3).await;
    let again = format!("/deliveries/{}/resend", held.text("/rows/0/id"));
    let window = json!({ "since": "2020-01-01" });
    desk.post("/resends", &window).await.assert_refused(409, "webhook_disabled", &json!({}), "paused");
    // One by itself goes out all the same, and the address stays as it is.
    assert_eq!(desk.owner.post(&again, &json!({})).await.status, 204);
    desk.receiver.next_of("ping").await;
    desk.log("state=held", 2).await;
    desk.log("state=delivered", 3).await;
    assert_eq!(desk.owner.get(&desk.address).await.text("/state"), "disabled");
    assert_eq!(desk.post("/resume", &json!({})).await.text("/state"), "enabled");
    let job = desk.post("/resends", &window).await;
    assert_eq!((job.status, &job.body["total"]), (201, &json!(2)));
    for _ in 0..2 {
        desk.receiver.next_of("ping").await;
    }
    let path = format!("/resends/{}", job.text("/id"));
    eventually("the window's end", async || {
        let job = desk.owner.get(&path).await;
        let done = job.text("/state") == "done" && job.body["endedAt"].is_string();
        let counts = ["queued", "delivered", "refused", "held", "waiting"].map(|name| job.body[name].clone());
        done.then(|| assert_eq!(counts, [2, 2, 0, 0, 0].map(Value::from)))
    })
    .await;
    let listed = desk.owner.get(&format!("{}/resends", desk.address)).await;
    assert_eq!(listed.text("/rows/0/id"), job.text("/id"));
    desk.log("state=delivered", 5).await;
}

#[tokio::test]
async fn a_disabled_address_is_pinged_once_and_the_log_says_what_it_answered() {
    let world = World::new().await;
    let desk = Desk::of(&world).await;
    assert_eq!(desk.post("/pause", &json!({})).await.text("/state"), "disabled");
    let answered = desk.post("/ping", &json!({})).await;
    let ping = desk.receiver.next_of("ping").await;
    assert!(signed_by(&desk.secret, &ping));
    let delivered = desk.log("state=delivered", 1).await;
    assert_eq!(delivered.text("/rows/0/id"), answered.text("/deliveryId"));

    desk.receiver.answer_with(500);
    desk.ping().await;
    let failed = desk.log("state=failed", 1).await;
    assert_eq!(failed.body["rows"][0]["attempts"], json!(1));
    let detail = desk.owner.get(&format!("/deliveries/{}", failed.text("/rows/0/id"))).await;
    assert_eq!(detail.body["attempts"][0]["status"], json!(500));
    assert_eq!(desk.owner.get(&desk.address).await.text("/state"), "disabled");
}

#[tokio::test]
async fn every_change_of_an_address_is_in_the_log_of_changes_and_no_secret_is() {
    let stage = Stage::new().await;
    let url = "http://127.0.0.1:9/in?token=s3cret";
    let added = stage.owner.post("/webhooks", &json!({ "url": url, "events": ["order.placed"] })).await;
    let address = format!("/webhooks/{}", added.text("/id"));
    let change = stage.owner.patch(&address, &json!({ "events": ["order.cancelled"] })).await;
    assert_eq!(change.body["events"], json!(["order.cancelled"]));
    for part in ["pause", "resume", "ping", "rotate"] {
        let done = stage.owner.post(&format!("{address}/{part}"), &json!({})).await;
        assert!([200, 202, 204].contains(&done.status), "{part}: {done:?}");
    }
    let window = json!({ "since": "2020-01-01T00:00:00Z", "until": "2030-01-01" });
    assert_eq!(stage.owner.post(&format!("{address}/resends"), &window).await.status, 201);
    let log = stage.owner.get(&format!("{address}/deliveries")).await;
    let delivery = log.text("/rows/0/id").to_owned();
    assert_eq!(stage.owner.post(&format!("/deliveries/{delivery}/resend"), &json!({})).await.status, 204);
    assert_eq!(stage.owner.delete(&address).await.status, 204);
    for gone in [stage.owner.delete(&address).await, stage.owner.get(&address).await] {
        gone.assert_error(404, "removed before");
    }
    // The operator's commands are logged as well, without a member.
    let by_operator = ["webhook", "add", &stage.workspace, url, "--event", "order.placed"];
    stage.operator(&by_operator);

    let log = stage.owner.get("/audit").await;
    let word = |row: &Value| row["action"].as_str().unwrap_or_default().to_owned();
    let about = |row: &&Value| ["webhook.", "delivery."].iter().any(|start| word(row).starts_with(start));
    let rows: Vec<&Value> = log.body["rows"].as_array().unwrap().iter().filter(about).collect();
    let mut told: Vec<String> = rows.iter().map(|row| word(row)).collect();
    told.sort_unstable();
    let wanted = [
        "delivery.resent",
        "webhook.added",
        "webhook.added",
        "webhook.changed",
        "webhook.paused",
        "webhook.pinged",
        "webhook.removed",
        "webhook.resumed",
        "webhook.secret_rotated",
        "webhook.window_resent",
    ];
    assert_eq!(told, wanted);
    for by_owner in [true, false] {
        let added = rows.iter().find(|row| {
            word(row) == "webhook.added"
                && (row["memberId"].is_string(), row["address"].is_string()) == (by_owner, by_owner)
        });
        let details = json!({ "events": ["order.placed"], "origin": "http://127.0.0.1:9" });
        assert_eq!(added.map(|row| &row["details"]), Some(&details), "by the owner: {by_owner}");
    }
    let text = log.body.to_string();
    assert!(!text.contains("whsec_") && !text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn the_log_of_deliveries_is_filtered_and_paged() {
    let stage = Stage::new().await;
    let new = json!({ "url": "http://127.0.0.1:9/in", "events": ["order.placed"] });
    let added = stage.owner.post("/webhooks", &new).await;
    let address = format!("/webhooks/{}", added.text("/id"));
    for _ in 0..3 {
        stage.owner.post(&format!("{address}/ping"), &json!({})).await;
    }
    let log = format!("{address}/deliveries");
    let count = |page: &Answer| page.body["rows"].as_array().unwrap().len();
    let first = stage.owner.get(&format!("{log}?limit=2")).await;
    let second = stage.owner.get(&format!("{log}?limit=2&cursor={}", first.text("/nextCursor"))).await;
    assert_eq!((count(&first), count(&second), &second.body["nextCursor"]), (2, 1, &Value::Null));
    for (query, rows) in [
        ("state=pending", 3),
        ("state=failed", 0),
        ("event=ping", 3),
        ("event=ping&state=pending", 3),
        ("event=order.placed", 0),
        ("event=order.placed&state=pending", 0),
        ("since=2020-01-01", 3),
        ("until=2020-01-01", 0),
    ] {
        assert_eq!(count(&stage.owner.get(&format!("{log}?{query}")).await), rows, "{query}");
    }
    for query in ["state=lost", "event=anything", "since=yesterday", "limit=0", "cursor=x"] {
        stage.owner.get(&format!("{log}?{query}")).await.assert_error(400, query);
    }
    let theirs = format!("{log}?event=ping&cursor={}", first.text("/nextCursor"));
    stage.owner.get(&theirs).await.assert_error(400, "the cursor of another list");
}

#[tokio::test]
async fn what_is_wrong_with_an_address_is_said() {
    let stage = Stage::new().await;
    let url = "http://127.0.0.1:9/in";
    for (body, word) in [
        (json!({ "url": url, "events": [] }), "event"),
        (json!({ "url": url, "events": ["everything"] }), "everything"),
        (json!({ "url": url, "events": ["ping"] }), "ping"),
        (json!({ "url": url }), "events"),
        (json!({ "url": "http://10.0.0.1/in", "events": ["order.placed"] }), "url"),
        (json!({ "url": "nowhere", "events": ["order.placed"] }), "url"),
        (json!({ "url": url, "events": ["order.placed"], "secret": "mine" }), "secret"),
    ] {
        let refused = stage.owner.post("/webhooks", &body).await;
        refused.assert_error(400, &body.to_string());
        assert!(refused.text("/message").contains(word), "{body}: {refused:?}");
    }
    let new = json!({ "url": url, "events": ["order.placed"] });
    let added = stage.owner.post("/webhooks", &new).await;
    let address = format!("/webhooks/{}", added.text("/id"));
    stage.owner.patch(&address, &json!({ "events": [] })).await.assert_error(400, "no events");
    for (part, body) in [
        ("rotate", json!({ "overlapMinutes": 10_081 })),
        ("rotate", json!({ "overlapMinutes": -1 })),
        ("resends", json!({ "since": "yesterday" })),
        ("resends", json!({ "since": "2026-01-02", "until": "2026-01-01" })),
        ("resends", json!({})),
    ] {
        let refused = stage.owner.post(&format!("{address}/{part}"), &body).await;
        refused.assert_error(400, &format!("{part} {body}"));
    }
    for path in ["/webhooks/nothing", "/deliveries/nothing", "/resends/nothing"] {
        stage.owner.get(path).await.assert_error(404, path);
    }
    let nowhere = format!("/webhooks/{}/resends", stage.owner.member_id().await);
    stage.owner.post(&nowhere, &json!({ "since": "2020-01-01" })).await.assert_error(404, "unknown address");
    for _ in 1..10 {
        assert_eq!(stage.owner.post("/webhooks", &new).await.status, 201);
    }
    let eleventh = stage.owner.post("/webhooks", &new).await;
    eleventh.assert_refused(409, "too_many_webhooks", &json!({}), "the eleventh");
    let answer = Answer::to(stage.owner.request(Method::PUT, "/webhooks").json(&new)).await;
    answer.assert_error(405, "another method");
}
