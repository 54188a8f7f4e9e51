//! Headers and paths that are wrong: the error body, and nothing written.

use reqwest::{Method, header::HeaderValue};
use serde_json::json;

use crate::support::{Answer, Api, Untouched, World};

const SEND: &str = "/v1/messages/template";

#[tokio::test]
async fn absurd_headers_and_paths_get_the_error_body() {
    let world = World::new().await;
    let (api, untouched) = (world.api(), Untouched::of(&world).await);
    let bytes = |value: &[u8]| HeaderValue::from_bytes(value).unwrap();

    // Keys that are none, whatever else is asked.
    let long = format!("Bearer msk_{}", "a".repeat(50_000));
    for authorization in [
        &b""[..],
        b"Bearer",
        b"Bearer ",
        b"Basic bXNrOng=",
        b"Digest username=\"x\"",
        b"Bearer\xff\xfe",
        b"Bearer msk_\xd9\x85",
        b"Bearer null",
        long.as_bytes(),
        world.key.as_bytes(),
    ] {
        let request = api.bare(Method::POST, SEND).header("authorization", bytes(authorization)).body("{");
        let answer = Answer::to(request).await;
        answer.assert_error(401, &String::from_utf8_lossy(&authorization[..authorization.len().min(40)]));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let twice = api.request(Method::GET, "/v1/me").bearer_auth(&world.key);
    Answer::to(twice).await.assert_error(401, "two Authorization headers");

    // Other headers are nobody's business, however odd.
    for (name, value) in [
        ("x-long", "x".repeat(60_000)),
        ("cookie", "session=".to_owned() + &"y".repeat(10_000)),
        ("content-type", "text/plain; charset=utf-16".to_owned()),
        ("accept", "application/xml;q=9".to_owned()),
        ("accept-encoding", "br;q=x, gzip;;".to_owned()),
        ("x-forwarded-for", "::1, <script>".to_owned()),
        ("range", "bytes=9-1".to_owned()),
        ("if-match", "\"nothing\"".to_owned()),
        ("x-http-method-override", "DELETE".to_owned()),
    ] {
        let request =
            api.request(Method::POST, SEND).header(name, value).body(r#"{"to":"12","template":"x"}"#);
        Answer::to(request).await.assert_refused(400, "invalid_phone", &json!({}), name);
        let odd = api.request(Method::GET, "/v1/me").header(name, bytes(b"\xff\x80 \xd9\x85"));
        assert_eq!(Answer::to(odd).await.status, 200, "{name}");
    }

    assert_absurd_paths_and_queries_are_refused(&api).await;
    untouched.assert_still(&world).await;
}

/// Paths, ids, methods and parameter values that do not exist.
async fn assert_absurd_paths_and_queries_are_refused(api: &Api) {
    let long = format!("/v1/{}", "x".repeat(20_000));
    for path in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/me/",
        "/v1//me",
        "/v1/ME",
        "/v1/me%00",
        "/v1/%00",
        "/v1/%ff%fe",
        "/v1/..%2fme",
        "/v1/me;x=1",
        "/v1/templates/not-a-uuid",
        "/v1/contacts/not-a-uuid",
        "/v1/contacts/00000000-0000-0000-0000-000000000000",
        "/v1/contacts/%00",
        "/v1/conversations/%d9%85",
        "/v1/conversations/'%20OR%201=1--/messages",
        long.as_str(),
    ] {
        api.get(path).await.assert_error(404, path.get(..60).unwrap_or(path));
    }
    for (path, methods, allow) in [
        ("/v1/me", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"], "GET, HEAD"),
        ("/v1/templates", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"], "GET, HEAD"),
        (SEND, ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "FETCH"], "POST"),
    ] {
        for method in methods {
            let answer = Answer::to(api.request(method.parse().unwrap(), path)).await;
            answer.assert_error(405, &format!("{method} {path}"));
            assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
        }
    }

    // Queries.
    for (query, field) in [
        ("status=Approved", "status"),
        ("status=", "status"),
        ("status=approved&status=paused", "status"),
        ("status=%00", "status"),
        ("status=%ff", "status"),
        ("category=utility", "category"),
        ("category=UTILITY%20", "category"),
        ("category=SALES", "category"),
    ] {
        let answer = api.get(&format!("/v1/templates?{query}")).await;
        answer.assert_error(400, query);
        assert!(answer.text("/message").contains(field), "{query}: {:?}", answer.body);
    }
    for query in
        ["unknown=1", "limit=99999", "Status=approved", "&&&=", "status[]=x", "status=approved&x=%00"]
    {
        let answer = api.get(&format!("/v1/templates?{query}")).await;
        answer.assert_error(400, query);
        assert!(answer.text("/message").contains("unknown query parameter"), "{query}: {:?}", answer.body);
    }
}
