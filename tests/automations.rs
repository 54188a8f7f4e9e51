//! Rules, opening hours and the sweepers' times: an owner writes them down, and then they act by themselves.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::{SALES, Team, says},
    support::{Answer, Rows, Service, earlier, eventually},
};

/// A rule with these conditions.
async fn rule(team: &Team, name: &str, when: Value, then: Value) -> Answer {
    let rule = json!({ "name": name, "enabled": true, "rule": { "when": when, "then": then } });
    team.owner.post("/automations", &rule).await
}

/// Saves a rule with these conditions; returns its path.
async fn kept(team: &Team, name: &str, when: Value, then: Value) -> String {
    let added = rule(team, name, when, then).await;
    assert_eq!((added.status, added.text("/authorId")), (201, &*team.owner_id), "{added:?}");
    format!("/automations/{}", added.text("/id"))
}

async fn put(team: &Team, path: &str, body: &Value) -> Answer {
    Answer::to(team.owner.request(Method::PUT, path).json(body)).await
}

/// A number of words as a condition.
fn words(words: &[&str]) -> Value {
    json!({ "words": words })
}

/// Returns the conversation's tags, once `written` messages of the customer have been handled.
async fn tags(team: &Team, rows: &Rows, written: i64) -> Value {
    eventually("every message to be dealt with", async || {
        let recorded = rows.count("messages WHERE role = 'customer'").await;
        (recorded == written && rows.count("automation_triggers").await == 0).then_some(())
    })
    .await;
    team.owner.get(&format!("/conversations/{}", team.conversation)).await.body["tags"].clone()
}

#[tokio::test]
async fn a_rule_that_names_nobody_of_the_workspace_is_refused() {
    let team = Team::new().await;
    let nobody = "0192f0c1-7a00-7000-8000-00000000dead";
    for (then, at) in [
        (json!([{ "do": "close" }, { "do": "sendToGroup", "group": nobody }]), "rule.then[1]"),
        (json!([{ "do": "assign", "member": nobody }]), "rule.then[0]"),
    ] {
        let refused = rule(&team, "lost", json!({ "began": true }), then).await;
        refused.assert_error(400, at);
        assert!(refused.text("/message").contains(at), "{refused:?}");
    }
}

#[tokio::test]
async fn a_customer_s_word_in_any_spelling_sets_off_a_reply_a_tag_and_a_group() {
    let team = Team::new().await;
    let then = json!([
        { "do": "reply", "text": "أهلا وسهلا" },
        { "do": "tag", "tag": "أسعار" },
        { "do": "sendToGroup", "groupId": SALES },
    ]);
    kept(&team, "prices", words(&["سعر", "قيمه"]), then).await;
    says(&team.world, "كم السِّعـر؟").await;
    let sent = team.world.receiver.next_of("message.sent").await;
    assert_eq!(sent.text("/data/message/content"), "أهلا وسهلا");
    assert_eq!(sent.text("/data/message/role"), "team");
    team.assert_told("conversation.sent_to_group", &json!({ "reason": "automation:prices" })).await;
    assert_eq!(team.system_messages().await, ["sent_to_group: Sales (automation:prices)"]);
    assert_eq!(tags(&team, &team.world.rows().await, 2).await, json!(["أسعار"]));
    let page = team.owner.get(&format!("/conversations/{}/messages", team.conversation)).await;
    let replies: Vec<&Value> =
        page.body["data"].as_array().unwrap().iter().filter(|row| row["role"] == "team").collect();
    assert_eq!(replies.len(), 1, "{page:?}");
    assert_eq!(replies[0]["senderId"], team.owner_id, "in the name of who wrote the rule");
}

