//! Templates that an owner writes: submitted, reviewed, changed and deleted at the network.

use reqwest::Method;
use serde_json::{Value, json};

use super::stage::OWNER;
use crate::support::{Answer, Browser, SHOP, World, eventually};

struct Desk {
    world: World,
    owner: Browser,
    account: String,
}

impl Desk {
    async fn new() -> Self {
        let world = World::new().await;
        let owner =
            Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await;
        let listed = owner.get("/accounts").await;
        let rows = listed.body["rows"].as_array().unwrap();
        let account =
            rows.iter().find(|row| row["networkId"] == SHOP).unwrap()["id"].as_str().unwrap().to_owned();
        Self { world, owner, account }
    }

    fn draft(&self, more: &Value) -> Value {
        let mut draft = json!({
            "accountId": self.account, "name": "parcel_here", "language": "en", "category": "UTILITY",
            "body": "Dear {{1}}, parcel {{2}} is here.",
            "variables": [
                { "label": "customer", "kind": "name", "sample": "Sara" },
                { "label": "parcel", "kind": "text", "sample": "P-7" },
            ],
            "footer": "Palm Store",
            "buttons": [{ "text": "Track", "url": "https://palm.example/t/{{1}}", "sample": "P-7" }],
        });
        draft.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        draft
    }

