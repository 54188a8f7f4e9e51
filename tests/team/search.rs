//! Messages that are found by their words.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::Team,
    support::{Answer, Browser, Service, Visitor, earlier, eventually},
};

fn query(words: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair("q", words).finish()
}

/// Each found text, its words that were looked for in brackets.
fn texts(found: &Answer) -> Vec<String> {
    let rows = found.body["rows"].as_array().unwrap_or_else(|| panic!("{found:?}"));
    let part = |part: &Value| {
        let text = part["text"].as_str().unwrap();
        if part["isMatch"] == json!(true) { format!("[{text}]") } else { text.to_owned() }
    };
    rows.iter().map(|row| row["snippet"].as_array().unwrap().iter().map(part).collect()).collect()
}

#[tokio::test]
async fn a_member_finds_messages_by_their_words_everywhere_and_in_a_conversation() {
    let team = Team::new().await;
    let path = format!("/conversations/{}/messages", team.conversation);
    for text in ["الطَّلب رقم A-1042 جاهز", "Your order 1042 is ready"] {
        let sent = team.agent.post(&path, &json!({ "text": text })).await;
        assert_eq!(sent.status, 201, "{sent:?}");
    }
    for (words, wanted) in [
        ("طلب", vec!["[الطَّلب] رقم A-1042 جاهز"]),
        ("1042", vec!["Your order [1042] is ready", "الطَّلب رقم A-[1042] جاهز"]),
        ("READY ord", vec!["Your [order] 1042 is [ready]"]),
        ("متوفر", vec!["[متوفر]؟"]),
        ("requests", vec![]),
    ] {
        for path in ["/messages/search", &format!("{path}/search")] {
            let found = team.agent.get(&format!("{path}?{}", query(words))).await;
            assert_eq!(
                (found.status, texts(&found)),
                (200, wanted.iter().map(ToString::to_string).collect()),
                "{words}"
            );
        }
    }
    let first = team.agent.get("/messages/search?q=1042&limit=1").await;
    assert_eq!(first.text("/rows/0/conversationId"), team.conversation);
    let cursor = first.text("/nextCursor");
    let second = team.agent.get(&format!("/messages/search?q=1042&limit=1&cursor={cursor}")).await;
    assert_eq!(texts(&second), ["الطَّلب رقم A-[1042] جاهز"]);
    // The conversation from there on begins with what was found.
    let from = second.text("/rows/0/pageFromHere");
    let page = team.agent.get(&format!("{path}?cursor={from}")).await;
    assert_eq!(page.text("/data/0/id"), second.text("/rows/0/id"));

    for wrong in ["", "q=", "q=!", &query(&"ع".repeat(201)), &format!("q=other&cursor={cursor}")] {
        team.agent.get(&format!("/messages/search?{wrong}")).await.assert_error(400, wrong);
    }
}

#[tokio::test]
async fn what_was_sent_first_and_recorded_last_hides_no_message_before_it() {
    let team = Team::new().await;
    let path = format!("/conversations/{}/messages", team.conversation);
    let sent = team.agent.post(&path, &json!({ "text": "Your order 1042 is ready" })).await;
    assert_eq!(sent.status, 201, "{sent:?}");
    // As if the outcome of what was sent first had been known three weeks later.
    let rows = team.world.rows().await;
    let first = rows.texts("SELECT id::text FROM messages ORDER BY id LIMIT 1").await.remove(0);
    let long_ago = earlier("created_at", "21 days");
    rows.change(&format!("UPDATE messages SET created_at = {long_ago} WHERE id <> '{first}'")).await;
    let found = team.agent.get(&format!("/messages/search?{}", query("1042"))).await;
    assert_eq!(texts(&found), ["Your order [1042] is ready"]);
}