#[tokio::test]
async fn rules_assign_return_and_close_and_the_next_message_begins_anew() {
    let team = Team::new().await;
    kept(&team, "to a person", words(&["موظف"]), json!([{ "do": "assign", "memberId": team.agent_id }]))
        .await;
    kept(&team, "to the assistant", words(&["روبوت"]), json!([{ "do": "return" }])).await;
    kept(&team, "farewell", words(&["وداعا"]), json!([{ "do": "close" }])).await;
    let began =
        kept(&team, "began", json!({ "began": true }), json!([{ "do": "sendToGroup", "group": SALES }]));
    let began = began.await;
    // What was taken under its first name is told by the one that all have.
    let told = &team.owner.get("/automations").await.body["rows"];
    assert_eq!(told[0]["rule"]["then"][0], json!({ "do": "assign", "memberId": team.agent_id }));
    assert_eq!(told[3]["rule"]["then"][0], json!({ "do": "sendToGroup", "groupId": SALES }));
    for (text, event, name) in [
        ("أريد التحدث مع موظف", "conversation.assigned", "to a person"),
        ("الروبوت أفضل", "conversation.returned", "to the assistant"),
        ("وداعاً", "conversation.closed", "farewell"),
        ("مرحبا", "conversation.sent_to_group", "began"),
    ] {
        says(&team.world, text).await;
        team.assert_told(event, &json!({ "reason": format!("automation:{name}") })).await;
    }
    // Neither a rule that is not in force nor one that was removed does anything.
    let farewell = "/automations/".to_owned() + team.owner.get("/automations").await.text("/rows/2/id");
    let off = json!({
        "name": "farewell", "enabled": false, "rule": { "when": words(&["وداعا"]), "then": [{ "do": "close" }] },
    });
    assert_eq!(put(&team, &farewell, &off).await.status, 200);
    assert_eq!(team.owner.delete(&began).await.status, 204);
    says(&team.world, "وداعا").await;
    assert_eq!(tags(&team, &team.world.rows().await, 6).await, json!([]));
    let system_messages = [
        "assigned (automation:to a person)",
        "returned (automation:to the assistant)",
        "closed (automation:farewell)",
        "sent_to_group: Sales (automation:began)",
    ];
    assert_eq!(team.system_messages().await, system_messages);
}

#[tokio::test]
async fn what_a_rule_says_and_does_sets_no_rule_off() {
    let team = Team::new().await;
    let rows = team.world.rows().await;
    kept(&team, "echo", words(&["أهلا"]), json!([{ "do": "reply", "text": "أهلا" }])).await;
    kept(&team, "over", words(&["أهلا"]), json!([{ "do": "close" }])).await;
    kept(&team, "anew", json!({ "began": true }), json!([{ "do": "reply", "text": "أهلا وسهلا" }])).await;
    for (written, replies) in [(2, 1), (3, 3)] {
        says(&team.world, "أهلا").await;
        tags(&team, &rows, written).await;
        assert_eq!(rows.count("messages WHERE role = 'team'").await, replies);
        assert_eq!(rows.count("conversations WHERE status = 'closed'").await, 1);
    }
    assert_eq!(team.system_messages().await, ["closed (automation:over)"; 2]);
}

#[tokio::test]
async fn outside_opening_hours_is_told_by_the_workspace_s_own_hours() {
    let team = Team::new().await;
    let rows = team.world.rows().await;
    for (name, when) in [("late", json!({ "outsideHours": true })), ("always", words(&["مرحبا"]))] {
        kept(&team, name, when, json!([{ "do": "tag", "tag": name }])).await;
    }
    says(&team.world, "مرحبا").await;
    assert_eq!(tags(&team, &rows, 2).await, json!(["always"]), "without hours it is never closed");
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let week = |spans: Value| -> Value {
        days.iter().map(|day| ((*day).to_owned(), spans.clone())).collect::<serde_json::Map<_, _>>().into()
    };
    let set = async |spans: Value| {
        let hours = json!({ "zone": "Asia/Baghdad", "week": week(spans) });
        let set = put(&team, "/conversation-settings", &json!({ "hours": hours })).await;
        assert_eq!(set.status, 200, "{set:?}");
    };
    set(json!([["00:00", "12:00"], ["12:00", "24:00"]])).await;
    says(&team.world, "متوفر؟").await;
    assert_eq!(tags(&team, &rows, 3).await, json!(["always"]), "it is open day and night");
    set(json!([])).await;
    says(&team.world, "متوفر؟").await;
    assert_eq!(tags(&team, &rows, 4).await, json!(["always", "late"]), "it is closed every day");
}

