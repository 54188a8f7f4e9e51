//! Webhook deliveries to receivers that misbehave, on a clock that the test moves: a real database, real
//! HTTP.

mod stage;

use std::{collections::HashSet, time::Duration};

use adapter_webhooks::signature;
use bounded_http::testing::{Flood, Flooder};
use domain::{
    clock::Clock,
    webhooks::{WebhookSecret, ports::ClaimLimits},
};
use serde_json::json;
use server::system::SystemClock;

use self::stage::{Manner, Misbehaving, Stage};
use crate::support::{Delivery, World, command};

#[tokio::test]
async fn a_receiver_that_takes_eleven_seconds_is_given_up_on_after_ten() {
    let stage = Stage::set(Manner::Never).await;
    stage.owe().await;
    let attempt = async {
        let turn = stage.turn();
        tokio::pin!(turn);
        // Until the receiver has it, and the attempt waits for its time to be over.
        tokio::select! {
            records = &mut turn => panic!("it did not wait: {records:?}"),
            _ = stage.receiver.next() => {}
        }
        stage.pass(Duration::from_millis(9_999));
        let early = result_now(&mut turn).await;
        assert!(early.is_none(), "{early:?}");
        stage.pass(Duration::from_millis(1));
        turn.await
    };
    assert_eq!(attempt.await.len(), 1);
    assert_eq!(stage.attempts().await, ["1, no answer, no answer within 10 seconds, 10000 ms"]);
    assert_eq!(stage.deliveries().await, ["pending after 1"]);
    let gap = stage.due_at().await.unwrap() - stage.process.clock.now();
    assert!(gap >= time::Duration::MINUTE && gap <= time::Duration::seconds(66), "{gap}");
}

#[tokio::test]
async fn a_receiver_that_answers_without_an_end_is_told_as_such() {
    let stage = Stage::set(Manner::Status(200)).await;
    stage.owe_to(Flooder::start(Flood::Interims).unwrap().url()).await;
    assert_eq!(stage.turn().await.len(), 1);
    assert_eq!(stage.attempts().await, ["1, no answer, more came than an answer has, 0 ms"]);
    assert_eq!(stage.deliveries().await, ["pending after 1"]);
}

/// The result of `future`, if it has one already.
async fn result_now<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
    tokio::select! {
        biased;
        done = future => Some(done),
        () = tokio::task::yield_now() => None,
    }
}

#[tokio::test]
async fn a_receiver_that_answers_500_is_tried_seven_times_with_the_same_bytes_signed_anew() {
    let stage = Stage::set(Manner::Status(500)).await;
    stage.owe().await;
    let mut posts: Vec<Delivery> = Vec::new();
    for gap in [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), None] {
        assert_eq!(stage.turn().await.len(), 1, "{gap:?}");
        let post = stage.receiver.next().await;
        let signature = Some(post.header("x-service-signature"));
        assert_eq!(signature::verify(&stage.secret, signature, &post.raw, stage.process.clock.now()), Ok(()));
        posts.push(post);

        let due = stage.due_at().await;
        assert_eq!(due.is_some(), gap.is_some(), "{gap:?}");
        let (Some(due), Some(minutes)) = (due, gap) else { continue };
        let wait = due - stage.process.clock.now();
        let (least, most) = (time::Duration::minutes(minutes), time::Duration::seconds(minutes * 66));
        assert!(least <= wait && wait <= most, "{minutes} minutes: {wait}");
        // Not before its time.
        stage.pass(wait.unsigned_abs().saturating_sub(Duration::from_millis(1)));
        assert!(stage.turn().await.is_empty(), "{gap:?}");
        stage.pass(Duration::from_millis(1));
    }
    stage.pass(Duration::from_hours(24));
    assert!(stage.turn().await.is_empty());
    assert_eq!(stage.receiver.waiting().await, 0);

    assert_eq!(stage.deliveries().await, ["failed after 7"]);
    let attempts = stage.attempts().await;
    let wanted: Vec<String> =
        (1..=7).map(|attempt| format!("{attempt}, 500, the answer was status 500, 0 ms")).collect();
    assert_eq!(attempts, wanted);
    let first = &posts[0];
    for post in &posts {
        assert_eq!(post.raw, first.raw);
        assert_eq!(post.header("x-service-delivery"), first.text("/id"));
        assert_eq!(post.header("user-agent"), "Messaging-Service-Webhooks/1.0");
        assert_eq!(post.header("content-type"), "application/json");
    }
    let signatures: HashSet<&str> = posts.iter().map(|post| post.header("x-service-signature")).collect();
    assert_eq!(signatures.len(), posts.len(), "each attempt is signed at its own time");
    let health = "SELECT concat(state, ' ', consecutive_failures) FROM webhook_addresses";
    assert_eq!(stage.rows.texts(health).await, ["enabled 1"]);
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let stage = Stage::set(Manner::Redirect(302)).await;
    stage.owe().await;
    for (attempt, status) in (1..).zip([301, 302, 303, 307, 308]) {
        stage.receiver.behave(Manner::Redirect(status));
        assert_eq!(stage.turn().await.len(), 1);
        stage.receiver.next().await;
        assert_eq!(stage.receiver.waiting().await, 0, "{status} was followed");
        let words = format!("{attempt}, {status}, the answer was status {status}, 0 ms");
        assert_eq!(stage.attempts().await.last(), Some(&words));
        stage.pass(Duration::from_mins(36));
    }
}

