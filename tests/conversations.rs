//! Reading what is in the inbox.

use serde_json::{Value, json};

use crate::support::{Answer, Api, SHOP_NUMBER, World};

const SALES: &str = "0192f0c1-7a00-7000-8000-0000000000a1";
const UNKNOWN: &str = "0192f0c1-7a00-7000-8000-0000000000ff";

/// Sends a notice to the person whose number ends in `person`.
async fn notify(api: &Api, person: u8) -> Answer {
    let notice = json!({
        "to": format!("+96477012345{person:02}"), "template": "order_ready", "language": "ar", "name": "سارة",
        "variables": ["سارة", "A-1042"], "reference": format!("order-{person}"),
    });
    let answer = api.send(&notice).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer
}

/// The ids that a list shows, all of it.
async fn ids(api: &Api, path: &str) -> Vec<String> {
    let answer = api.get(path).await;
    assert_eq!(
        (answer.status, answer.body.get("nextCursor")),
        (200, Some(&Value::Null)),
        "{path}: {answer:?}"
    );
    let rows = answer.body["data"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_notice_is_found_in_its_conversation() {
    let world = World::new().await;
    let api = world.api();
    let first = notify(&api, 1).await;
    let second = notify(&api, 1).await;
    let other = notify(&api, 2).await;

    let path = format!("/v1/conversations/{}", first.text("/conversationId"));
    let conversation = api.get(&path).await;
    let wanted = json!({
        "id": first.text("/conversationId"),
        "contactId": first.text("/contactId"),
        "channel": "whatsapp",
        "status": "bot",
        "assignedTo": null,
        "group": null,
        "lastMessageAt": second.text("/message/createdAt"),
        "createdAt": first.text("/message/createdAt"),
    });
    assert_eq!((conversation.status, &conversation.body), (200, &wanted));

    let messages = api.get(&format!("{path}/messages")).await;
    assert_eq!((messages.status, &messages.body["nextCursor"]), (200, &Value::Null));
    let listed = [messages.message("/data/0"), messages.message("/data/1")];
    assert_eq!(listed, [second.message("/message"), first.message("/message")]);
    assert_eq!(messages.body["data"].as_array().unwrap().len(), 2);

    let listed = api.get("/v1/conversations").await;
    let newest = other.text("/conversationId");
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 2);
    assert_eq!((listed.text("/data/0/id"), &listed.body["data"][1]), (newest, &conversation.body));
}

#[tokio::test]
async fn every_filter_shows_what_passes_it() {
    let world = World::new().await;
    let api = world.api();
    let mut conversations = Vec::new();
    let mut contacts = Vec::new();
    for person in 0..4 {
        let sent = notify(&api, person).await;
        conversations.push(sent.text("/conversationId").to_owned());
        contacts.push(sent.text("/contactId").to_owned());
    }
    let [first, second, third, fourth] = &conversations[..] else { panic!("four conversations") };
    let rows = world.rows().await;
    let workspace = &world.workspace;
    rows.change(&format!(
        "INSERT INTO groups VALUES ('{workspace}', '{SALES}', 'المبيعات', now());
         UPDATE conversations SET created_at = '2026-11-19T10:00:00.000Z' WHERE id = '{first}';
         UPDATE conversations SET created_at = '2026-11-20T10:00:00.250Z' WHERE id = '{second}';
         UPDATE conversations SET created_at = '2026-11-21T10:00:00.500Z' WHERE id IN ('{third}', '{fourth}');
         UPDATE conversations SET status = 'closed', group_id = '{SALES}' WHERE id = '{second}';
         UPDATE conversations SET status = 'open', group_id = '{SALES}', assigned_to = members.id
             FROM members
             WHERE conversations.id = '{third}' AND members.workspace_id = conversations.workspace_id"
    ))
    .await;
    let (one, other) = if third > fourth { (third, fourth) } else { (fourth, third) };
    for (query, wanted) in [
        (String::new(), vec![one, other, second, first]),
        ("status=bot".to_owned(), vec![fourth, first]),
        ("status=open".to_owned(), vec![third]),
        ("status=closed".to_owned(), vec![second]),
        (format!("contactId={}", contacts[1]), vec![second]),
        (format!("contactId={UNKNOWN}"), vec![]),
        (format!("groupId={SALES}"), vec![third, second]),
        (format!("groupId={UNKNOWN}"), vec![]),
        ("since=2026-11-20T10:00:00.250Z".to_owned(), vec![one, other, second]),
        ("since=2026-11-20T10:00:00.251Z".to_owned(), vec![one, other]),
        ("since=2026-11-20".to_owned(), vec![one, other, second]),
        ("since=2026-11-21T13:00:00%2B03:00&status=bot".to_owned(), vec![fourth]),
        (format!("groupId={SALES}&status=closed"), vec![second]),
        (format!("groupId={SALES}&since=2026-11-21"), vec![third]),
        (format!("groupId={SALES}&status=bot"), vec![]),
        (format!("contactId={}&status=open&groupId={SALES}&since=2026-11-21", contacts[2]), vec![third]),
        (format!("contactId={}&status=open", contacts[1]), vec![]),
    ] {
        let found = ids(&api, &format!("/v1/conversations?{query}")).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "{query}");
    }

    let held = api.get(&format!("/v1/conversations/{third}")).await;
    assert_eq!(held.body["group"], json!({ "id": SALES, "name": "المبيعات" }));
    let owner = rows.texts(&format!("SELECT id::text FROM members WHERE workspace_id = '{workspace}'")).await;
    assert_eq!(held.text("/assignedTo"), owner[0]);
}

