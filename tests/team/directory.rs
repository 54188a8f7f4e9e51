//! The directory: whom a team finds, adds, writes to first and takes out.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    life::{Team, says},
    support::{Answer, Browser, SHOP_NUMBER, Visitor, field},
};

/// The names of a page, and its cursor.
async fn names(by: &Browser, query: &str) -> (Vec<String>, Option<String>) {
    let page = by.get(&format!("/contacts{query}")).await;
    assert_eq!(page.status, 200, "{query}: {page:?}");
    let name = |row: &Value| row["contact"]["name"].as_str().unwrap_or_default().to_owned();
    let names = page.body["rows"].as_array().unwrap().iter().map(name).collect();
    (names, page.body["nextCursor"].as_str().map(str::to_owned))
}

async fn added(by: &Browser, phone: &str, name: &str) -> String {
    let added = by.post("/contacts", &json!({ "phone": phone, "name": name })).await;
    assert_eq!(added.status, 200, "{added:?}");
    added.text("/id").to_owned()
}

#[tokio::test]
async fn everybody_is_found_by_name_tag_network_and_the_newest_message() {
    let team = Team::new().await;
    let omar = added(&team.agent, "0780 123 4567", "أحمد عليّ").await;
    assert_eq!(added(&team.agent, "+9647801234567", "Omar").await, omar, "a number is one person's");
    let tags = format!("/conversations/{}/tags", team.conversation);
    assert_eq!(team.agent.post(&tags, &json!({ "tag": "VIP" })).await.status, 200);
    let (sara, ahmed) = (["Sara"], ["أحمد عليّ"]);
    for (query, wanted) in [
        ("", &["أحمد عليّ", "Sara"][..]),
        ("?search=احمد", &ahmed),
        ("?search=0780", &ahmed),
        ("?search=sar", &sara),
        ("?tag=vip", &sara),
        ("?channel=whatsapp", &sara),
        ("?channel=messenger", &[]),
        ("?activeSince=2020-01-01", &sara),
        ("?activeSince=2999-01-01", &[]),
        ("?activeUntil=2999-01-01", &sara),
        ("?activeUntil=2020-01-01", &[]),
        ("?tag=vip&search=احمد", &[]),
        ("?tag=VIP&channel=whatsapp&search=sara&activeSince=2020-01-01", &sara),
    ] {
        assert_eq!(names(&team.agent, query).await.0, wanted, "{query}");
    }
    let listed = team.agent.get("/contacts?search=sara").await;
    let row = &listed.body["rows"][0];
    assert!(row["lastMessageAt"].is_string() && row["contact"]["tags"] == json!(["VIP"]), "{row}");
    for query in ["?tag=", "?channel=pigeon", "?activeSince=soon", "?q=1", "?cursor=00", "?limit=0"] {
        team.agent.get(&format!("/contacts{query}")).await.assert_error(400, query);
    }
    team.agent.get(&format!("/contacts?search={}", "a".repeat(201))).await.assert_error(400, "too long");
    for body in [json!({}), json!({ "phone": "nobody" }), json!({ "phone": "0770", "x": 1 })] {
        team.agent.post("/contacts", &body).await.assert_error(400, "nobody");
    }
    let log = team.owner.get("/audit?action=contact.added").await;
    let rows = log.body["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["subject"]), (1, &json!(omar)), "{log:?}");
}

#[tokio::test]
async fn pages_follow_one_another_whoever_comes_meanwhile() {
    let team = Team::new().await;
    for index in 0..4 {
        added(&team.agent, &format!("0780000000{index}"), &format!("person {index}")).await;
    }
    for filter in ["", "search=person&"] {
        let (first, cursor) = names(&team.agent, &format!("?{filter}limit=2")).await;
        assert_eq!(first, ["person 3", "person 2"]);
        let cursor = cursor.unwrap();
        let next = format!("?{filter}limit=2&cursor={cursor}");
        added(&team.agent, &format!("0781000000{}", filter.len() % 10), "newcomer").await;
        assert_eq!(names(&team.agent, &next).await.0, ["person 1", "person 0"], "{filter}");
        let other = format!("?tag=vip&limit=2&cursor={cursor}");
        team.agent.get(&format!("/contacts{other}")).await.assert_error(400, "a cursor of another list");
    }
}

#[tokio::test]
async fn somebody_without_a_conversation_is_renamed_on_their_page() {
    let team = Team::new().await;
    let person = added(&team.agent, "07801234567", "Omar").await;
    let path = format!("/dashboard/contacts/{person}");
    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let page = agent.get(&path).await;
    assert!(page.html.contains(&format!("action=\"{path}/name\"")), "{}", page.html);
    assert!(page.html.contains("maxlength=\"200\" value=\"Omar\""), "{}", page.html);
    let renamed = agent.post(&format!("{path}/name"), &[("name", " عمر <b> ")]).await;
    assert_eq!((renamed.status, &renamed.location), (303, &path), "{}", renamed.html);
    let page = agent.get(&path).await;
    assert!(page.html.contains("<bdi>عمر &#60;b&#62;</bdi>"), "{}", page.html);
    assert!(page.html.contains("+9647801234567"), "the number stands beside the name: {}", page.html);
    let refused = agent.post(&format!("{path}/name"), &[("name", " ")]).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    let log = team.owner.get("/audit?action=contact.renamed").await;
    let rows = log.body["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{log:?}");
    assert_eq!((&rows[0]["subject"], &rows[0]["details"]), (&json!(person), &json!({ "name": "عمر <b>" })));
    let unknown =
        agent.post("/dashboard/contacts/0192f0c1-7a00-7000-8000-0000000000ff/name", &[("name", "Omar")]);
    assert_eq!(unknown.await.status, 404);
}

#[tokio::test]
async fn a_first_message_opens_the_conversation_and_leaves_once() {
    let team = Team::new().await;
    let person = added(&team.agent, "07801234567", "Omar").await;
    let offered = team.agent.get(&format!("/contacts/{person}/templates")).await;
    let templates = offered.body["data"].as_array().unwrap();
    assert!(templates.iter().any(|template| template["name"] == "store_hours"), "{offered:?}");
    assert!(templates.iter().all(|template| template["authentication"].is_null()), "{offered:?}");
    let path = format!("/contacts/{person}/template");
    let send = async |key: &str, body: Value| {
        Answer::to(team.agent.request(Method::POST, &path).header("Idempotency-Key", key).json(&body)).await
    };
    let before = team.world.simulator.messages().len();
    let first = send("first", json!({ "template": "store_hours" })).await;
    assert_eq!(first.status, 201, "{first:?}");
    let again = send("first", json!({ "template": "store_hours" })).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(team.world.simulator.messages().len(), before + 1);
    assert_eq!(first.text("/message/senderId"), team.agent_id);
    let opened = team.agent.get(&format!("/conversations/{}", first.text("/conversationId"))).await;
    assert_eq!(opened.text("/conversation/contactId"), person);
    let log = team.owner.get("/audit?action=contact.template_sent").await;
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 1, "{log:?}");
    let other = json!({ "template": "store_hours", "from": "+9647709999999" });
    let unknown = send("other", other).await;
    assert_eq!((unknown.status, &unknown.body["code"]), (400, &json!("unknown_sender")), "{unknown:?}");
    let none = send("none", json!({ "template": "no_such" })).await;
    assert_eq!((none.status, &none.body["code"]), (404, &json!("template_not_found")), "{none:?}");
    // What leaves a send-only number would be in no conversation.
    team.world.rows().await.change("UPDATE channels SET send_only = true").await;
    let silent = send("silent", json!({ "template": "store_hours" })).await;
    assert_eq!((silent.status, &silent.body["code"]), (409, &json!("no_whatsapp_channel")), "{silent:?}");
    let named = json!({ "template": "store_hours", "from": SHOP_NUMBER });
    assert_eq!(send("named", named).await.body["code"], "unknown_sender");
}

