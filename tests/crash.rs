//! Sends whose answer never came: after a crash, after a cut connection. The network's status settles them,
//! and nothing is sent twice.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use server::config::Role;

use crate::support::{Answer, Api, InProcess, World, eventually};

const TO: &str = "0770 123 4567";
const KEY: &str = "order-1042";

fn notice() -> Value {
    json!({
        "to": TO, "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"],
        "name": "سارة", "reference": "order-1042",
    })
}

fn one_time_code() -> Value {
    json!({ "to": TO, "template": "login_code", "code": "483920", "reference": "login-7" })
}

/// Fault: the network accepts and never answers, nor reports a status.
fn silence() -> Value {
    json!([{ "kind": "hang_after_accept" }, { "kind": "drop_statuses" }])
}

/// Fault: the network accepts, and the connection breaks.
fn cut() -> Value {
    json!([{ "kind": "cut_after_accept" }, { "kind": "drop_statuses" }])
}

/// The id of the only message that the network has accepted.
fn accepted(world: &World) -> Option<String> {
    let messages = world.simulator.messages();
    assert!(messages.len() < 2, "sent twice: {messages:?}");
    Some(messages.first()?["id"].as_str().unwrap().to_owned())
}

/// Has the network report a status of the message again.
async fn post_status(world: &World, network_id: &str, status: &str) {
    let body = json!({ "messageId": network_id, "status": status });
    let posted = world.control(Method::POST, "statuses", &body).await;
    assert_eq!(posted, json!({ "webhook": { "status": 200 } }));
}

/// The answer once the send is no longer in flight.
async fn settled(api: &Api, body: &Value) -> Answer {
    eventually("a settled send", async || {
        let answer = api.send_once(KEY, body).await;
        (answer.text("/code") != "request_in_flight").then_some(answer)
    })
    .await
}

/// The service is killed while the network has the message and the service does not know it yet.
async fn killed_between_acceptance_and_record(body: &Value) -> (World, String) {
    let mut world = World::new().await;
    world.simulator.set_faults(&silence()).unwrap();
    let request = world.api().request(Method::POST, "/v1/messages/template");
    let request = request.header("Idempotency-Key", KEY).json(body);
    let waiting = tokio::spawn(request.send());
    let network_id = eventually("the network's acceptance", async || accepted(&world)).await;

    world.crash_and_restart().await;
    assert!(waiting.await.unwrap().is_err(), "the caller was answered by a dead service");
    (world, network_id)
}

#[tokio::test]
async fn a_notice_that_a_crash_cut_off_is_settled_by_its_status_and_replayed() {
    let (world, network_id) = killed_between_acceptance_and_record(&notice()).await;
    let (api, rows) = (world.api(), world.rows().await);
    for _ in 0..2 {
        api.send_once(KEY, &notice()).await.assert_refused(409, "request_in_flight", &json!({}), "a repeat");
    }
    assert_eq!(rows.count("messages").await, 0);

    post_status(&world, &network_id, "delivered").await;
    let replay = settled(&api, &notice()).await;
    assert_eq!(replay.status, 201, "{:?}", replay.body);
    assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    assert_eq!(replay.text("/message/content"), "مرحبا سارة، طلبك A-1042 جاهز للاستلام.");
    assert_eq!(api.send_once(KEY, &notice()).await.body, replay.body);

    let sent = world.receiver.next_of("message.sent").await;
    assert_eq!(sent.text("/data/message/id"), replay.text("/id"));
    assert_eq!(sent.text("/data/conversationId"), replay.text("/conversationId"));
    let delivered = world.receiver.next_of("message.delivered").await;
    assert_eq!(delivered.text("/data/messageId"), replay.text("/id"));
    assert_eq!(delivered.text("/data/reference"), "order-1042");

    let tables = ["contacts", "conversations", "messages", "sends"];
    assert!(rows.counts(&tables).await.values().all(|count| *count == 1));
    assert_eq!(rows.count("deliveries").await, 2);
    assert_eq!(accepted(&world), Some(network_id));
}

#[tokio::test]
async fn a_one_time_code_that_a_crash_cut_off_is_settled_by_its_status_and_replayed() {
    let (world, network_id) = killed_between_acceptance_and_record(&one_time_code()).await;
    let (api, rows) = (world.api(), world.rows().await);
    let repeat = api.send_once(KEY, &one_time_code()).await;
    repeat.assert_refused(409, "request_in_flight", &json!({}), "a repeat");

    post_status(&world, &network_id, "read").await;
    let replay = settled(&api, &one_time_code()).await;
    assert_eq!(replay.status, 201, "{:?}", replay.body);
    assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    assert_eq!(replay.text("/to"), "+9647701234567");
    let read = world.receiver.next_of("message.read").await;
    assert_eq!(read.text("/data/messageId"), replay.text("/id"));
    assert!(rows.counts(&["contacts", "conversations", "messages"]).await.values().all(|count| *count == 0));
    assert_eq!(accepted(&world), Some(network_id));
}