#[tokio::test]
async fn a_walk_ends_with_every_conversation_and_every_message_seen_once() {
    let world = World::new().await;
    let api = world.api();
    for person in [1, 2, 3, 1, 1] {
        notify(&api, person).await;
    }
    let walk = async |path: &str| {
        let (mut seen, mut next) = (Vec::new(), format!("{path}?limit=1"));
        loop {
            let page = api.get(&next).await;
            assert_eq!(page.status, 200, "{page:?}");
            seen.push(page.text("/data/0/id").to_owned());
            match page.body["nextCursor"].as_str() {
                Some(cursor) => next = format!("{path}?limit=1&cursor={cursor}"),
                None => return seen,
            }
        }
    };
    let conversations = ids(&api, "/v1/conversations").await;
    assert_eq!((conversations.len(), walk("/v1/conversations").await), (3, conversations.clone()));
    let path = format!("/v1/conversations/{}/messages", conversations[2]);
    let messages = ids(&api, &path).await;
    assert_eq!((messages.len(), walk(&path).await), (3, messages.clone()));
}

#[tokio::test]
async fn a_neighbour_is_shown_nothing() {
    let world = World::new().await;
    let api = world.api();
    let (_, neighbour) = world.neighbour();
    let sent = notify(&api, 1).await;
    notify(&api, 1).await;
    notify(&api, 2).await;
    let theirs = notify(&neighbour, 1).await;
    assert_ne!(theirs.text("/from"), SHOP_NUMBER);

    let conversation = format!("/v1/conversations/{}", sent.text("/conversationId"));
    let messages = format!("{conversation}/messages");
    for path in [&conversation, &messages] {
        assert_eq!(api.get(path).await.status, 200);
        neighbour.get(path).await.assert_error(404, path);
    }
    for list in ["/v1/conversations", &messages] {
        let page = api.get(&format!("{list}?limit=1")).await;
        let stolen = format!("{list}?limit=1&cursor={}", page.text("/nextCursor"));
        assert_eq!(api.get(&stolen).await.status, 200);
        neighbour.get(&stolen).await.assert_error(400, &stolen);
    }
    let with_theirs = format!("/v1/conversations?contactId={}", theirs.text("/contactId"));
    assert_eq!(ids(&api, &with_theirs).await, Vec::<String>::new());
    assert_eq!(ids(&neighbour, &with_theirs).await, [theirs.text("/conversationId")]);
    assert_eq!(ids(&neighbour, "/v1/conversations").await, [theirs.text("/conversationId")]);
}
