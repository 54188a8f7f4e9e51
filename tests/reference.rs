//! The API's document, as the program serves it.

use reqwest::Method;

use crate::support::{Answer, Contract, World};

#[tokio::test]
async fn the_document_is_public_and_every_route_in_it_asks_for_a_key() {
    let world = World::new().await;
    let api = world.api();
    let served = api.bare(Method::GET, "/v1/openapi.json").send().await.unwrap();
    assert_eq!(served.status(), 200);
    let document = served.text().await.unwrap();
    assert_eq!(document, include_str!("../docs/openapi.json"));
    for (method, path) in Contract::new(&document).routes() {
        let path = path.replace("{id}", "0192f0c1-7a00-7000-8000-000000000001");
        let request = api.bare(method.parse().unwrap(), &path);
        Answer::to(request).await.assert_error(401, &format!("{method} {path}"));
    }
}

#[tokio::test]
async fn the_page_that_shows_the_document_is_public() {
    let world = World::new().await;
    let page = world.api().bare(Method::GET, "/docs").send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("/docs/page.js"));
    // And so are the programs that its samples are of.
    let script = world.api().bare(Method::GET, "/docs/page.js").send().await.unwrap().text().await.unwrap();
    for (program, text) in [
        ("/docs/calls.sh", include_str!("../docs/use/calls/calls.sh")),
        ("/docs/calls.ts", include_str!("../docs/use/calls/calls.ts")),
        ("/docs/calls.py", include_str!("../docs/use/calls/calls.py")),
        ("/docs/calls.rs", include_str!("../docs/use/calls/calls.rs")),
    ] {
        assert!(script.contains(program), "{program}");
        let served = world.api().bare(Method::GET, program).send().await.unwrap();
        assert_eq!(served.headers()["content-type"], "text/plain; charset=utf-8", "{program}");
        assert_eq!(served.text().await.unwrap(), text, "{program}");
    }
}
