//! The team's lists, and the page of a person.

use serde_json::{Value, json};

use super::stage::{CONVERSATION, GROUP, Stage, conversation};
use crate::support::Browser;

const SECOND: &str = "0192f0c1-7a00-7000-8000-0000000000f3";
const THIRD: &str = "0192f0c1-7a00-7000-8000-0000000000f4";

/// The ids of a list's conversations.
async fn listed(browser: &Browser, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/conversations{query}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    let rows = page.body["rows"].as_array().unwrap();
    rows.iter().map(|row| row["conversation"]["id"].as_str().unwrap().to_owned()).collect()
}

/// Three open conversations, written in one after the other: the owner's, and two that nobody holds, the last
/// of which is in a group.
async fn three(stage: &Stage) {
    stage.conversation(&stage.owner.member_id().await).await;
    stage.group().await;
    let rows = stage.rows().await;
    for id in [SECOND, THIRD] {
        conversation(&rows, &stage.workspace, id, "NULL").await;
    }
    rows.change(&format!(
        "UPDATE conversations SET last_message_at = now() - interval '2 hours' WHERE id = '{CONVERSATION}';
         UPDATE conversations SET last_message_at = now() - interval '1 hour' WHERE id = '{SECOND}';
         UPDATE conversations SET group_id = '{GROUP}' WHERE id = '{THIRD}';
         UPDATE contacts SET name = 'سارة', phone = '+9647701234567', searchable = 'ساره' || chr(10) || '9647701234567'
             WHERE id = '{SECOND}'"
    ))
    .await;
}

/// What the inbox counts of one's own, of what waits, of all, and of each group.
async fn counts(browser: &Browser) -> Vec<String> {
    let page = browser.visitor().get("/dashboard/inbox?view=all").await.html;
    let (_, tabs) = page.split_once("id=\"tabs\"").unwrap();
    let counts = tabs.split("class=\"count\">").skip(1).map(|rest| rest.split('<').next().unwrap());
    counts.map(|count| count.chars().filter(char::is_ascii_digit).collect()).collect()
}

#[tokio::test]
async fn a_member_sees_what_they_hold_what_waits_what_a_group_has_and_all() {
    let stage = Stage::new().await;
    three(&stage).await;
    let owner = &stage.owner;
    assert_eq!(listed(owner, "").await, [THIRD, SECOND, CONVERSATION]);
    assert_eq!(listed(owner, "?view=all&status=open&channel=whatsapp").await, [THIRD, SECOND, CONVERSATION]);
    assert_eq!(listed(owner, "?view=mine").await, [CONVERSATION]);
    assert_eq!(listed(owner, "?view=unassigned").await, [THIRD, SECOND]);
    assert_eq!(listed(owner, &format!("?view=group&groupId={GROUP}")).await, [THIRD]);
    assert_eq!(listed(owner, "?status=closed").await, Vec::<String>::new());
    assert_eq!(listed(owner, "?channel=instagram").await, Vec::<String>::new());
    for search in ["سارة", "0770", "7701234567"] {
        assert_eq!(listed(owner, &format!("?search={search}")).await, [SECOND], "{search}");
    }
    let tagged = owner.post(&format!("/conversations/{SECOND}/tags"), &json!({ "tag": "VIP" })).await;
    assert_eq!(tagged.status, 200, "{tagged:?}");
    assert_eq!(listed(owner, "?tag=vip").await, [SECOND]);

    let page = owner.get("/conversations?limit=2").await;
    assert_eq!(page.body["rows"][1]["contact"]["name"], "سارة");
    assert_eq!(page.body["rows"][1]["tags"], json!(["VIP"]));
    assert_eq!(page.body["rows"][1]["lastMessage"], Value::Null);
    let next = format!("?limit=2&cursor={}", page.text("/nextCursor"));
    assert_eq!(listed(owner, &next).await, [CONVERSATION]);

    let agent = stage.joined("agent@palm.example", "agent").await;
    assert_eq!(listed(&agent, "?view=mine").await, Vec::<String>::new());
    assert_eq!(listed(&agent, "").await, [THIRD, SECOND, CONVERSATION]);
    assert_eq!(counts(&agent).await, ["0", "2", "3", "1"]);
    assert_eq!(counts(owner).await[0], "1");
}

#[tokio::test]
async fn a_list_that_is_asked_for_wrongly_is_refused() {
    let stage = Stage::new().await;
    for query in [
        "view=everything",
        "view=group",
        "view=mine&groupId=0192f0c1-7a00-7000-8000-0000000000a1",
        "view=group&groupId=sales",
        "status=waiting",
        "channel=telegram",
        "tag=",
        "limit=0",
        "limit=101",
        "cursor=abc",
        "view=all&view=mine",
        &format!("search={}", "k".repeat(201)),
    ] {
        stage.owner.get(&format!("/conversations?{query}")).await.assert_error(400, query);
    }
}

#[tokio::test]
async fn a_person_is_shown_with_their_conversations_and_renamed() {
    let stage = Stage::new().await;
    three(&stage).await;
    let agent = stage.joined("agent@palm.example", "agent").await;
    let path = format!("/contacts/{SECOND}");
    let shown = agent.get(&path).await;
    assert_eq!((shown.text("/contact/name"), shown.text("/contact/phone")), ("سارة", "+9647701234567"));
    assert_eq!(shown.text("/conversations/0/conversation/id"), SECOND);
    assert_eq!(shown.body["conversations"].as_array().unwrap().len(), 1);

    let renamed = agent.patch(&path, &json!({ "name": " Sara " })).await;
    assert_eq!((renamed.status, renamed.text("/name")), (200, "Sara"));
    assert_eq!(listed(&agent, "?search=sara").await, [SECOND]);
    assert_eq!(agent.get(&path).await.text("/contact/name"), "Sara");
    agent.patch(&path, &json!({ "name": " " })).await.assert_error(400, "no name");
    agent.get("/contacts/nobody").await.assert_error(404, "no id");
    agent.get(&format!("/contacts/{GROUP}")).await.assert_error(404, "no contact");
}