#[tokio::test]
async fn owners_take_out_whom_the_filters_name_as_a_file_that_runs_nothing_and_can_be_read_again() {
    let team = Team::new().await;
    let evil = "=HYPERLINK(\"http://evil.example\",\"سارة\")";
    added(&team.agent, "07801234567", evil).await;
    let file = async |query: &str| {
        let answer =
            team.owner.request(Method::GET, &format!("/contacts/export{query}")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "text/csv; charset=utf-8");
        assert!(answer.headers()["content-disposition"].to_str().unwrap().contains("attachment"));
        String::from_utf8(answer.bytes().await.unwrap().to_vec()).unwrap()
    };
    let whole = file("").await;
    let lines: Vec<&str> = whole.split("\r\n").collect();
    assert!(lines[0].starts_with("\u{feff}phone,name,channels,tags,"), "{whole}");
    let guarded = "'+9647801234567,\"'=HYPERLINK(\"\"http://evil.example\"\",\"\"سارة\"\")\",";
    assert!(lines[1].starts_with(guarded), "{whole}");
    assert!(lines[2].starts_with("'+9647701234567,Sara,whatsapp,"), "{whole}");
    assert_eq!(lines.len(), 4, "{whole}");
    let narrow = file("?channel=whatsapp").await;
    assert!(narrow.contains("Sara") && !narrow.contains("HYPERLINK"), "{narrow}");

    let imported = team.owner.request(Method::POST, "/contact-imports").header("content-type", "text/csv");
    let imported = Answer::to(imported.body(whole)).await;
    assert_eq!(imported.body["known"], 2, "{imported:?}");
    assert_eq!(imported.body["refused"], 0, "{imported:?}");

    let agent = team.agent.get("/contacts/export").await;
    agent.assert_refused(403, "owner_only", &json!({}), "an agent");
    team.owner.get("/contacts/export?tag=").await.assert_error(400, "no tag");
    let log = team.owner.get("/audit?action=contacts.exported").await;
    let rows = log.body["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{log:?}");
    assert_eq!(rows[0]["details"]["filters"], json!(["channel"]), "{log:?}");
}

