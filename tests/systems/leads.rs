//! Leads that the team writes down: told of by an event, and to the workspace's own system.

use data_encoding::HEXLOWER;
use reference_shop::Fault;
use reqwest::Method;
use serde_json::{Value, json};

use super::counter::{CUSTOMER, Counter, SECRET};
use crate::support::{Answer, Rows, eventually};

const NEED: &str = "ثلاجة ١٦ قدم بالتقسيط";

impl Counter {
    async fn capture(&self, conversation: &str, body: &Value) -> Answer {
        self.owner.post(&format!("/conversations/{conversation}/leads"), body).await
    }

    async fn capture_once(&self, conversation: &str, key: &str, body: &Value) -> Answer {
        let path = format!("/conversations/{conversation}/leads");
        let request = self.owner.request(Method::POST, &path).header("Idempotency-Key", key).json(body);
        Answer::to(request).await
    }

    /// Waits until the shop has `count` leads.
    async fn told(&self, count: usize) -> Vec<Value> {
        eventually("the shop hears of a lead", async || {
            let leads = self.shop.leads();
            (leads.len() >= count).then_some(leads)
        })
        .await
    }
}

/// Waits until every lead has come to its end; returns the outcomes.
async fn ended(rows: &Rows) -> Vec<String> {
    eventually("every lead has ended", async || {
        let waiting = rows.count("leads WHERE state = 'waiting'").await;
        let states = rows.texts("SELECT state FROM leads ORDER BY created_at, id").await;
        (waiting == 0).then_some(states)
    })
    .await
}

/// Makes everything that waits due.
async fn later(rows: &Rows) {
    // What is due stays as it is: a try may be claiming it at this moment, by a time before now.
    rows.change("UPDATE leads SET due_at = now() - interval '1 minute' WHERE due_at > now()").await;
}

#[tokio::test]
async fn a_lead_is_told_of_to_subscribers_and_once_to_the_system() {
    let counter = Counter::logging("trace").await;
    let created = counter.writes(CUSTOMER).await;
    let conversation = created.text("/data/conversation/id").to_owned();
    let captured = counter.capture(&conversation, &json!({ "need": NEED })).await;
    assert_eq!((captured.status, captured.text("/state")), (201, "waiting"), "{captured:?}");

    let event = counter.world.receiver.next_of("lead.captured").await;
    let lead = json!({ "name": "سارة", "phone": CUSTOMER, "need": NEED });
    let told =
        json!({ "conversationId": conversation, "lead": lead, "customer": created.body["data"]["customer"] });
    assert_eq!(event.body["data"], told);
    assert!(event.text("/createdAt") > created.text("/createdAt"), "in the order in which things happened");

    let pushed = json!({
        "name": "سارة", "phone": CUSTOMER, "note": NEED, "conversationId": conversation,
        "source": "messaging-service",
    });
    assert_eq!(counter.told(1).await, [pushed]);
    let rows = counter.rows().await;
    assert_eq!(ended(&rows).await, ["told"]);
    later(&rows).await;
    let calls = counter.calls("POST /customers").await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!((&calls[0]["result"], &calls[0]["status"]), (&json!("answered"), &json!(200)));
    let log = counter.owner.get("/audit?action=conversation.lead_captured").await;
    assert_eq!((log.text("/rows/0/subject"), log.text("/rows/0/details/state")), (&*conversation, "waiting"));

    // Nothing of whom, of what they need, or of the secret is anywhere in clear.
    let written = rows.texts("SELECT leads::text FROM leads").await.join("\n");
    let written = written + &rows.texts("SELECT audit_log::text FROM audit_log").await.join("\n");
    let log = counter.world.service.log().join("\n");
    for secret in ["7701234567", NEED, SECRET] {
        assert!(!written.contains(secret) && !log.contains(secret), "{secret}");
        assert!(!written.contains(&HEXLOWER.encode(secret.as_bytes())), "{secret}");
    }
}