#[tokio::test]
async fn quiet_conversations_go_back_to_the_assistant_and_are_closed_at_the_workspace_s_times() {
    let team = Team::new().await;
    let rows = team.world.rows().await;
    let later = async |minutes: u32| {
        let [written, last, moved] = ["created_at", "last_message_at", "moved_at"]
            .map(|column| format!("{column} = {}", earlier(column, &format!("{minutes} minutes"))));
        rows.change(&format!("UPDATE messages SET {written}; UPDATE conversations SET {last}, {moved}"))
            .await;
    };
    assert_eq!(team.moves(&team.agent, &json!({ "do": "take" })).await.status, 200);
    later(31).await;
    let times = json!({ "unansweredReturn": 30, "idleClose": 90 });
    assert_eq!(put(&team, "/conversation-settings", &times).await.status, 200);
    // A node that joins looks at once.
    let _second = Service::start(&team.world.secrets).await;
    team.assert_told("conversation.returned", &json!({ "reason": "unanswered_return" })).await;
    later(91).await;
    let _third = Service::start(&team.world.secrets).await;
    team.assert_told("conversation.closed", &json!({ "reason": "idle_close" })).await;
    assert_eq!(
        team.system_messages().await,
        ["assigned", "returned (unanswered_return)", "closed (idle_close)"]
    );
}

#[tokio::test]
async fn owners_write_rules_and_hours_down_and_the_log_says_so() {
    let team = Team::new().await;
    let close = json!([{ "do": "close" }]);
    let path = kept(&team, "bye", words(&["وداعا"]), close.clone()).await;
    let twice = rule(&team, "bye", words(&["مع السلامة"]), close.clone()).await;
    twice.assert_refused(409, "automation_name_taken", &json!({}), "a name twice");
    for (when, then) in [
        (words(&["كلمة"]), json!([])),
        (words(&[]), close.clone()),
        (words(&["؟"]), close.clone()),
        (json!({ "began": true }), json!([{ "do": "explode" }])),
        (json!({ "began": true }), json!([{ "do": "reply", "text": " " }])),
    ] {
        let about = format!("{when} {then}");
        rule(&team, "none", when, then).await.assert_error(400, &about);
    }
    let other = json!({
        "name": "farewell", "enabled": false,
        "rule": { "when": { "began": true, "words": [], "outsideHours": false }, "then": close },
    });
    let changed = put(&team, &path, &other).await;
    assert_eq!((changed.status, changed.text("/name")), (200, "farewell"), "{changed:?}");
    assert_eq!(team.owner.get("/automations").await.body["rows"], json!([changed.body]));
    let settings = json!({
        "hours": { "zone": "Asia/Baghdad", "week": {
            "monday": [["09:00", "17:00"]], "tuesday": [], "wednesday": [], "thursday": [], "friday": [],
            "saturday": [], "sunday": [["20:00", "02:00"]],
        } },
        "idleClose": 60, "unansweredReturn": null,
    });
    assert_eq!(put(&team, "/conversation-settings", &settings).await.body, settings);
    assert_eq!(team.owner.get("/conversation-settings").await.body, settings);
    for wrong in [
        json!({ "idleClose": 0 }),
        json!({ "hours": { "zone": "Mars/Olympus", "week": {} } }),
        json!({ "hours": { "zone": "UTC", "week": { "monday": [["25:00", "26:00"]] } } }),
        json!({ "hours": { "zone": "UTC", "week": { "monday": vec![["09:00", "10:00"]; 11] } } }),
    ] {
        put(&team, "/conversation-settings", &wrong).await.assert_error(400, &wrong.to_string());
    }
    assert_eq!(team.owner.get("/conversation-settings").await.body, settings);
    assert_eq!(team.owner.delete(&path).await.status, 204);
    team.owner.delete(&path).await.assert_error(404, "gone");
    put(&team, &path, &other).await.assert_error(404, "gone");
    assert_eq!(team.owner.get("/automations").await.body["rows"], json!([]));
    let log = team.owner.get("/audit?limit=4").await;
    let done: Vec<&Value> = log.body["rows"].as_array().unwrap().iter().map(|row| &row["action"]).collect();
    let wanted =
        ["automation.deleted", "conversation_settings.changed", "automation.changed", "automation.added"];
    assert_eq!(done, wanted);
}