#[tokio::test]
async fn what_was_written_before_there_was_a_search_is_found_and_what_was_deleted_is_not() {
    let team = Team::new().await;
    let search = format!("/messages/search?{}", query("متوفر"));
    assert_eq!(texts(&team.agent.get(&search).await), ["[متوفر]؟"]);
    let rows = team.world.rows().await;
    rows.change("UPDATE messages SET searchable = NULL").await;
    eventually("its words", async || (texts(&team.agent.get(&search).await) == ["[متوفر]؟"]).then_some(()))
        .await;
    rows.change("UPDATE messages SET searchable = NULL, deleted_at = now() WHERE role = 'customer'").await;
    eventually("nothing", async || {
        let left = rows
            .texts("SELECT count(*)::text FROM messages WHERE searchable IS NULL AND role = 'customer'")
            .await;
        (left == ["0"]).then_some(())
    })
    .await;
    assert!(texts(&team.agent.get(&search).await).is_empty());
}

#[tokio::test]
async fn a_member_has_a_few_searches_at_once_and_everybody_else_is_served_meanwhile() {
    const AT_ONCE: usize = 4;
    const MORE: usize = 20;
    let mut team = Team::new().await;
    let (workspace, _) = team.world.neighbour();
    // With as many connections as a node has by itself, of which a member's searches take a part.
    let node = Service::start_with(&team.world.secrets, &[("MESSAGING_POOL_SIZE", "16")]).await;
    let base_url = node.base_url();
    for browser in [&mut team.agent, &mut team.owner] {
        browser.moved_to(base_url);
    }
    let neighbour = Browser::joined(base_url, &team.world.secrets, &workspace, "n@n.example", "owner").await;
    // What is looked for waits behind a lock, as it would behind a slow disk.
    let rows = team.world.rows().await;
    rows.change("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE").await;
    let search = format!("/messages/search?{}", query("متوفر"));
    let asking: Vec<_> = (0..AT_ONCE + MORE)
        .map(|_| tokio::spawn(Answer::to(team.agent.request(Method::GET, &search))))
        .collect();
    let (first, rest) = eventually("refusals", async || {
        let refused = asking.iter().filter(|asked| asked.is_finished()).count();
        (refused >= MORE).then_some((refused, asking.len() - refused))
    })
    .await;
    assert_eq!((first, rest), (MORE, AT_ONCE), "of more than have a place");
    for other in [neighbour.get("/me").await, team.owner.get("/me").await] {
        assert_eq!(other.status, 200, "{other:?}");
    }
    rows.change("COMMIT").await;
    let mut served = 0;
    for asked in asking {
        let answer = asked.await.unwrap();
        if answer.status == 200 {
            served += 1;
        } else {
            answer.assert_refused(429, "too_many_searches", &json!({}), "too many at once");
            assert_eq!(answer.header("retry-after"), Some("1"));
        }
    }
    assert_eq!(served, AT_ONCE);
    assert_eq!(team.agent.get(&search).await.status, 200, "later");
}

#[tokio::test]
async fn a_page_finds_messages_without_a_script_and_leads_to_them() {
    let team = Team::new().await;
    let sent = json!({ "text": "<b>جاهز</b> اليوم" });
    let path = format!("/conversations/{}/messages", team.conversation);
    assert_eq!(team.agent.post(&path, &sent).await.status, 201);
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let inbox = visitor.get("/dashboard/inbox").await;
    assert!(inbox.html.contains("formaction=\"/dashboard/messages\""), "{}", inbox.html);
    let page =
        visitor.get(&format!("/dashboard/messages?view=all&search={}", "%D8%AC%D8%A7%D9%87%D8%B2")).await;
    assert!(page.html.contains("&#60;b&#62;<mark>جاهز</mark>&#60;/b&#62;"), "{}", page.html);
    let begins = format!("href=\"/dashboard/inbox/{}?before=", team.conversation);
    let (_, rest) = page.html.split_once(&begins).unwrap_or_else(|| panic!("{}", page.html));
    let before = rest.split(['#', '"']).next().unwrap();
    let there = visitor.get(&format!("/dashboard/inbox/{}?before={before}", team.conversation)).await;
    assert!(there.html.contains("&#60;b&#62;جاهز"), "{}", there.html);
    let within = format!("/dashboard/messages?conversationId={}&search=", team.conversation);
    let none = visitor.get(&format!("{within}zebra")).await;
    assert!(none.status == 200 && none.html.contains("No message has these words"), "{}", none.html);
    let wrong = visitor.get(&format!("{within}!")).await;
    assert!(wrong.status == 422 && wrong.html.contains("role=\"alert\""), "{}", wrong.html);
}
