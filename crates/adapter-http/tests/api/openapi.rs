//! `GET /v1/openapi.json`, and what it says of the routes.

use adapter_http::openapi;
use domain::testing::a_caller;

use crate::{
    contract::Contract,
    service::{KEY, Ports},
    wire::answer,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_for_everybody_and_counts_for_whoever_has_a_valid_key() {
    let service = Ports::with_key(a_caller(), 600).start();
    let document = || service.bare("GET", "/v1/openapi.json");
    for (request, counted) in [
        (document(), None),
        (document().bearer_auth("msk_no_key_of_ours"), None),
        (document().bearer_auth(KEY), Some(("600", "0"))),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap());
        assert_eq!(header("content-type"), Some("application/json"));
        let window = header("x-ratelimit-limit").zip(header("x-ratelimit-remaining"));
        assert_eq!(window, counted);
        assert_eq!(response.text().await.unwrap(), openapi());
    }
    let used_up = Ports::with_key(a_caller(), 601).start();
    answer(used_up.call("GET", "/v1/openapi.json")).await.assert_error(429, "Too Many Requests");
    assert_eq!(used_up.bare("GET", "/v1/openapi.json").send().await.unwrap().status(), 200);
    answer(service.bare("GET", "/v1/openapi.json?v=1")).await.assert_error(400, "Bad Request");
    let refused = service.bare("POST", "/v1/openapi.json").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), refused.headers().get("allow").unwrap().as_bytes()),
        (405, &b"GET, HEAD"[..])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_that_shows_it_loads_nothing_from_elsewhere() {
    let service = Ports::without_keys().start();
    let files =
        [("/docs", "text/html"), ("/docs/page.js", "text/javascript"), ("/docs/page.css", "text/css")];
    let mut page = String::new();
    for (path, kind) in files {
        let response = service.bare("GET", path).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let header = |name: &str| response.headers().get(name).unwrap().to_str().unwrap().to_owned();
        assert!(header("content-type").starts_with(kind), "{path}");
        assert!(header("content-security-policy").starts_with("default-src 'self'"), "{path}");
        let text = response.text().await.unwrap();
        assert!(!text.contains("://"), "{path}");
        page.push_str(&text);
    }
    for (path, _) in files.iter().skip(1) {
        assert!(page.contains(path), "{path}");
    }
    let with_key = service.call("GET", "/docs").send().await.unwrap();
    assert_eq!(with_key.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_route_asks_for_a_key() {
    let service = Ports::new().start();
    let routes = Contract::new(openapi()).routes();
    assert!(routes.len() >= 3, "{routes:?}");
    for (method, path) in routes {
        let path = path.replace("{id}", "0192f0c1-7a00-7000-8000-000000000001");
        answer(service.bare(&method, &path)).await.assert_error(401, "Unauthorized");
    }
}