#[tokio::test]
async fn a_day_of_the_page_begins_by_the_workspace_s_clock_also_in_the_file() {
    let team = Team::new().await;
    let phone = "9647701234567";
    // In Baghdad it is one o'clock in the morning of the day after.
    let rows = team.world.rows().await;
    rows.change("UPDATE conversations SET last_message_at = '2026-11-20 22:00Z'").await;
    let mut owner = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    for (query, is_found) in [
        ("activeSince=2026-11-21", true),
        ("activeSince=2026-11-22", false),
        ("activeUntil=2026-11-21", false),
        ("activeUntil=2026-11-22", true),
    ] {
        let page = owner.get(&format!("/dashboard/contacts?{query}")).await;
        assert_eq!((page.status, page.html.contains(phone)), (200, is_found), "{query}: {}", page.html);
        let (_, export) = page.html.split_once("href=\"/dashboard/api/contacts/export?").unwrap();
        let export = export.split('"').next().unwrap();
        let file = team.owner.request(Method::GET, &format!("/contacts/export?{export}"));
        let file = file.send().await.unwrap().text().await.unwrap();
        assert_eq!(file.contains(phone), is_found, "{export}: {file}");
    }
}

#[tokio::test]
async fn a_newcomer_is_added_and_written_to_by_pages_without_a_script() {
    let team = Team::new().await;
    says(&team.world, "هلو").await;
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    // A browser sends the fields that are left blank, too.
    let blank = "?search=sara&channel=&tag=&activeSince=&activeUntil=";
    let found = visitor.get(&format!("/dashboard/contacts{blank}")).await;
    assert_eq!(found.status, 200, "{}", found.html);
    assert!(found.html.contains("Sara") && !found.html.contains("/contacts/export"), "{}", found.html);
    let inbox = visitor.get("/dashboard/inbox?view=all&search=sara&status=&channel=&tag=").await;
    assert!(inbox.html.contains("Sara") && !inbox.html.contains("role=\"alert\""), "{}", inbox.html);
    let wrong = visitor.get("/dashboard/contacts?activeSince=soon").await;
    assert!(wrong.status == 422 && wrong.html.contains("role=\"alert\""), "{}", wrong.html);

    let nobody = visitor.post("/dashboard/contacts", &[("phone", "nobody"), ("name", "<b>x</b>")]).await;
    assert_eq!(nobody.status, 422);
    assert!(nobody.html.contains("&#60;b&#62;x&#60;/b&#62;"), "what was typed stays: {}", nobody.html);
    let added = visitor.post("/dashboard/contacts", &[("phone", "07801234567"), ("name", "")]).await;
    assert_eq!(added.status, 303, "{added:?}");
    let person = visitor.get(&added.location).await;
    assert!(person.html.contains("store_hours") && person.html.contains("+9647801234567"), "{}", person.html);
    let form = person.html.split("<section").find(|form| form.contains("store_hours")).unwrap();
    let (key, language) = (field(form, "key").to_owned(), field(form, "language").to_owned());
    let fields = [("template", "store_hours"), ("language", &*language), ("key", &*key), ("header", "")];
    let path = format!("{}/template", added.location);
    let sent = visitor.post(&path, &fields).await;
    assert!(sent.status == 303 && sent.location.starts_with("/dashboard/inbox/"), "{sent:?}");
    assert_eq!(visitor.post(&path, &fields).await.location, sent.location, "the same key, the same message");
    assert_eq!(visitor.get(&added.location).await.location, sent.location);
    let nothing = visitor.post(&path, &[("template", "no_such"), ("key", "k")]).await;
    assert!(nothing.status == 422 && nothing.html.contains("role=\"alert\""), "{nothing:?}");
}
