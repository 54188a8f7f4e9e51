//! Who is let in, in which order requests are refused, and the headers of the rate window.

use domain::{
    access::{Caller, RATE_LIMIT, Scope, ports::MockKeyStore},
    errors::StoreError,
    testing::a_caller,
};

use crate::{
    service::{KEY, Ports, UNKNOWN_KEY},
    wire::answer,
};

const TWO_MIB: usize = 2 * 1024 * 1024;

fn caller_with(scopes: &[Scope]) -> Caller {
    Caller { scopes: scopes.to_vec(), ..a_caller() }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_no_valid_key_gets_401_whatever_they_ask() {
    let service = Ports::new().start();
    for (method, path) in
        [("GET", "/v1/me"), ("DELETE", "/v1/me"), ("GET", "/v1/nothing"), ("GET", "/v1"), ("POST", "/v1/")]
    {
        for authorization in [None, Some(""), Some("Bearer"), Some("Basic bXNrOg=="), Some("Bearer msk_1")] {
            let mut request = service.bare(method, path).body("{");
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let answer = answer(request).await;
            answer.assert_error(401, "Unauthorized");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            assert_eq!(answer.header("x-ratelimit-limit"), None);
        }
        answer(service.bare(method, path).bearer_auth(UNKNOWN_KEY)).await.assert_error(401, "Unauthorized");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scheme_is_read_in_any_case() {
    let service = Ports::new().start();
    let request = service.bare("GET", "/v1/nothing").header("authorization", format!("bEARER {KEY}"));
    answer(request).await.assert_error(404, "Not Found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_refused_for_its_key_then_its_rate_then_its_scope_then_its_shape() {
    let no_scope = || caller_with(&[Scope::ConversationsRead]);
    let send_only = || caller_with(&[Scope::MessagesSend]);
    let send = "/v1/messages/template";
    for (ports, key, method, path, status, phrase) in vec![
        (Ports::with_key(no_scope(), RATE_LIMIT + 1), UNKNOWN_KEY, "POST", send, 401, "Unauthorized"),
        (Ports::with_key(no_scope(), RATE_LIMIT + 1), KEY, "POST", send, 429, "Too Many Requests"),
        (Ports::with_key(no_scope(), RATE_LIMIT + 1), KEY, "PUT", send, 429, "Too Many Requests"),
        (Ports::with_key(no_scope(), RATE_LIMIT + 1), KEY, "GET", "/v1/nothing", 429, "Too Many Requests"),
        (Ports::with_key(no_scope(), RATE_LIMIT), KEY, "POST", send, 403, "Forbidden"),
        (Ports::with_key(no_scope(), 1), KEY, "GET", "/v1/templates?status=no", 403, "Forbidden"),
        (Ports::with_key(send_only(), 1), KEY, "POST", send, 413, "Payload Too Large"),
        (Ports::with_key(send_only(), 1), KEY, "GET", "/v1/templates?status=no", 400, "Bad Request"),
        (Ports::with_key(no_scope(), 1), KEY, "PUT", send, 405, "Method Not Allowed"),
    ] {
        let service = ports.start();
        let too_large = vec![b'{'; TWO_MIB];
        let request = service.bare(method, path).bearer_auth(key).header("idempotency-key", "");
        let request = if status == 413 { service.bare(method, path).bearer_auth(key) } else { request };
        answer(request.body(too_large)).await.assert_error(status, phrase);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_refusal_names_the_scope_that_is_wanted() {
    for (scopes, method, path, wanted) in [
        (vec![Scope::MessagesSend], "GET", "/v1/me", "contacts:read"),
        (vec![Scope::ContactsRead], "GET", "/v1/templates", "messages:send"),
        (vec![Scope::ContactsRead], "POST", "/v1/messages/template", "messages:send"),
    ] {
        let service = Ports::with_key(caller_with(&scopes), 1).start();
        let answer = answer(service.call(method, path).body("no json")).await;
        answer.assert_error(403, "Forbidden");
        assert!(answer.message().contains(wanted), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_to_a_valid_key_carries_the_rate_headers() {
    let mut ports = Ports::with_key(a_caller(), 3);
    ports.templates.expect_list().returning(|_, _| Ok(Vec::new()));
    ports.workspaces.expect_find().returning(|_| Err(StoreError::Internal("broken".to_owned())));
    let service = ports.start();
    let too_large = "x".repeat(TWO_MIB);
    for (method, path, body, status) in [
        ("GET", "/v1/templates", "", 200),
        ("GET", "/v1/templates?category=none", "", 400),
        ("POST", "/v1/messages/template", "", 400),
        ("POST", "/v1/messages/template", too_large.as_str(), 413),
        ("GET", "/v1/nothing", "", 404),
        ("GET", "/v1", "", 404),
        ("GET", "/v1/me/", "", 404),
        ("DELETE", "/v1/me", "", 405),
        ("GET", "/v1/me", "", 500),
    ] {
        let answer = answer(service.call(method, path).body(body.to_owned())).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(answer.header("x-ratelimit-limit"), Some("600"), "{method} {path}");
        assert_eq!(answer.header("x-ratelimit-remaining"), Some("597"), "{method} {path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_over_the_limit_waits_for_the_window_to_end() {
    let service = Ports::with_key(a_caller(), RATE_LIMIT + 1).start();
    let answer = answer(service.call("GET", "/v1/templates")).await;
    answer.assert_error(429, "Too Many Requests");
    assert_eq!(answer.header("retry-after"), Some("15"));
    assert_eq!(answer.header("x-ratelimit-limit"), Some("600"));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_keys_are_throttled_by_address_and_valid_ones_are_not() {
    let mut ports = Ports::new();
    ports.templates.expect_list().returning(|_, _| Ok(Vec::new()));
    let service = ports.start();
    for _ in 0..RATE_LIMIT {
        let response = service.bare("GET", "/v1/templates").bearer_auth("no key").send().await.unwrap();
        assert_eq!(response.status(), 401);
    }
    let throttled = answer(service.bare("GET", "/v1/templates").bearer_auth(UNKNOWN_KEY)).await;
    throttled.assert_error(429, "Too Many Requests");
    assert_eq!(throttled.header("retry-after"), Some("15"));
    assert_eq!(throttled.header("x-ratelimit-limit"), None);
    assert_eq!(answer(service.call("GET", "/v1/templates")).await.status, 200);
    service.clock.advance(std::time::Duration::from_secs(15));
    answer(service.bare("GET", "/v1/me").bearer_auth(UNKNOWN_KEY)).await.assert_error(401, "Unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_outside_v1_opens_nothing() {
    let service = Ports::new().start();
    for path in ["/", "/v2/me", "/v1x", "/V1/me", "/metrics"] {
        answer(service.bare("GET", path)).await.assert_error(404, "Not Found");
        answer(service.call("GET", path)).await.assert_error(401, "Unauthorized");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_method_is_told_the_right_one() {
    let service = Ports::new().start();
    for (path, wrong, allowed) in [
        ("/v1/me", ["POST", "DELETE", "PURGE"], "GET, HEAD"),
        ("/v1/templates", ["POST", "PATCH", "OPTIONS"], "GET, HEAD"),
        ("/v1/messages/template", ["GET", "PUT", "DELETE"], "POST"),
        ("/networks/here/7", ["PUT", "PATCH", "DELETE"], "GET, HEAD, POST"),
    ] {
        for method in wrong {
            // A key opens nothing outside `/v1`.
            let v1 = path.starts_with("/v1/");
            let request = if v1 { service.call(method, path) } else { service.bare(method, path) };
            let answer = answer(request).await;
            answer.assert_error(405, "Method Not Allowed");
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_answered_as_get_is_without_the_body() {
    let service = Ports::new().start();
    for (path, status) in [
        ("/v1/openapi.json", 200),
        ("/v1/me?x=1", 400),
        ("/v1/templates?status=%FF", 400),
        ("/v1/messages/template", 405),
        ("/v1/nothing", 404),
        ("/dashboard/api/me", 401),
        ("/dashboard/sign-in", 200),
        ("/docs", 200),
    ] {
        let request = |method| {
            if path.starts_with("/v1/") { service.call(method, path) } else { service.bare(method, path) }
        };
        let (get, head) = (request("GET").send().await.unwrap(), request("HEAD").send().await.unwrap());
        assert_eq!(head.status().as_u16(), status, "{path}");
        let names = ["content-type", "content-length", "cache-control", "x-ratelimit-limit", "allow"];
        let of = |answer: &reqwest::Response| names.map(|name| answer.headers().get(name).cloned());
        let (wanted, told) = (of(&get), of(&head));
        // What takes `POST` alone refuses both, and each is another wrong method.
        assert_eq!((get.status(), &wanted), (head.status(), &told), "{path}");
        assert!(!get.bytes().await.unwrap().is_empty() && head.bytes().await.unwrap().is_empty(), "{path}");
    }
    let alive = service.client.head(format!("{}/healthz", service.admin_url)).send().await.unwrap();
    assert_eq!(alive.status().as_u16(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_of_no_route_is_told_the_nearest() {
    let service = Ports::new().start();
    for (path, told) in [
        ("/v1/me/", "the nearest is `/v1/me`"),
        ("/v1/contact", "the nearest is `/v1/contacts`"),
        ("/v1", "`/v1/openapi.json` lists all"),
        ("/v1/webhooks", "`/v1/openapi.json` lists all"),
    ] {
        let answer = answer(service.call("GET", path)).await;
        answer.assert_error(404, "Not Found");
        assert_eq!(answer.message(), format!("there is no such route: {told}"), "{path}");
    }
    let answer = answer(service.bare("GET", "/dashboard/api/conversation")).await;
    let told = "there is no such route: the nearest is `/dashboard/api/conversations`";
    assert_eq!((answer.status, answer.message()), (404, told));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_be_reached_is_a_503_that_shows_nothing_of_it() {
    for (error, status, phrase, retry_after) in [
        (StoreError::Unavailable("pool of 10".to_owned()), 503, "Service Unavailable", Some("1")),
        (StoreError::Internal("pool of 10".to_owned()), 500, "Internal Server Error", None),
    ] {
        let mut keys = MockKeyStore::new();
        keys.expect_authenticate().return_once(|_, _| Err(error));
        let service = Ports { keys, ..Ports::without_keys() }.start();
        let answer = answer(service.call("GET", "/v1/me")).await;
        answer.assert_error(status, phrase);
        assert_eq!(answer.header("retry-after"), retry_after);
        assert!(!answer.body.to_string().contains("pool"), "{answer:?}");
    }
}