#[tokio::test]
async fn gone_is_final_at_once() {
    let stage = Stage::set(Manner::Status(410)).await;
    stage.owe().await;
    stage.turn().await;
    assert_eq!(stage.deliveries().await, ["failed after 1"]);
    assert_eq!(stage.attempts().await, ["1, 410, the answer was status 410, 0 ms"]);
    assert_eq!(stage.due_at().await, None);
}

#[tokio::test]
async fn any_2xx_ends_it_also_after_failures() {
    let stage = Stage::set(Manner::Status(500)).await;
    for status in [200, 201, 202, 204, 299] {
        stage.owe().await;
        stage.receiver.behave(Manner::Status(500));
        stage.turn().await;
        stage.pass(Duration::from_mins(2));
        stage.receiver.behave(Manner::Status(status));
        stage.turn().await;
        assert_eq!(stage.due_at().await, None, "{status}");
    }
    assert_eq!(stage.deliveries().await, ["delivered after 2"; 5]);
}

#[tokio::test]
async fn a_receiver_that_nobody_answers_for_is_tried_again() {
    let stage = Stage::set(Manner::Status(200)).await;
    stage.owe().await;
    stage.receiver.handle.stop(false).await;
    stage.turn().await;
    assert_eq!(stage.attempts().await, ["1, no answer, the connection was refused, 0 ms"]);
    assert_eq!(stage.deliveries().await, ["pending after 1"]);
}

#[tokio::test]
async fn fifty_final_failures_disable_an_address_and_what_waited_is_held() {
    let stage = Stage::set(Manner::Status(500)).await;
    // One waits for its next attempt while the others fail for good.
    stage.owe().await;
    stage.turn().await;
    stage.receiver.behave(Manner::Status(410));
    for _ in 0..49 {
        stage.owe().await;
    }
    assert_eq!(stage.turn().await.len(), 49);
    let health =
        "SELECT concat_ws('; ', state, consecutive_failures, disabled_reason) FROM webhook_addresses";
    assert_eq!(stage.rows.texts(health).await, ["enabled; 49"]);
    stage.owe().await;
    stage.turn().await;
    let reason = "50 deliveries in a row failed for good; the last: the answer was status 410";
    assert_eq!(stage.rows.texts(health).await, [format!("disabled; 50; {reason}")]);

    stage.owe().await;
    stage.pass(Duration::from_hours(2));
    assert_eq!(stage.turn().await.len(), 1, "a test goes out all the same");
    assert_eq!(stage.due_at().await, None);
    let deliveries = stage.deliveries().await;
    assert_eq!(deliveries.first().map(String::as_str), Some("held after 1"), "what waited");
    assert_eq!(deliveries.iter().filter(|delivery| *delivery == "failed after 1").count(), 51);
}

#[tokio::test]
async fn a_success_starts_the_count_anew() {
    let stage = Stage::set(Manner::Status(410)).await;
    for (failures, then) in [(49, 200), (49, 204), (1, 410)] {
        stage.receiver.behave(Manner::Status(410));
        for _ in 0..failures {
            stage.owe().await;
        }
        stage.turn().await;
        stage.receiver.behave(Manner::Status(then));
        stage.owe().await;
        stage.turn().await;
    }
    let health = "SELECT concat(state, ' ', consecutive_failures) FROM webhook_addresses";
    assert_eq!(stage.rows.texts(health).await, ["enabled 2"]);
}

