//! The plan: how many customers may be active, and the pause.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{CODES_NUMBER, World};

const PARALLEL: usize = 50;
const LIMIT: usize = 7;

fn to(person: usize) -> String {
    format!("+9647701{person:06}")
}

fn notice(person: usize) -> Value {
    json!({ "to": to(person), "template": "order_ready", "variables": ["Sara", "A-1042"] })
}

fn one_time_code(person: usize) -> Value {
    json!({ "to": to(person), "template": "login_code", "code": "483920" })
}

fn reached() -> Value {
    json!({ "reason": "active_customer_limit" })
}

#[tokio::test]
async fn the_limit_is_exact_under_fifty_parallel_sends() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    world.plan(&["--limit", &LIMIT.to_string()]);
    let requests: Vec<Value> = (0..PARALLEL).map(notice).collect();
    let answers = join_all(requests.iter().map(|request| api.send(request))).await;
    let mut active = Vec::new();
    for (person, answer) in answers.iter().enumerate() {
        if answer.status == 201 {
            active.push(person);
        } else {
            answer.assert_refused(409, "plan_limit", &reached(), &to(person));
        }
    }
    assert_eq!(active.len(), LIMIT);
    assert_eq!(world.simulator.messages().len(), LIMIT);
    for table in ["contacts", "conversations", "messages", "sends"] {
        assert_eq!(rows.count(table).await, i64::try_from(LIMIT).unwrap(), "{table}");
    }
    assert_eq!(rows.count("plan_reservations").await, 0);

    // It stops nobody who is active already, and makes nobody active who gets a code.
    for person in active {
        assert_eq!(api.send(&notice(person)).await.status, 201);
    }
    assert_eq!(api.send(&one_time_code(900)).await.status, 201);
    let mut kept_nowhere = notice(901);
    kept_nowhere["from"] = CODES_NUMBER.into();
    assert_eq!(api.send(&kept_nowhere).await.status, 201);
    api.send(&notice(901)).await.assert_refused(409, "plan_limit", &reached(), "still full");
    assert_eq!(rows.count("contacts").await, i64::try_from(LIMIT).unwrap());

    // Who was active in another month counts no more.
    rows.change("UPDATE contacts SET active_month = (active_month - interval '1 month')::date").await;
    assert_eq!(api.send(&notice(901)).await.status, 201);

    // A higher limit counts from the next send on, and so does a lower one.
    world.plan(&["--limit", "2"]);
    assert_eq!(api.send(&notice(902)).await.status, 201);
    api.send(&notice(903)).await.assert_refused(409, "plan_limit", &reached(), "2 of 2");
    world.plan(&["--limit", "1"]);
    api.send(&notice(903)).await.assert_refused(409, "plan_limit", &reached(), "2 of 1");
    assert_eq!(api.send(&notice(902)).await.status, 201);
    world.plan(&["--unlimited"]);
    assert_eq!(api.send(&notice(903)).await.status, 201);
}

#[tokio::test]
async fn one_person_takes_one_place_however_many_sends_are_under_way() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    world.plan(&["--limit", "1"]);
    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 200 }])).unwrap();
    let request = notice(1);
    let answers = join_all((0..10).map(|_| api.send(&request))).await;
    for answer in &answers {
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        assert_eq!(answer.text("/contactId"), answers[0].text("/contactId"));
        assert_eq!(answer.text("/conversationId"), answers[0].text("/conversationId"));
    }
    assert_eq!(rows.count("contacts").await, 1);
    assert_eq!(rows.count("messages").await, 10);
}

#[tokio::test]
async fn a_send_that_did_not_happen_gives_its_place_back_and_an_open_one_keeps_it() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    world.plan(&["--limit", "1"]);
    for (fault, status) in [
        (json!({ "kind": "error", "code": 131_026 }), 422),
        (json!({ "kind": "throttle", "retryAfter": 60 }), 503),
    ] {
        world.simulator.set_faults(&json!([fault])).unwrap();
        for person in 0..3 {
            assert_eq!(api.send(&notice(person)).await.status, status, "{fault}");
        }
        assert_eq!(rows.count("plan_reservations").await, 0, "{fault}");
    }
    // Nobody knows whether this one makes its person active: no other may until that is known.
    let faults = json!([{ "kind": "drop_statuses" }, { "kind": "cut_after_accept", "times": 1 }]);
    world.simulator.set_faults(&faults).unwrap();
    assert_eq!(api.send(&notice(1)).await.status, 504);
    api.send(&notice(2)).await.assert_refused(409, "plan_limit", &reached(), "the place is held");
    assert_eq!(api.send(&notice(1)).await.status, 201);
    assert_eq!(world.simulator.messages().len(), 2);
}

#[tokio::test]
async fn a_paused_subscription_stops_every_send() {
    let world = World::new().await;
    let api = world.api();
    assert_eq!(api.send(&notice(1)).await.status, 201);
    let first = api.send_once("before", &one_time_code(1)).await;
    world.plan(&["--paused"]);
    let mut kept_nowhere = notice(3);
    kept_nowhere["from"] = CODES_NUMBER.into();
    let paused = json!({ "reason": "subscription_paused" });
    for body in [notice(1), notice(2), one_time_code(1), one_time_code(2), kept_nowhere] {
        api.send(&body).await.assert_refused(409, "plan_limit", &paused, &body.to_string());
    }
    world.plan(&["--paused", "--limit", "0"]);
    api.send(&notice(2)).await.assert_refused(409, "plan_limit", &paused, "both ends of the plan");
    // What was sent before is answered as before, and everything can be read.
    assert_eq!(api.send_once("before", &one_time_code(1)).await.body, first.body);
    assert_eq!(api.get("/v1/templates").await.status, 200);
    assert_eq!(world.simulator.messages().len(), 2);
    world.plan(&["--unlimited"]);
    assert_eq!(api.send(&notice(2)).await.status, 201);
}
