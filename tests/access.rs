//! Who is let in, how often, to what, and that workspaces do not see each other.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, Api, CLINIC_NUMBER, CODES_NUMBER, NEIGHBOUR_NUMBER, SHOP_NUMBER, World};

const SEND: &str = "/v1/messages/template";
const LIMIT: u32 = 600;

fn notice() -> Value {
    json!({ "to": "0770 123 4567", "template": "order_ready", "variables": ["Sara", "A-1042"] })
}

/// Returns the requests left, from the answer's header.
#[track_caller]
fn remaining(answer: &Answer) -> u32 {
    assert_eq!(answer.header("x-ratelimit-limit"), Some("600"), "{answer:?}");
    answer.header("x-ratelimit-remaining").unwrap().parse().unwrap()
}

/// Asserts that this answer does not speak of a rate.
#[track_caller]
fn assert_uncounted(answer: &Answer) {
    for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "retry-after"] {
        assert_eq!(answer.header(header), None, "{answer:?}");
    }
}

/// Asserts that this is the answer over the limit.
#[track_caller]
fn assert_over_limit(answer: &Answer, about: &str) {
    answer.assert_error(429, about);
    assert_eq!(remaining(answer), 0, "{about}");
    let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{about}: {seconds}");
}

/// Ends the windows of every key: as if all had made 600 requests in a minute that is yet to come, so that no
/// minute ends during the test.
async fn exhaust_every_key(world: &World) {
    let rows = world.rows().await;
    rows.change("UPDATE rate_windows SET used = 600, started_at = started_at + interval '10 minutes'").await;
}

#[tokio::test]
async fn a_request_is_let_in_by_its_key_then_its_rate_then_its_scope_then_its_shape() {
    let world = World::new().await;
    let (reader, sender) = (world.api_with(&["conversations:read"]), world.api_with(&["messages:send"]));
    let unknown = Api::new(world.service.base_url(), &format!("msk_{}", "0".repeat(64)));
    // Each of these is wrong in every way that its route knows.
    let requests = |api: &Api| {
        [
            api.request(Method::POST, SEND).header("Idempotency-Key", "").body("{"),
            api.request(Method::POST, SEND).body(vec![b'{'; 2 * 1024 * 1024]),
            api.request(Method::GET, "/v1/templates?status=none"),
            api.request(Method::GET, "/v1/nothing"),
            api.request(Method::DELETE, "/v1/me"),
        ]
    };
    for request in requests(&unknown) {
        let answer = Answer::to(request).await;
        answer.assert_error(401, "unknown key");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert_uncounted(&answer);
    }
    for (request, status) in requests(&reader).into_iter().zip([403, 403, 403, 404, 405]) {
        let answer = Answer::to(request).await;
        answer.assert_error(status, "scope");
        remaining(&answer);
    }
    for (request, status) in requests(&sender).into_iter().zip([400, 413, 400, 404, 405]) {
        let answer = Answer::to(request).await;
        answer.assert_error(status, "shape");
        remaining(&answer);
    }
    exhaust_every_key(&world).await;
    for request in requests(&reader).into_iter().chain(requests(&sender)) {
        assert_over_limit(&Answer::to(request).await, "rate");
    }
    for request in requests(&unknown) {
        Answer::to(request).await.assert_error(401, "unknown key");
    }
    assert_eq!(world.simulator.messages().len(), 0);
}

