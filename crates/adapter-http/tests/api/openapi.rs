//! `GET /v1/openapi.json`, and what it says of the routes.

use adapter_http::openapi;

use crate::{
    contract::Contract,
    service::{KEY, Ports},
    wire::answer,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_for_everybody_and_counts_in_no_window() {
    let service = Ports::without_keys().start();
    for request in
        [service.bare("GET", "/v1/openapi.json"), service.bare("GET", "/v1/openapi.json").bearer_auth(KEY)]
    {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("content-type").unwrap(), "application/json");
        assert!(response.headers().get("x-ratelimit-limit").is_none());
        assert_eq!(response.text().await.unwrap(), openapi());
    }
    let refused = service.bare("POST", "/v1/openapi.json").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), refused.headers().get("allow").unwrap().as_bytes()),
        (405, &b"GET"[..])
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
    assert_eq!(with_key.status(), 200, "everybody may read it, with a key, too");
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