#[tokio::test]
async fn a_lead_without_a_verified_number_is_told_of_and_pushed_nowhere() {
    let counter = Counter::new().await;
    let conversation = counter.writes_to_page().await.text("/data/conversation/id").to_owned();
    let captured = counter.capture(&conversation, &json!({ "name": "أم علي", "need": NEED })).await;
    assert_eq!((captured.status, captured.text("/state")), (201, "not_told"), "{captured:?}");
    let event = counter.world.receiver.next_of("lead.captured").await;
    assert_eq!(event.body["data"]["lead"], json!({ "name": "أم علي", "phone": null, "need": NEED }));

    // The same where the system keeps no customers.
    counter.shop.switch_on(&[Fault::NoCapabilities]);
    assert_eq!(counter.owner.post("/system/verify", &json!({})).await.status, 200);
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let captured = counter.capture(&conversation, &json!({ "need": NEED })).await;
    assert_eq!(captured.text("/state"), "not_told");
    assert_eq!(counter.world.receiver.next_of("lead.captured").await.text("/data/lead/phone"), CUSTOMER);
    assert_eq!(counter.calls("POST /customers").await, Vec::<Value>::new());
    assert_eq!(counter.shop.leads(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_repeat_with_its_key_writes_nothing_down_again() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let lead = json!({ "need": NEED });
    let first = counter.capture_once(&conversation, "k", &lead).await;
    assert!(first.status == 201 && first.header("idempotency-replayed").is_none(), "{first:?}");
    counter.told(1).await;
    let rows = counter.rows().await;
    ended(&rows).await;
    let again = counter.capture_once(&conversation, "k", &lead).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!((again.text("/id"), again.text("/state")), (first.text("/id"), "told"));
    let other = counter.capture_once(&conversation, "k", &json!({ "need": "غسالة" })).await;
    other.assert_refused(422, "idempotency_key_reused", &json!({}), "another lead");
    for bad in [
        json!({ "need": "" }),
        json!({}),
        json!({ "need": "x".repeat(1001) }),
        json!({ "need": "a", "phone": CUSTOMER }),
    ] {
        assert_eq!(counter.capture(&conversation, &bad).await.status, 400, "{bad}");
    }
    assert_eq!((rows.count("leads").await, counter.shop.leads().len()), (1, 1));

    let neighbour = counter.neighbour().await;
    let theirs = neighbour.post(&format!("/conversations/{conversation}/leads"), &lead).await;
    theirs.assert_error(404, "another workspace's conversation");
    assert_eq!(rows.count("leads").await, 1);
}

#[tokio::test]
async fn a_system_that_is_down_hears_of_a_lead_later_and_is_given_up_after_six_tries() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let rows = counter.rows().await;
    let down = json!([{ "name": "server_error", "route": "customer_create" }]);
    counter.shop.set_faults(&down).unwrap();
    counter.capture(&conversation, &json!({ "need": NEED })).await;
    eventually("the try has failed", async || {
        (counter.calls("POST /customers").await.len() == 1).then_some(())
    })
    .await;
    counter.shop.set_faults(&json!([])).unwrap();
    // The try may be settled only now, and is then due a minute later: so it is made due until it has ended.
    let told = eventually("it is told", async || over(&rows).await).await;
    assert_eq!((told, counter.shop.leads().len()), (vec!["told 2".to_owned()], 1));

    // Down for good: six tries, and no more.
    counter.shop.set_faults(&down).unwrap();
    counter.capture(&conversation, &json!({ "need": NEED })).await;
    // A try is made some seconds after it has become due, so that each is waited for by itself.
    for tries in 1..=6 {
        let tried = format!("leads WHERE state <> 'told' AND attempts >= {tries}");
        eventually("the next try", async || {
            // What the breaker does has tests of its own.
            rows.change("UPDATE systems SET failures = 0").await;
            later(&rows).await;
            (rows.count(&tried).await == 1).then_some(())
        })
        .await;
    }
    let given_up = eventually("it is given up", async || over(&rows).await).await;
    assert_eq!(given_up, ["told 2", "given_up 6"]);
    assert_eq!(counter.shop.leads().len(), 1);
}

/// How every lead ended, and after how many tries; those that wait are due.
async fn over(rows: &Rows) -> Option<Vec<String>> {
    later(rows).await;
    let ended = rows.texts("SELECT state || ' ' || attempts FROM leads ORDER BY created_at, id").await;
    (!ended.iter().any(|lead| lead.starts_with("waiting"))).then_some(ended)
}

#[tokio::test]
async fn a_lead_that_was_being_told_when_the_service_was_killed_is_told_by_the_next() {
    let mut counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    counter.shop.set_faults(&json!([{ "name": "hanging", "route": "customer_create" }])).unwrap();
    assert_eq!(counter.capture(&conversation, &json!({ "need": NEED })).await.status, 201);
    counter.world.receiver.next_of("lead.captured").await;
    eventually("the shop is being told", async || {
        let asked = counter.shop.requests();
        asked.iter().any(|request| request["path"].as_str().unwrap().ends_with("/customers")).then_some(())
    })
    .await;
    counter.world.service.kill();
    counter.shop.set_faults(&json!([])).unwrap();
    counter.world.restart().await;
    let rows = counter.rows().await;
    later(&rows).await;
    assert_eq!(counter.told(1).await.len(), 1);
    assert_eq!(ended(&rows).await, ["told"]);
    assert_eq!(counter.shop.leads().len(), 1);
    assert_eq!(rows.count("delivery_log WHERE event = 'lead.captured'").await, 1, "told of once");
}
