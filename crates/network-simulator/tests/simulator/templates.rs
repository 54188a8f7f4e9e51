//! Templates: paging, filters, create, edit, delete.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{ACCOUNT, World};

fn list(query: &str) -> String {
    format!("v25.0/{ACCOUNT}/message_templates{query}")
}

fn names(body: &Value) -> Vec<String> {
    body["data"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_walked_to_its_end_and_back() {
    let world = World::start().await;
    let all = names(&world.get(&list("?limit=100")).await.body);
    assert_eq!(all.len(), 13);
    let mut walked = Vec::new();
    let mut page = world.get(&list("?limit=5&fields=id,name")).await.body;
    loop {
        walked.extend(names(&page));
        assert!(page["paging"]["cursors"]["before"].is_string());
        let Some(next) = page["paging"]["next"].as_str() else { break };
        assert!(next.contains("limit=5"));
        page = world.client.get(next).send().await.unwrap().json().await.unwrap();
    }
    assert_eq!(walked, all);
    assert_eq!(names(&page).len(), 3);
    let before = page["paging"]["cursors"]["before"].as_str().unwrap();
    let back = world.get(&list(&format!("?limit=5&before={before}"))).await.body;
    assert_eq!(names(&back), all[5..10]);
    let beyond = page["paging"]["cursors"]["after"].as_str().unwrap();
    assert_eq!(world.get(&list(&format!("?after={beyond}"))).await.body, json!({ "data": [] }));
    for wrong in ["?limit=0", "?limit=x", "?after=nonsense"] {
        assert_eq!(world.get(&list(wrong)).await.code(), 100, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_filtered_selected_and_summed_up() {
    let world = World::start().await;
    for (query, expected) in [
        ("?name=plain", vec!["plain"]),
        ("?status=paused", vec!["paused"]),
        ("?category=authentication", vec!["code"]),
        ("?name_or_content=ORDER {{order}}", vec!["named"]),
        ("?language=en", vec![]),
        ("?quality_score=GREEN", vec![]),
    ] {
        let query = query.replace(' ', "%20").replace('{', "%7B").replace('}', "%7D");
        assert_eq!(names(&world.get(&list(&query)).await.body), expected, "{query}");
    }
    let selected =
        world.get(&list("?name=code&fields=name,message_send_ttl_seconds,rejected_reason")).await.body;
    let row = selected["data"][0].as_object().unwrap();
    let mut fields: Vec<_> = row.keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["id", "message_send_ttl_seconds", "name"]);
    assert!(selected.get("summary").is_none());
    let summed = world.get(&list("?limit=1&summary=total_count,message_template_limit")).await.body;
    assert_eq!(summed["summary"], json!({ "total_count": 13, "message_template_limit": 6000 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_one_time_code_is_created_without_text_and_listed_with_it() {
    let world = World::start().await;
    let create = json!({ "name": "fresh_code", "language": "en", "category": "authentication",
        "message_send_ttl_seconds": 600, "components": [
            { "type": "body", "add_security_recommendation": true },
            { "type": "footer", "code_expiration_minutes": 5 },
            { "type": "buttons", "buttons": [{ "type": "otp", "otp_type": "copy_code" }] }] });
    let created = world.post(&list(""), &create).await.body;
    assert_eq!((&created["status"], &created["category"]), (&json!("PENDING"), &json!("AUTHENTICATION")));
    let row = world.get(&format!("v25.0/{}", created["id"].as_str().unwrap())).await.body;
    let components = &row["components"];
    assert!(components[0]["text"].as_str().unwrap().starts_with("*{{1}}* is your verification code."));
    assert_eq!(components[1]["text"], "This code expires in 5 minutes.");
    let button = &components[2]["buttons"][0];
    assert_eq!(button["type"], "URL");
    assert_eq!(
        button["url"],
        "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp{{1}}"
    );
    let again = world.post(&list(""), &create).await;
    assert_eq!(again.body["error"]["error_subcode"], 2_388_024);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_created_is_refused() {
    let world = World::start().await;
    let good = json!({ "name": "fresh", "language": "ar", "category": "UTILITY",
        "components": [{ "type": "BODY", "text": "Hello" }] });
    for (field, value) in [
        ("name", json!("Fresh One")),
        ("name", Value::Null),
        ("language", Value::Null),
        ("category", json!("SERVICE")),
        ("components", Value::Null),
        ("components", json!([{ "type": "FOOTER", "text": "a" }])),
        ("message_send_ttl_seconds", json!(29)),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let answer = world.post(&list(""), &bad).await;
        assert_eq!((answer.status, answer.code()), (400, 100), "{bad}");
    }
    assert_eq!(world.post(&list(""), &good).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_keeps_to_the_rules() {
    let world = World::start().await;
    let all = world.get(&list("")).await.body["data"].clone();
    let id_of = |name: &str| {
        let row = all.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        row["id"].as_str().unwrap().to_owned()
    };
    let (code, pending) = (id_of("code"), id_of("pending"));
    let path = format!("v25.0/{code}");
    for (edit, allowed) in [
        (json!({ "message_send_ttl_seconds": 901 }), false),
        (json!({ "message_send_ttl_seconds": "soon" }), false),
        (json!({ "category": "MARKETING" }), false),
        (json!({ "components": "none" }), false),
        (json!({ "message_send_ttl_seconds": 120 }), true),
    ] {
        let answer = world.post(&path, &edit).await;
        assert_eq!(answer.status, if allowed { 200 } else { 400 }, "{edit} {}", answer.body);
    }
    let row = world.get(&path).await.body;
    assert_eq!((&row["message_send_ttl_seconds"], &row["status"]), (&json!(120), &json!("APPROVED")));
    let rewrite =
        json!({ "components": [{ "type": "BODY" }, { "type": "BUTTONS", "buttons": [{ "type": "OTP" }] }] });
    assert_eq!(world.post(&path, &rewrite).await.body, json!({ "success": true }));
    assert_eq!(world.get(&path).await.body["status"], "PENDING", "new texts are reviewed");
    assert_eq!(world.post(&format!("v25.0/{pending}"), &json!({})).await.code(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_deleted_by_name_or_by_name_and_id() {
    let world = World::start().await;
    world
        .put(
            "control/templates",
            &json!({ "accountId": ACCOUNT, "templates": [{ "name": "plain", "language": "en", "id": "77" }] }),
        )
        .await;
    let delete = |query: &str| {
        let path = list(query);
        let world = &world;
        async move { world.call(Method::DELETE, &path, None).await }
    };
    assert_eq!(delete("?name=plain&hsm_id=77").await.body, json!({ "success": true }));
    assert_eq!(names(&world.get(&list("?name=plain")).await.body), ["plain"]);
    assert_eq!(delete("?name=plain").await.status, 200);
    assert_eq!(delete("?name=plain").await.code(), 100);
    assert_eq!(delete("").await.code(), 100);
}