#[tokio::test]
async fn a_send_whose_connection_broke_is_answered_as_unknown_and_settled_by_its_status() {
    for body in [notice(), one_time_code()] {
        let world = World::new().await;
        let api = world.api();
        world.simulator.set_faults(&cut()).unwrap();
        let unknown = api.send_once(KEY, &body).await;
        let id = unknown.text("/details/id").to_owned();
        unknown.assert_open("cut off");
        api.send_once(KEY, &body).await.assert_refused(409, "request_in_flight", &json!({}), "a repeat");

        let network_id = accepted(&world).unwrap();
        // Even a failure proves that the network had it.
        post_status(&world, &network_id, "failed").await;
        let replay = settled(&api, &body).await;
        assert_eq!((replay.status, replay.text("/id")), (201, id.as_str()), "{:?}", replay.body);
        assert_eq!(replay.header("idempotency-replayed"), Some("true"));
        assert_eq!(world.receiver.next_of("message.failed").await.text("/data/messageId"), id);
        assert_eq!(accepted(&world), Some(network_id));
    }
}

#[tokio::test]
async fn an_unknown_outcome_without_a_key_is_settled_too() {
    let world = World::new().await;
    world.simulator.set_faults(&cut()).unwrap();
    let unknown = world.api().send(&notice()).await;
    let id = unknown.text("/details/id").to_owned();
    unknown.assert_open("cut off");
    post_status(&world, &accepted(&world).unwrap(), "sent").await;
    assert_eq!(world.receiver.next_of("message.sent").await.text("/data/message/id"), id);
}

#[tokio::test]
async fn what_the_network_took_while_the_database_took_nothing_is_written_down_once_that_does() {
    let mut world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let full = "ALTER TABLE messages ADD CONSTRAINT nothing CHECK (false) NOT VALID";
    let mended = "ALTER TABLE messages DROP CONSTRAINT nothing";
    rows.change(full).await;
    let open = api.send_once(KEY, &notice()).await;
    open.assert_open("nothing can be written");
    rows.change(mended).await;
    let replay = settled(&api, &notice()).await;
    assert_eq!((replay.status, replay.text("/id")), (201, open.text("/details/id")), "{:?}", replay.body);
    assert_eq!(world.receiver.next_of("message.sent").await.text("/data/message/id"), replay.text("/id"));
    assert_eq!((rows.count("messages").await, accepted(&world).is_some()), (1, true));

    // A process that is asked to end writes it down before.
    rows.change(full).await;
    api.send_once("another", &notice()).await.assert_open("nothing can be written");
    rows.change(mended).await;
    assert!(world.service.terminate());
    assert_eq!((rows.count("messages").await, rows.count("sends WHERE state = 'in_flight'").await), (2, 0));
}

#[tokio::test]
async fn a_status_that_overtakes_the_answer_settles_the_send_and_the_answer_is_the_same() {
    let world = World::new().await;
    world.simulator.set_faults(&json!([{ "kind": "status_before_response", "waitMs": 20_000 }])).unwrap();
    for body in [notice(), one_time_code()] {
        let answer = world.api().send(&body).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        assert_eq!(answer.header("idempotency-replayed"), None);
        let delivered = world.receiver.next_of("message.delivered").await;
        assert_eq!(delivered.text("/data/messageId"), answer.text("/id"));
    }
    let rows = world.rows().await;
    assert!(rows.counts(&["contacts", "conversations", "messages"]).await.values().all(|count| *count == 1));
    assert_eq!(world.simulator.messages().len(), 2);
}

#[tokio::test]
async fn a_status_that_overtakes_an_answer_that_never_comes_settles_the_send() {
    let world = World::new().await;
    let faults =
        json!([{ "kind": "status_before_response", "waitMs": 20_000 }, { "kind": "cut_after_accept" }]);
    world.simulator.set_faults(&faults).unwrap();
    let unknown = world.api().send_once(KEY, &notice()).await;
    let id = unknown.text("/details/id").to_owned();
    unknown.assert_open("cut off");
    let replay = settled(&world.api(), &notice()).await;
    assert_eq!((replay.status, replay.text("/id")), (201, id.as_str()), "{:?}", replay.body);
    assert_eq!(world.simulator.messages().len(), 1);
}

#[tokio::test]
async fn a_send_that_nobody_settles_is_unknown_again_after_a_minute_and_settled_at_any_time() {
    let mut world = World::new().await;
    world.simulator.set_faults(&cut()).unwrap();
    let unknown = world.api().send_once(KEY, &notice()).await;
    let id = unknown.text("/details/id").to_owned();
    let details = json!({ "id": id, "since": unknown.text("/details/since") });
    unknown.assert_refused(504, "outcome_unknown", &details, "cut off");
    world.service.kill();

    let later = InProcess::over(&world.secrets);
    let serving = later.serve(&[Role::Api, Role::Worker]);
    world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    let api = Api::new(&serving.base_url, &world.key);
    let passed = async |minutes: u64| {
        later.clock.advance(Duration::from_mins(minutes));
        api.send_once(KEY, &notice()).await
    };
    for (minutes, about) in [(1, "a minute"), (3 * 24 * 60, "three days")] {
        let answer = passed(minutes).await;
        answer.assert_refused(504, "outcome_unknown", &details, about);
        for words in ["nothing ever will", "a second time", "make a new one"] {
            assert!(answer.text("/message").contains(words), "{:?}", answer.body);
        }
    }

    post_status(&world, &accepted(&world).unwrap(), "delivered").await;
    let replay = eventually("a settled send", async || {
        let answer = passed(0).await;
        (answer.status != 504).then_some(answer)
    })
    .await;
    assert_eq!((replay.status, replay.text("/id")), (201, id.as_str()), "{:?}", replay.body);
    assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    assert_eq!(world.simulator.messages().len(), 1);
    serving.stop().await;
}