    /// The template as it is listed.
    async fn listed(&self, name: &str) -> Option<Value> {
        let listed = self.owner.get("/templates").await;
        listed.body["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).cloned()
    }

    /// Has the network judge the template.
    async fn judged(&self, name: &str, status: &str, reason: &str) {
        let row = json!({
            "name": name, "language": "en", "status": status, "category": "UTILITY", "rejected_reason": reason,
            "components": [{ "type": "BODY", "text": "Dear {{1}}, parcel {{2}} is here." }],
        });
        let body = json!({ "accountId": SHOP, "notify": true, "templates": [row] });
        self.world.control(Method::PUT, "templates", &body).await;
    }

    async fn delete(&self, name: &str) -> Answer {
        let body = json!({ "accountId": self.account, "name": name, "language": "en" });
        Answer::to(self.owner.request(Method::DELETE, "/templates").json(&body)).await
    }
}

#[tokio::test]
async fn an_owner_submits_a_template_is_told_the_network_s_judgement_changes_it_and_deletes_it() {
    let desk = Desk::new().await;
    let submitted = desk.owner.post("/templates", &desk.draft(&json!({}))).await;
    assert_eq!((submitted.status, &submitted.body["unread"]), (201, &Value::Null), "{submitted:?}");
    let pending = desk.listed("parcel_here").await.unwrap();
    assert_eq!(
        (&pending["status"], &pending["variables"][0]["label"]),
        (&json!("pending"), &json!("customer"))
    );
    assert_eq!(pending["variables"][0]["kind"], "name");
    let again = desk.owner.post("/templates", &desk.draft(&json!({}))).await;
    again.assert_refused(409, "template_exists", &json!({}), "twice");
    let early = desk.owner.put("/templates", &desk.draft(&json!({}))).await;
    early.assert_refused(409, "template_fixed", &json!({}), "while it is reviewed");

    desk.judged("parcel_here", "REJECTED", "INVALID_FORMAT").await;
    let rejected = eventually("the judgement", async || {
        desk.listed("parcel_here").await.filter(|row| row["status"] == "rejected")
    })
    .await;
    assert_eq!(rejected["rejectionReason"], "INVALID_FORMAT");
    let better = desk.draft(&json!({ "body": "Hello {{1}}, your parcel {{2}} is here." }));
    let changed = desk.owner.put("/templates", &better).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let pending = desk.listed("parcel_here").await.unwrap();
    assert_eq!(
        (pending["status"].as_str(), pending["body"].as_str()),
        (Some("pending"), better["body"].as_str())
    );

    desk.judged("parcel_here", "APPROVED", "NONE").await;
    eventually("the approval", async || {
        desk.listed("parcel_here").await.filter(|row| row["status"] == "approved")
    })
    .await;
    let other = desk.draft(&json!({ "category": "MARKETING" }));
    desk.owner.put("/templates", &other).await.assert_refused(
        409,
        "template_fixed",
        &json!({}),
        "its category",
    );
    assert_eq!(desk.delete("parcel_here").await.status, 204);
    assert!(desk.listed("parcel_here").await.is_none());
    desk.delete("parcel_here").await.assert_error(404, "deleted before");
    let log = desk.owner.get("/audit").await.body.to_string();
    for action in ["template.submitted", "template.changed", "template.deleted"] {
        assert!(log.contains(action), "{action}");
    }
}

#[tokio::test]
async fn a_header_s_example_is_uploaded_and_what_is_none_is_refused() {
    let desk = Desk::new().await;
    let png = b"\x89PNG\r\n\x1a\n a picture of a blue dress";
    let upload =
        desk.owner.request(Method::POST, "/attachments?name=a.png").header("content-type", "image/png");
    let uploaded = Answer::to(upload.body(png.as_slice())).await;
    assert_eq!(uploaded.status, 201, "{uploaded:?}");
    let header = |format: &str, id: &str| json!({ "header": { "format": format, "attachmentId": id } });
    let id = uploaded.text("/id");
    let submitted = desk.owner.post("/templates", &desk.draft(&header("IMAGE", id))).await;
    assert_eq!(submitted.status, 201, "{submitted:?}");
    let others = desk.draft(&json!({ "name": "another" }));
    let other = |more: Value| {
        let mut draft = others.clone();
        draft.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        draft
    };
    for wrong in [
        other(header("VIDEO", id)),
        other(header("IMAGE", "0192f0c1-7a00-7000-8000-0000000000aa")),
        other(header("IMAGE", "nothing")),
        other(json!({ "header": { "format": "SOUND", "attachmentId": id } })),
        other(json!({ "header": { "text": "a", "format": "IMAGE" } })),
        other(json!({ "name": "Another One" })),
        other(json!({ "category": "NEWS" })),
        other(json!({ "variables": [] })),
        other(json!({ "body": "{{1}} and {{2}}" })),
        other(json!({ "buttons": [{ "text": "Track", "url": "ftp://palm.example" }] })),
        other(
            json!({ "buttons": [{ "text": "Track", "url": "https://palm.example", "phone": "+9647700000000" }] }),
        ),
    ] {
        desk.owner.post("/templates", &wrong).await.assert_error(400, &wrong.to_string());
    }
    let fault = json!({ "faults": [{ "kind": "error", "code": 100, "on": "edits", "times": 1 }] });
    desk.world.control(Method::PUT, "faults", &fault).await;
    let refused = desk.owner.post("/templates", &others).await;
    refused.assert_refused(422, "network_refused", &json!({}), "a parameter");
    // The network took it, and its answer was lost: the account tells that it is there.
    let fault = json!({ "faults": [{ "kind": "cut_after_accept", "on": "edits", "times": 1 }] });
    desk.world.control(Method::PUT, "faults", &fault).await;
    let lost = desk.owner.post("/templates", &others).await;
    assert_eq!(lost.status, 201, "{lost:?}");
}

#[tokio::test]
async fn a_page_writes_a_template_with_a_preview_and_without_a_script() {
    let desk = Desk::new().await;
    let mut visitor = desk.owner.visitor();
    let path = "/dashboard/settings/templates/write";
    let mut fields = vec![
        ("account", desk.account.as_str()),
        ("name", "parcel_here"),
        ("language", "en"),
        ("category", "UTILITY"),
        ("body", "Dear {{1}}, <b>parcel</b> {{2}} is here."),
        ("do", "preview"),
    ];
    let asked = visitor.post(path, &fields).await;
    assert!(asked.status == 422 && asked.html.contains("name=\"sample-2\""), "{}", asked.html);
    assert!(asked.html.contains("Variable: An example has 1 to 200 characters"), "{}", asked.html);
    let file = [("header", "IMAGE"), ("attachment", "0192f0c1-7a00-7000-8000-0000000000ff")];
    let asked = visitor.post(path, &[&fields[..], &file].concat()).await;
    let card = asked.html.split_once("class=\"card\"").unwrap().1.split("</section>").next().unwrap();
    assert!(card.contains("A picture") && !card.contains("IMAGE"), "{card}");
    fields.extend([("sample-1", "Sara"), ("label-1", "customer"), ("is-name-1", "on"), ("sample-2", "P-7")]);
    let preview = visitor.post(path, &fields).await;
    assert!(preview.status == 200 && preview.html.contains("Dear Sara, &#60;b&#62;parcel&#60;/b&#62; P-7"));
    fields.retain(|(name, _)| *name != "do");
    fields.push(("do", "submit"));
    let submitted = visitor.post(path, &fields).await;
    assert_eq!((submitted.status, submitted.location.as_str()), (303, "/dashboard/settings/templates"));
    assert_eq!(desk.listed("parcel_here").await.unwrap()["variables"][0]["label"], "customer");
    let gone = [("account", desk.account.as_str()), ("name", "parcel_here"), ("language", "en")];
    let fault = json!({ "faults": [{ "kind": "error", "code": 100, "on": "edits", "details": "not now", "times": 1 }] });
    desk.world.control(Method::PUT, "faults", &fault).await;
    let kept = visitor.post("/dashboard/settings/templates/delete", &gone).await;
    assert!(kept.status == 422 && kept.html.contains("(100)"), "the network's word: {}", kept.html);
    assert!(kept.html.contains("parcel_here"), "the list is there still: {}", kept.html);
    assert_eq!(visitor.post("/dashboard/settings/templates/delete", &gone).await.status, 303);
    assert!(desk.listed("parcel_here").await.is_none());
}
