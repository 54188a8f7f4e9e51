//! What became of the events about a person, a message or a reference, over all addresses.

use serde_json::{Value, json};

use crate::support::{Answer, Browser, Receiver, World, eventually};

struct Desk {
    world: World,
    owner: Browser,
    /// A second address, which is told of everything, too.
    second: Receiver,
}

impl Desk {
    async fn new() -> Self {
        let world = World::new().await;
        let second = Receiver::start().await;
        world.operator(&["webhook", "add", &world.workspace, second.url()]);
        let base_url = world.service.base_url();
        let owner =
            Browser::joined(base_url, &world.secrets, &world.workspace, "owner@palm.example", "owner").await;
        Self { world, owner, second }
    }

    async fn search(&self, query: &str) -> Answer {
        self.owner.get(&format!("/deliveries?{query}")).await
    }

    /// The events of a search, once there are this many.
    async fn events(&self, query: &str, count: usize) -> Vec<String> {
        eventually(query, async || {
            let rows = self.search(query).await.body["rows"].as_array().unwrap().clone();
            let events = rows.iter().map(|row| row["event"].as_str().unwrap().to_owned());
            (rows.len() == count).then(|| events.collect())
        })
        .await
    }
}

fn notice(to: &str, reference: &str) -> Value {
    json!({ "to": to, "template": "order_ready", "variables": ["Sara", "A-1042"], "reference": reference })
}

#[tokio::test]
async fn deliveries_are_found_by_person_message_and_reference() {
    let desk = Desk::new().await;
    let first = desk.world.api().send(&notice("07701234567", "order-1042")).await;
    let again = desk.world.api().send(&notice("07701234567", "order-1043")).await;
    let other = desk.world.api().send(&notice("07709999999", "order-1042")).await;
    for sent in [&first, &again, &other] {
        assert_eq!(sent.status, 201, "{sent:?}");
    }
    // Sent, delivered and read, to two addresses each.
    let (person, message) = (first.text("/contactId"), first.text("/id"));
    assert_eq!(desk.events(&format!("messageId={message}"), 6).await.len(), 6);
    desk.events(&format!("contactId={person}"), 12).await;
    let events = desk.events("reference=order-1042", 12).await;
    for kind in ["message.sent", "message.delivered", "message.read"] {
        assert_eq!(events.iter().filter(|event| *event == kind).count(), 4, "{events:?}");
    }
    assert_eq!(desk.second.next_of("message.read").await.kind(), "message.read");

    // Page by page, each once and in order; a cursor goes on with its own search only.
    let mut seen: Vec<String> = Vec::new();
    let mut query = format!("contactId={person}&limit=5");
    loop {
        let page = desk.search(&query).await;
        let rows = page.body["rows"].as_array().unwrap().clone();
        seen.extend(rows.iter().map(|row| format!("{} {}", row["createdAt"], row["id"])));
        let Some(cursor) = page.body["nextCursor"].as_str() else { break };
        query = format!("contactId={person}&limit=5&cursor={cursor}");
        desk.search(&format!("messageId={message}&cursor={cursor}")).await.assert_error(400, "another list");
    }
    assert!(seen.len() == 12 && seen.is_sorted_by(|one, next| one > next), "{seen:?}");

    for (query, about) in [("", "none"), ("contactId=x", "no id"), ("reference=a&messageId=b", "two")] {
        desk.search(query).await.assert_error(400, about);
    }
    assert_eq!(desk.search("reference=order-9").await.body["rows"], json!([]));
    let agent = Browser::joined(
        desk.world.service.base_url(),
        &desk.world.secrets,
        &desk.world.workspace,
        "a@palm.example",
        "agent",
    );
    agent.await.get(&format!("/deliveries?messageId={message}")).await.assert_refused(
        403,
        "owner_only",
        &json!({}),
        "agent",
    );
    let (theirs, _) = desk.world.neighbour();
    let neighbour =
        Browser::joined(desk.world.service.base_url(), &desk.world.secrets, &theirs, "n@n.example", "owner")
            .await;
    for query in
        [format!("messageId={message}"), format!("contactId={person}"), "reference=order-1042".to_owned()]
    {
        assert_eq!(neighbour.get(&format!("/deliveries?{query}")).await.body["rows"], json!([]), "{query}");
    }
}

#[tokio::test]
async fn a_one_time_code_is_found_by_its_reference_and_belongs_to_nobody() {
    let desk = Desk::new().await;
    let code =
        json!({ "to": "07701234567", "template": "login_code", "code": "483920", "reference": "login-7" });
    let sent = desk.world.api().send(&code).await;
    assert_eq!(sent.status, 201, "{sent:?}");
    desk.events("reference=login-7", 4).await;
    desk.events(&format!("messageId={}", sent.text("/id")), 4).await;
    let rows = desk.world.rows().await;
    assert_eq!(rows.count("delivery_log WHERE contact_id IS NOT NULL").await, 0);
}

#[tokio::test]
async fn a_customers_messages_and_the_moves_of_their_conversation_are_found_by_the_person() {
    let desk = Desk::new().await;
    let said = json!({
        "phoneNumberId": "106540352242922", "from": "9647701234567", "name": "Sara",
        "message": { "type": "text", "text": { "body": "hello" } },
    });
    desk.world.control(reqwest::Method::POST, "inbound", &said).await;
    let received = desk.second.next_of("message.received").await;
    let person = received.text("/data/customer/id");
    let conversation = received.text("/data/conversationId");
    let moved =
        desk.owner.post(&format!("/conversations/{conversation}/moves"), &json!({ "do": "close" })).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    let mut events = desk.events(&format!("contactId={person}"), 6).await;
    events.sort();
    events.dedup();
    assert_eq!(events, ["conversation.closed", "conversation.created", "message.received"]);
}