#[tokio::test]
async fn a_key_opens_what_its_scopes_say_until_it_is_revoked() {
    let world = World::new().await;
    let scopes = ["contacts:read", "contacts:write", "conversations:read", "messages:send"];
    for scope in scopes {
        let api = world.api_with(&[scope]);
        for (method, path, wanted, granted) in [
            (Method::GET, "/v1/me", "contacts:read", 200),
            (Method::GET, "/v1/templates", "messages:send", 200),
            (Method::POST, SEND, "messages:send", 201),
        ] {
            let mut request = api.request(method, path);
            if granted == 201 {
                request = request.json(&notice());
            }
            let answer = Answer::to(request).await;
            remaining(&answer);
            if scope == wanted {
                assert_eq!(answer.status, granted, "{scope} {path}: {:?}", answer.body);
            } else {
                answer.assert_error(403, &format!("{scope} {path}"));
                assert!(answer.text("/message").contains(wanted), "{:?}", answer.body);
            }
        }
    }
    assert_eq!(world.simulator.messages().len(), 1);

    let api = world.api_with(&["messages:send", "contacts:read"]);
    let me = api.get("/v1/me").await;
    let key = me.text("/key/id").to_owned();
    let wanted = json!({
        "team": { "id": world.workspace, "name": "Palm Store" },
        "key": { "id": key, "scopes": me.body["key"]["scopes"] },
    });
    assert_eq!(me.body, wanted);
    let mut held: Vec<&str> =
        me.body["key"]["scopes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    held.sort_unstable();
    assert_eq!(held, ["contacts:read", "messages:send"]);

    assert_eq!(api.send_once("key", &notice()).await.status, 201);
    world.operator(&["key", "revoke", &world.workspace, &key]);
    for answer in
        [api.get("/v1/me").await, api.send_once("key", &notice()).await, api.get("/v1/nothing").await]
    {
        answer.assert_error(401, "revoked");
        assert_uncounted(&answer);
    }
    // The workspace's other keys stay, and what was sent with the revoked one is remembered.
    let replay = world.api().send_once("key", &notice()).await;
    assert_eq!((replay.status, replay.header("idempotency-replayed")), (201, Some("true")));
}

#[tokio::test]
async fn a_key_opens_nothing_outside_v1_and_nothing_else_opens_v1() {
    let world = World::new().await;
    let api = world.api();
    for path in [
        "/",
        "/v1x",
        "/v2/me",
        "/V1/me",
        "/me",
        "/metrics",
        "/healthz",
        "/networks",
        "/networks/meta/webhook",
    ] {
        for method in [Method::GET, Method::POST, Method::PUT] {
            let answer = Answer::to(api.request(method.clone(), path)).await;
            answer.assert_error(401, &format!("{method} {path}"));
            assert_uncounted(&answer);
        }
    }
    let key = &world.key;
    for request in [
        api.bare(Method::GET, "/v1/me"),
        api.bare(Method::GET, "/v1/me").header("cookie", format!("session={key}")),
        api.bare(Method::GET, "/v1/me").header("x-api-key", key),
        api.bare(Method::GET, "/v1/me").basic_auth("msk", Some(key)),
        api.bare(Method::GET, "/v1/me").header("authorization", format!("Token {key}")),
        api.bare(Method::GET, &format!("/v1/me?access_token={key}&key={key}")),
    ] {
        let answer = Answer::to(request).await;
        answer.assert_error(401, "no key");
        assert_uncounted(&answer);
    }
    // The scheme's name is read in any case.
    let shouted = api.bare(Method::GET, "/v1/me").header("authorization", format!("BEARER {key}"));
    assert_eq!(Answer::to(shouted).await.status, 200);
}

#[tokio::test]
async fn the_first_request_over_600_in_a_minute_waits_for_the_next() {
    let world = World::new().await;
    let api = world.api_with(&["messages:send"]);
    // Whatever they are answered with, all of them count.
    let kinds = [
        (Method::GET, "/v1/templates?category=AUTHENTICATION", 200),
        (Method::GET, "/v1/templates?status=none", 400),
        (Method::POST, SEND, 400),
        (Method::GET, "/v1/me", 403),
        (Method::GET, "/v1/nothing", 404),
        (Method::DELETE, "/v1/me", 405),
    ];
    let mut before = LIMIT;
    let mut over = None;
    for (index, (method, path, status)) in kinds.iter().cycle().take(1_300).enumerate() {
        let answer = Answer::to(api.request(method.clone(), path)).await;
        let left = remaining(&answer);
        if answer.status == 429 {
            assert_eq!(before, 0, "request {index}");
            over = Some(answer);
            break;
        }
        assert_eq!(answer.status, *status, "{method} {path}");
        assert_eq!(answer.header("retry-after"), None);
        // One fewer, or the first of a new minute.
        assert!(
            before.checked_sub(1) == Some(left) || left == LIMIT - 1,
            "request {index}: {before}, then {left}"
        );
        before = left;
    }
    assert_over_limit(&over.expect("a refusal"), "the first over the limit");

    // Other keys have windows of their own.
    assert_eq!(world.api().get("/v1/templates").await.status, 200);
}

#[tokio::test]
async fn every_answer_to_a_valid_key_tells_the_state_of_its_window() {
    let world = World::new().await;
    let api = world.api();
    world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    assert_eq!(api.send_once("sent", &notice()).await.status, 201);
    // A window that does not end during the test.
    let rows = world.rows().await;
    rows.change("UPDATE rate_windows SET used = 100, started_at = started_at + interval '10 minutes'").await;
    let mut expected = LIMIT - 100;
    let mut check = |answer: &Answer, status: u16| {
        expected -= 1;
        assert_eq!(answer.status, status, "{:?}", answer.body);
        assert_eq!(remaining(answer), expected, "{status}: {:?}", answer.body);
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{status}");
    };
    check(&api.get("/v1/me").await, 200);
    check(&api.get("/v1/templates").await, 200);
    check(&api.get("/v1/templates?status=none").await, 400);
    check(&api.get("/v1").await, 404);
    check(&Answer::to(api.request(Method::PUT, SEND)).await, 405);
    check(&Answer::to(api.request(Method::POST, SEND).body(vec![b' '; 2 * 1024 * 1024])).await, 413);
    check(&api.send(&notice()).await, 201);
    check(&api.send_once("sent", &notice()).await, 201);
    check(&api.send(&json!({ "to": "12", "template": "x" })).await, 400);
    check(&api.send(&json!({ "to": "07701234567", "template": "x" })).await, 404);
    check(&api.send(&json!({ "to": "07701234567", "template": "flash_sale" })).await, 409);
    check(&api.send_once("sent", &json!({ "to": "07701234567", "template": "store_hours" })).await, 422);
    for (fault, status) in [
        (json!({ "kind": "error", "code": 131_026 }), 422),
        (json!({ "kind": "throttle", "retryAfter": 60 }), 503),
        (json!({ "kind": "garbled_answer" }), 504),
    ] {
        world.simulator.set_faults(&json!([fault])).unwrap();
        check(&api.send(&notice()).await, status);
    }
    // A database that is in the way for a moment: a 5xx of our own.
    rows.change("ALTER TABLE templates RENAME TO templates_elsewhere").await;
    let broken = api.get("/v1/templates").await;
    rows.change("ALTER TABLE templates_elsewhere RENAME TO templates").await;
    broken.assert_error(StatusCode::INTERNAL_SERVER_ERROR.as_u16(), "a table is gone");
    assert!(!broken.text("/message").contains("templates"), "{:?}", broken.body);
    check(&broken, 500);
    check(&api.get("/v1/templates").await, 200);
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() {
    let world = World::new().await;
    let api = world.api();
    let (neighbour_id, neighbour) = world.neighbour();
    assert_eq!(neighbour.get("/v1/me").await.text("/team/id"), neighbour_id);
    assert_eq!(api.get("/v1/me").await.text("/team/id"), world.workspace);

    let listed = neighbour.get("/v1/templates").await;
    let listed = listed.body["data"].as_array().unwrap().clone();
    let names: Vec<&str> = listed.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["neighbourly", "order_ready"]);
    assert!(listed.iter().all(|row| row["numbers"] == json!([NEIGHBOUR_NUMBER])));
    let ours = api.get("/v1/templates").await;
    assert!(
        !ours.body.to_string().contains("neighbourly") && !ours.body.to_string().contains(NEIGHBOUR_NUMBER)
    );

    // Templates and numbers of the other do not exist here, by whatever name.
    let neighbourly = json!({ "to": "07701234567", "template": "neighbourly", "variables": ["a", "b"] });
    api.send(&neighbourly).await.assert_refused(404, "template_not_found", &json!({}), "their template");
    let hours = json!({ "to": "07701234567", "template": "store_hours" });
    neighbour.send(&hours).await.assert_refused(404, "template_not_found", &json!({}), "our template");
    let ours = json!({ "connected": [SHOP_NUMBER, CODES_NUMBER, CLINIC_NUMBER] });
    let theirs = json!({ "connected": [NEIGHBOUR_NUMBER] });
    for (api, from, connected) in [
        (&api, NEIGHBOUR_NUMBER, &ours),
        (&api, "106540352242955", &ours),
        (&neighbour, SHOP_NUMBER, &theirs),
        (&neighbour, "106540352242922", &theirs),
    ] {
        let mut body = notice();
        body["from"] = from.into();
        api.send(&body).await.assert_refused(400, "unknown_sender", connected, from);
    }

    // One person known to both is two contacts, and one reference two sends.
    let mut body = notice();
    body["reference"] = "order-1042".into();
    let theirs = neighbour.send_once("order-1042", &body).await;
    let ours = api.send_once("order-1042", &body).await;
    assert_eq!((theirs.status, ours.status), (201, 201));
    assert_eq!((theirs.text("/from"), ours.text("/from")), (NEIGHBOUR_NUMBER, SHOP_NUMBER));
    for field in ["/id", "/contactId", "/conversationId", "/message/id"] {
        assert_ne!(theirs.text(field), ours.text(field), "{field}");
    }
    // Each is told of its own only: of three sends of the neighbour's and one of ours.
    for _ in 0..2 {
        assert_eq!(neighbour.send(&body).await.status, 201);
    }
    world.simulator.settled().await;
    let read = world.receiver.next_of("message.read").await;
    assert_eq!(read.text("/data/messageId"), ours.text("/id"));
    let last = api.send(&notice()).await;
    let delivery = world.receiver.next_of("message.read").await;
    assert_eq!(delivery.text("/data/messageId"), last.text("/id"));
    assert_eq!(delivery.text("/team/id"), world.workspace);

    // One workspace's pause and limit are not the other's.
    world.plan(&["--paused", "--limit", "0"]);
    assert_eq!(api.send(&notice()).await.status, 409);
    assert_eq!(neighbour.send(&notice()).await.status, 201);
}

#[tokio::test]
async fn a_key_that_is_moved_to_another_workspace_opens_nothing() {
    let world = World::new().await;
    let (neighbour, theirs) = world.neighbour();
    assert_eq!(theirs.get("/v1/me").await.status, 200);
    let ours = &world.workspace;
    let moved = format!(
        "UPDATE api_keys SET workspace_id = '{ours}',
             creator_id = (SELECT id FROM members WHERE workspace_id = '{ours}' LIMIT 1)
         WHERE workspace_id = '{neighbour}'"
    );
    world.rows().await.change(&moved).await;
    theirs.get("/v1/contacts").await.assert_error(401, "a key of the neighbour's");
}
