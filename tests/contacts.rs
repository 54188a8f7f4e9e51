//! The people that a workspace knows.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Api, World};

async fn rename(api: &Api, id: &str, body: &Value) -> Answer {
    Answer::to(api.request(Method::PATCH, &format!("/v1/contacts/{id}")).json(body)).await
}

/// The names that a list shows, and its total.
async fn names(api: &Api, query: &str) -> (Vec<String>, u64) {
    let answer = api.get(&format!("/v1/contacts?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {:?}", answer.body);
    let rows = answer.body["rows"].as_array().unwrap();
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
    (rows.iter().map(name).collect(), answer.body["total"].as_u64().unwrap())
}

#[tokio::test]
async fn a_contact_is_added_once_found_and_renamed() {
    let world = World::new().await;
    let api = world.api();
    let added = api.post("/v1/contacts", &json!({ "phone": "٠٧٧٠ ١٢٣ ٤٥٦٧" })).await;
    assert_eq!((added.status, added.text("/phone")), (200, "+9647701234567"), "{:?}", added.body);
    let wanted = json!({
        "id": added.text("/id"), "name": null, "phone": "+9647701234567", "avatarUrl": null, "channels": [],
        "tags": [], "conversations": 0, "source": "import", "lastActiveAt": null,
        "createdAt": added.text("/createdAt"),
    });
    assert_eq!(added.body, wanted);
    for (name, kept) in [("أحمد", "أحمد"), ("Ahmed", "أحمد")] {
        let again = api.post("/v1/contacts", &json!({ "phone": "+964 770 123 4567", "name": name })).await;
        assert_eq!((again.text("/id"), again.text("/name")), (added.text("/id"), kept));
    }
    let renamed = rename(&api, added.text("/id"), &json!({ "name": " سارة " })).await;
    assert_eq!((renamed.status, renamed.text("/name")), (200, "سارة"));
    let path = format!("/v1/contacts/{}", added.text("/id"));
    assert_eq!(api.get(&path).await.body, renamed.body);
    for query in ["", "phone=07701234567", "search=ساره", "search=0770&phone=9647701234567"] {
        let listed = api.get(&format!("/v1/contacts?{query}")).await;
        let wanted = json!({ "rows": [renamed.body], "nextCursor": null, "total": 1 });
        assert_eq!(listed.body, wanted, "{query}");
    }
    assert_eq!(names(&api, "search=احمد").await, (vec![], 0));
}

#[tokio::test]
async fn whom_a_notice_reaches_is_counted_and_found() {
    let world = World::new().await;
    let api = world.api();
    for (to, name) in [("07701234567", "سارة"), ("07801234567", "Omar"), ("07701234567", "Sara")] {
        let notice = json!({
            "to": to, "template": "order_ready", "language": "ar", "name": name,
            "variables": [name, "A-1042"],
        });
        assert_eq!(api.send(&notice).await.status, 201);
    }
    assert_eq!(names(&api, "").await, (vec!["Omar".to_owned(), "سارة".to_owned()], 2));
    for (search, found) in [("ساره", "سارة"), ("0780", "Omar"), ("om", "Omar"), ("8", "Omar")] {
        assert_eq!(names(&api, &format!("search={search}")).await, (vec![found.to_owned()], 1), "{search}");
    }
    let sara = api.get("/v1/contacts?phone=07701234567").await;
    assert_eq!(sara.body.pointer("/rows/0/conversations"), Some(&json!(1)));
    assert_eq!(sara.text("/rows/0/source"), "import");
}

#[tokio::test]
async fn a_list_is_walked_by_its_cursors_newest_first() {
    let world = World::new().await;
    let api = world.api();
    for index in 0..5 {
        let body = json!({ "phone": format!("0770000000{index}"), "name": format!("person {index}") });
        assert_eq!(api.post("/v1/contacts", &body).await.status, 200);
    }
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    for rows in [2, 2, 1] {
        let page = api.get(&format!("/v1/contacts?search=person&limit=2{cursor}")).await;
        assert_eq!(page.body["total"], json!(5));
        let names = page.body["rows"].as_array().unwrap().iter();
        walked.extend(names.map(|row| row["name"].as_str().unwrap().to_owned()));
        assert_eq!(page.body["rows"].as_array().unwrap().len(), rows);
        cursor = format!("&cursor={}", page.text("/nextCursor"));
    }
    assert_eq!(cursor, "&cursor=", "the last page leads nowhere");
    assert_eq!(walked, ["person 4", "person 3", "person 2", "person 1", "person 0"]);
}

#[tokio::test]
async fn a_neighbour_sees_nobody_of_ours() {
    let world = World::new().await;
    let (ours, (_, theirs)) = (world.api(), world.neighbour());
    let added = ours.post("/v1/contacts", &json!({ "phone": "07701234567", "name": "سارة" })).await;
    ours.post("/v1/contacts", &json!({ "phone": "07701234568", "name": "سارة" })).await;
    let first = ours.get("/v1/contacts?limit=1").await;
    let id = added.text("/id");
    theirs.get(&format!("/v1/contacts/{id}")).await.assert_error(404, "their look-up");
    rename(&theirs, id, &json!({ "name": "Omar" })).await.assert_error(404, "their renaming");
    for query in ["phone=07701234567", "search=سارة", "search=س", "search=7", ""] {
        assert_eq!(names(&theirs, query).await, (vec![], 0), "{query}");
    }
    let path = format!("/v1/contacts?cursor={}", first.text("/nextCursor"));
    theirs.get(&path).await.assert_error(400, "our cursor");
    let own = theirs.post("/v1/contacts", &json!({ "phone": "07701234567", "name": "Omar" })).await;
    assert_ne!(own.text("/id"), id);
    assert_eq!(ours.get(&format!("/v1/contacts/{id}")).await.body, added.body);
}

#[tokio::test]
async fn each_route_wants_its_scope() {
    let world = World::new().await;
    let reader = world.api_with(&["contacts:read"]);
    let writer = world.api_with(&["contacts:write"]);
    let body = json!({ "phone": "07701234567", "name": "سارة" });
    reader.post("/v1/contacts", &body).await.assert_error(403, "a reader adds");
    let added = writer.post("/v1/contacts", &body).await;
    assert_eq!(added.status, 200);
    let id = added.text("/id");
    rename(&reader, id, &json!({ "name": "Sara" })).await.assert_error(403, "a reader renames");
    writer.get("/v1/contacts").await.assert_error(403, "a writer lists");
    writer.get(&format!("/v1/contacts/{id}")).await.assert_error(403, "a writer looks up");
    assert_eq!(reader.get(&format!("/v1/contacts/{id}")).await.body, added.body);
}
