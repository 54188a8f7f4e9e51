//! What customers write, in bursts: every message once, every event delivered, one conversation for each,
//! whatever happens to the nodes meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{Answer, Api, Rows, Service, World, eventually};

/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";
/// The number, the page and the Instagram account that people write to, each their own.
const CHANNELS: [&str; 3] = [NUMBER, "1234567890", "17841400000000001"];
const PEOPLE: i64 = 20;
const MESSAGES: i64 = 4;
/// All that they write.
const WRITTEN: i64 = 3 * PEOPLE * MESSAGES;

const RECORDED: &str = "messages WHERE role = 'customer'";

/// Lets everybody write all their messages; each post comes twice, and in disorder. Returns once every post
/// has had its first attempt; the network goes on with those that were not acknowledged.
fn burst(world: &World) -> JoinHandle<Value> {
    let base = world.secrets.graph_url.trim_end_matches('/').to_owned();
    let traffic = json!({
        "channelIds": CHANNELS, "people": PEOPLE, "messages": MESSAGES, "perPost": 3, "copies": 2,
        "shuffled": true, "seed": 7, "concurrency": 4,
    });
    tokio::spawn(async move {
        let request = Api::new(&base, "").request(Method::POST, "/control/traffic").json(&traffic);
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        answer.body
    })
}

/// Waits until `at_least` messages are recorded.
async fn recorded(rows: &Rows, at_least: i64) {
    let what = format!("{at_least} recorded messages");
    eventually(&what, async || (rows.count(RECORDED).await >= at_least).then_some(())).await;
}

/// Makes the deliveries of a dead node due again, as they are a minute later.
async fn leases_run_out(rows: &Rows) {
    rows.change("UPDATE delivery_queue SET due_at = now() WHERE due_at > now()").await;
    rows.change("UPDATE delivery_queue SET leased_until = now() WHERE leased_until > now()").await;
}

/// Checks that everything exists exactly once, and was reported exactly once.
async fn assert_whole(world: &World, rows: &Rows) {
    let everybody = 3 * PEOPLE;
    recorded(rows, WRITTEN).await;
    eventually("an empty journal and queue", async || {
        let left = rows.count("journal").await + rows.count("delivery_queue").await;
        (left == 0).then_some(())
    })
    .await;
    let counts = rows.counts(&["messages", "contacts", "conversations", "quarantine"]).await;
    let wanted = [("messages", WRITTEN), ("contacts", everybody), ("conversations", everybody)];
    for (table, count) in wanted.into_iter().chain([("quarantine", 0)]) {
        assert_eq!(counts[table], count, "{table}");
    }
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for delivery in world.receiver.rest().await {
        let what = match delivery.kind() {
            "message.received" => delivery.text("/data/message/id"),
            "conversation.created" => delivery.text("/data/conversation/id"),
            other => panic!("an unexpected event: {other}"),
        };
        told.entry(delivery.kind().to_owned()).or_default().insert(what.to_owned());
    }
    let count = |kind: &str| i64::try_from(told.get(kind).map_or(0, BTreeSet::len)).unwrap();
    assert_eq!(count("message.received"), WRITTEN);
    assert_eq!(count("conversation.created"), everybody);
    let owed = rows.count("deliveries").await;
    assert_eq!(owed, WRITTEN + everybody, "no event twice");
}

#[tokio::test]
async fn what_a_customer_writes_is_in_the_inbox_and_told_to_subscribers() {
    let world = World::new().await;
    let traffic = json!({ "channelIds": [NUMBER], "people": 1 });
    world.control(Method::POST, "traffic", &traffic).await;
    let created = world.receiver.next_of("conversation.created").await;
    assert_eq!(created.body["data"]["reopened"], json!(false));
    let received = world.receiver.next_of("message.received").await;
    assert_eq!(received.text("/data/message/role"), "customer");
    assert_eq!(received.text("/data/message/content"), "Message 1 of person 0");
    let conversation = created.text("/data/conversation/id");
    assert_eq!(received.text("/data/conversationId"), conversation);

    let api = world.api();
    let shown = api.get(&format!("/v1/conversations/{conversation}")).await;
    assert_eq!((shown.status, shown.text("/status"), shown.text("/channel")), (200, "bot", "whatsapp"));
    let messages = api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    assert_eq!(messages.text("/data/0/id"), received.text("/data/message/id"));
    let contact = api.get(&format!("/v1/contacts/{}", shown.text("/contactId"))).await;
    assert_eq!((contact.text("/source"), &contact.body["channels"]), ("messaged", &json!(["whatsapp"])));
    assert_eq!(contact.text("/id"), received.text("/data/customer/id"));
}

#[tokio::test]
async fn a_burst_survives_a_kill_at_any_moment() {
    let mut world = World::new().await;
    world.connect_page();
    let rows = world.rows().await;
    let posting = burst(&world);
    // A moment is wherever the work happens to be when so much of it is done.
    for done in [1, 37, 92, 160] {
        recorded(&rows, done).await;
        world.crash_and_restart().await;
        leases_run_out(&rows).await;
    }
    posting.await.unwrap();
    assert_whole(&world, &rows).await;
}

#[tokio::test]
async fn a_node_may_join_and_leave_in_the_middle_of_a_burst() {
    let world = World::new().await;
    world.connect_page();
    let rows = world.rows().await;
    let posting = burst(&world);
    recorded(&rows, 10).await;
    let mut leaving = Service::start(&world.secrets).await;
    let mut dying = Service::start(&world.secrets).await;
    world.simulator.set_webhook_url(Some(leaving.network_webhook())).unwrap();
    recorded(&rows, 60).await;
    world.simulator.set_webhook_url(Some(dying.network_webhook())).unwrap();
    assert!(leaving.terminate());
    recorded(&rows, 110).await;
    dying.kill();
    leases_run_out(&rows).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    posting.await.unwrap();
    assert_whole(&world, &rows).await;
}

#[tokio::test]
async fn of_forged_posts_nothing_is_stored() {
    let world = World::new().await;
    let rows = world.rows().await;
    let traffic = json!({ "channelIds": [NUMBER], "people": 1, "forged": 5 });
    let told = world.control(Method::POST, "traffic", &traffic).await;
    assert_eq!((&told["posts"], &told["taken"]), (&json!(6), &json!(1)));
    let unsigned = Api::new(world.service.base_url(), "").bare(Method::POST, "/networks/meta/webhook");
    let body = json!({ "object": "whatsapp_business_account", "entry": [] });
    assert_eq!(unsigned.json(&body).send().await.unwrap().status(), 403);
    recorded(&rows, 1).await;
    let counts = rows.counts(&["contacts", "conversations", "messages", "quarantine"]).await;
    assert_eq!(counts.values().copied().collect::<Vec<_>>(), [1, 1, 1, 0]);
}