#[tokio::test]
async fn a_ping_reaches_one_address_whatever_it_subscribes_to() {
    let world = World::new().await;
    let second = Misbehaving::start(Manner::Status(200));
    let added = world.operator(&["webhook", "add", &world.workspace, &second.url, "--event", "message.read"]);
    let part = |nth: usize| added.split_whitespace().nth(nth).unwrap().to_owned();
    let (address, secret) = (part(1), WebhookSecret::from(part(2)));
    world.operator(&["webhook", "ping", &world.workspace, &address]);
    let ping = second.next().await;
    let signature = Some(ping.header("x-service-signature"));
    assert_eq!(signature::verify(&secret, signature, &ping.raw, SystemClock.now()), Ok(()));
    assert_eq!((ping.kind(), ping.header("x-service-event")), ("ping", "ping"));
    assert_eq!(ping.text("/team/id"), world.workspace);
    assert!(!ping.text("/data/message").is_empty());
    assert_eq!(world.receiver.rest().await.len(), 0);

    // Of a notice it hears what it subscribes to, also while the other address is down.
    world.receiver.stop().await;
    let notice = json!({ "to": "0770 123 4567", "template": "store_hours" });
    assert_eq!(world.api().send(&notice).await.status, 201);
    assert_eq!(second.next().await.kind(), "message.read");
    assert_eq!(second.waiting().await, 0);
}

#[tokio::test]
async fn a_receiver_that_was_down_gets_everything_once_the_service_delivers_again() {
    let mut world = World::new().await;
    world.receiver.answer_with(503);
    let notice = json!({ "to": "0770 123 4567", "template": "store_hours" });
    let id = world.api().send(&notice).await.text("/id").to_owned();
    let first = world.receiver.next_of("message.sent").await;
    world.simulator.settled().await;
    world.service.terminate();
    world.receiver.answer_with(200);
    world.receiver.rest().await;
    world.rows().await.change("UPDATE delivery_queue SET due_at = now()").await;
    world.restart().await;

    let again = world.receiver.next_of("message.sent").await;
    assert_eq!(again.text("/data/message/id"), id);
    assert_eq!((&again.raw, again.header("x-service-delivery")), (&first.raw, first.text("/id")));
}

#[tokio::test]
async fn addresses_off_the_public_internet_are_refused_in_one_line() {
    let world = World::new().await;
    let add = |url: &str| {
        let mut command = command(&world.secrets);
        command.env("MESSAGING_ALLOW_NETWORKS", "").args(["webhook", "add", &world.workspace, url]);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.stdout, b"", "{url}");
        (output.status.code(), said)
    };
    for url in [
        "http://example.com/events",
        "http://127.0.0.1:8080/events",
        "https://127.0.0.1/events",
        "https://2130706433/events",
        "https://0x7f.1/events",
        "https://[::1]/events",
        "https://[::ffff:127.0.0.1]/events",
        "https://10.0.0.1/",
        "https://172.16.5.4/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://localhost/events",
        "https://hooks.internal/events",
        "https://printer.local/events",
        "https://me:hunter2@example.com/events",
        "https://example.com:0/events",
        "ftp://example.com/events",
        "file:///etc/passwd",
    ] {
        let (code, said) = add(url);
        assert_eq!(code, Some(1), "{url}: {said}");
        assert_eq!(said.lines().count(), 1, "{url}: {said}");
        assert!(said.starts_with("messaging-service: "), "{url}: {said}");
        assert!(!said.contains("hunter2"), "{url}: {said}");
    }
    assert_eq!(world.rows().await.count("webhook_addresses").await, 1);
}

#[tokio::test]
async fn a_delivery_to_an_address_that_is_no_longer_allowed_is_not_made() {
    let stage = Stage::set(Manner::Status(200)).await;
    stage.owe().await;
    let strict =
        server::wiring::guarded_client(guarded_http::Policy::default(), &tls_trust::Trust::default())
            .unwrap();
    let deliver = server::wiring::deliver_due(&stage.process.foundation, strict);
    let claimed = deliver.claim(stage.workspace, &ClaimLimits::any(10)).await.unwrap();
    let record = deliver.attempt(&claimed.due[0]).await.unwrap();
    deliver.record(stage.workspace, &[record]).await.unwrap();
    assert_eq!(
        stage.attempts().await,
        ["1, no answer, the address must use https; an operator may allow http to networks that they name \
         (`allow_networks`), 0 ms"]
    );
    assert_eq!(stage.receiver.waiting().await, 0);
}
