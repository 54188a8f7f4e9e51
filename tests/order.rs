//! Updates of the network are recorded in the order in which they were acknowledged, on any number of nodes
//! and whatever dies meanwhile.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::future::join_all;
use graph_client::signature;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_postgres::NoTls;

use crate::support::{Api, Rows, SHOP, SHOP_NUMBER, Service, World, eventually, local_client};

/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";
const PEOPLE: usize = 5;
const MESSAGES: usize = 120;

/// The network, which posts to several nodes.
#[derive(Clone)]
struct Network {
    client: Client,
    app_secret: String,
    nodes: Arc<Mutex<Vec<String>>>,
}

impl Network {
    fn new(world: &World, nodes: &[&Service]) -> Self {
        let nodes = nodes.iter().map(|node| node.network_webhook().to_string()).collect();
        let client = local_client().timeout(Duration::from_secs(20)).build().unwrap();
        Self { client, app_secret: world.secrets.app_secret.clone(), nodes: Arc::new(Mutex::new(nodes)) }
    }

    fn moved(&self, node: usize, to: &Service) {
        self.nodes.lock().unwrap()[node] = to.network_webhook().to_string();
    }

    /// Posts until it is acknowledged, to one node after the other.
    async fn post(&self, value: Value, first: usize) {
        let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": SHOP, "changes": [{
            "field": "messages", "value": value }] }] })
        .to_string();
        let signature = signature::sign(&self.app_secret.clone().into(), body.as_bytes());
        for node in first.. {
            let address = {
                let nodes = self.nodes.lock().unwrap();
                nodes[node % nodes.len()].clone()
            };
            let request = self.client.post(address).header("X-Hub-Signature-256", &signature);
            match request.body(body.clone()).send().await {
                Ok(answer) if answer.status() == 200 => return,
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// Lets somebody write messages, each once the one before was acknowledged.
    async fn write(self, person: usize, messages: usize) {
        let from = format!("96477055500{person:02}");
        for number in 0..messages {
            let value = json!({
                "messaging_product": "whatsapp",
                "metadata": { "phone_number_id": NUMBER, "display_phone_number": "9647700000001" },
                "contacts": [{ "wa_id": from, "profile": { "name": "Sara" } }],
                // All at one second, as far as the network tells.
                "messages": [{ "from": from, "id": format!("wamid.{person}.{number}"), "timestamp": "1763600001",
                               "type": "text", "text": { "body": number.to_string() } }],
            });
            self.post(value, person * 7 + number * number).await;
        }
    }
}

/// Checks that everything is recorded once, and in each conversation in the order of acknowledgement, each at
/// its own millisecond.
async fn assert_in_order(rows: &Rows) {
    let all = i64::try_from(PEOPLE * MESSAGES).unwrap();
    eventually("all messages", async || (rows.count("messages").await >= all).then_some(())).await;
    eventually("an empty journal", async || (rows.count("journal").await == 0).then_some(())).await;
    assert_eq!(rows.count("conversations").await, i64::try_from(PEOPLE).unwrap());
    let wanted: Vec<String> = (0..MESSAGES).map(|number| number.to_string()).collect();
    let conversations = rows.texts("SELECT id::text FROM conversations").await;
    for conversation in conversations {
        let read = format!(
            "SELECT content FROM messages WHERE conversation_id = '{conversation}' ORDER BY created_at, id"
        );
        assert_eq!(rows.texts(&read).await, wanted);
        let times = "SELECT count(DISTINCT date_trunc('milliseconds', created_at))::text FROM messages";
        let times = rows.texts(&format!("{times} WHERE conversation_id = '{conversation}'")).await;
        assert_eq!(times, [MESSAGES.to_string()]);
    }
}

/// Has the service's database take no connections for a while, and end the existing ones.
async fn outage(database_url: &str) {
    let (rest, name) = database_url.rsplit_once('/').unwrap();
    let (name, options) = name.split_once('?').unwrap_or((name, ""));
    let (client, connection) =
        tokio_postgres::connect(&format!("{rest}/postgres?{options}"), NoTls).await.unwrap();
    tokio::spawn(connection);
    let refuse = format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS false");
    client.batch_execute(&refuse).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
    client.query(end, &[&name]).await.unwrap();
    sleep(Duration::from_millis(1500)).await;
    let allow = format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS true");
    client.batch_execute(&allow).await.unwrap();
}

#[tokio::test]
async fn what_customers_write_to_two_nodes_that_die_is_recorded_as_it_was_acknowledged() {
    let mut world = World::new().await;
    let mut other = Service::start(&world.secrets).await;
    let network = Network::new(&world, &[&world.service, &other]);
    let writing = tokio::spawn(join_all((0..PEOPLE).map(|person| network.clone().write(person, MESSAGES))));
    let rows = world.rows().await;
    let written = async |rows: &Rows, least: i64| {
        eventually("messages", async || (rows.count("messages").await >= least).then_some(())).await;
    };
    written(&rows, 80).await;
    world.crash_and_restart().await;
    network.moved(0, &world.service);
    written(&rows, 200).await;
    other.kill();
    other = Service::start(&world.secrets).await;
    network.moved(1, &other);
    written(&rows, 300).await;
    outage(&world.secrets.database_url).await;
    let rows = world.rows().await;
    written(&rows, 420).await;
    world.crash_and_restart().await;
    network.moved(0, &world.service);
    writing.await.unwrap();
    assert_in_order(&rows).await;
}

#[tokio::test]
async fn the_events_of_a_conversation_and_of_a_message_ascend_whichever_node_told_them() {
    const EACH: usize = 15;
    let world = World::new().await;
    let rows = world.rows().await;
    let other = Service::start(&world.secrets).await;
    let network = Network::new(&world, &[&world.service, &other]);
    let nodes = [world.api(), Api::new(other.base_url(), &world.key)];
    // Both write to each other at once, and the shop from both nodes.
    let customers = join_all((0..PEOPLE).map(|person| network.clone().write(person, EACH)));
    let shop = join_all((0..PEOPLE * EACH).map(async |number| {
        let to = format!("+96477055500{:02}", number % PEOPLE);
        let notice = json!({ "to": to, "template": "store_hours", "from": SHOP_NUMBER });
        let sent = nodes[number / PEOPLE % 2].send(&notice).await;
        assert_eq!(sent.status, 201, "{:?}", sent.body);
    }));
    futures_util::future::join(customers, shop).await;
    world.simulator.settled().await;
    eventually("an empty journal and queue", async || {
        let left = rows.count("journal").await + rows.count("delivery_queue").await;
        (left == 0).then_some(())
    })
    .await;
    let mut conversations: BTreeMap<String, Vec<(String, String, String)>> = BTreeMap::new();
    let mut messages: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for told in world.receiver.rest().await {
        let (kind, at) = (told.kind().to_owned(), told.text("/createdAt").to_owned());
        let text =
            |pointer: &str| told.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(message) = told.body.pointer("/data/messageId").or(told.body.pointer("/data/message/id"))
        {
            messages.entry(message.to_string()).or_default().push((at.clone(), kind.clone()));
        }
        let conversation = text("/data/conversationId") + &text("/data/conversation/id");
        if !conversation.is_empty() {
            conversations.entry(conversation).or_default().push((at, kind, text("/data/message/content")));
        }
    }
    assert_eq!(conversations.len(), PEOPLE);
    for mut events in conversations.into_values() {
        events.sort();
        // Each of the shop's is sent, delivered and read.
        assert_eq!(events.len(), 1 + EACH + 3 * EACH);
        assert!(events.is_sorted_by(|one, next| one.0 < next.0), "{events:?}");
        let heard =
            events.iter().filter(|event| ["conversation.created", "message.received"].contains(&&*event.1));
        let said: Vec<_> = heard.map(|(_, kind, content)| (kind.as_str(), content.clone())).collect();
        assert_eq!(said[0].0, "conversation.created");
        let wanted = (0..EACH).map(|number| ("message.received", number.to_string()));
        assert_eq!(said[1..], wanted.collect::<Vec<_>>());
    }
    for mut events in messages.into_values() {
        events.sort();
        assert!(events.is_sorted_by(|one, next| one.0 < next.0), "{events:?}");
        let kinds: Vec<&str> = events.iter().map(|(_, kind)| kind.as_str()).collect();
        assert!(
            [&["message.received"][..], &["message.sent", "message.delivered", "message.read"]]
                .contains(&&kinds[..]),
            "{kinds:?}"
        );
    }
}

#[tokio::test]
async fn a_node_that_dies_leaves_what_it_had_in_hand_to_the_next_at_once() {
    let mut world = World::new().await;
    let rows = world.rows().await;
    let network = Network::new(&world, &[&world.service]);
    // Nothing can be recorded: what is acknowledged stays in hand.
    rows.change("ALTER TABLE messages ADD CONSTRAINT closed CHECK (role <> 'customer') NOT VALID").await;
    let value = |number: usize| {
        json!({
            "messaging_product": "whatsapp",
            "metadata": { "phone_number_id": NUMBER, "display_phone_number": "9647700000001" },
            "messages": [{ "from": "9647705550001", "id": format!("wamid.{number}"), "timestamp": "1763600001",
                           "type": "text", "text": { "body": number.to_string() } }],
        })
    };
    for number in 0..3 {
        network.post(value(number), 0).await;
    }
    world.service.kill();
    rows.change("ALTER TABLE messages DROP CONSTRAINT closed").await;
    world.restart().await;
    network.moved(0, &world.service);
    network.post(value(3), 0).await;
    let mut told = Vec::new();
    for _ in 0..4 {
        let received = world.receiver.next_of("message.received").await;
        told.push(["/createdAt", "/data/message/content"].map(|pointer| received.text(pointer).to_owned()));
    }
    // Deliveries may overtake one another; their times do not.
    told.sort();
    assert_eq!(told.iter().map(|[_, content]| content.as_str()).collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn of_what_two_nodes_are_told_of_a_message_read_never_goes_ahead_of_delivered() {
    const SENDS: usize = 60;
    let world = World::new().await;
    let rows = world.rows().await;
    world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
    let other = Service::start(&world.secrets).await;
    let network = Network::new(&world, &[&world.service, &other]);
    for number in 0..SENDS {
        let to = format!("0770 123 {number:04}");
        let notice = json!({ "to": to, "template": "store_hours", "from": SHOP_NUMBER });
        assert_eq!(world.api().send(&notice).await.status, 201);
    }
    let tell = async |number: usize, message: &Value| {
        for status in ["delivered", "read"] {
            let value = json!({
                "messaging_product": "whatsapp",
                "metadata": { "phone_number_id": NUMBER, "display_phone_number": "9647700000001" },
                "statuses": [{ "id": message["id"], "status": status, "timestamp": "1763600001" }],
            });
            network.post(value, number + usize::from(status == "read")).await;
        }
    };
    let messages = world.simulator.messages();
    join_all(messages.iter().enumerate().map(|(number, message)| tell(number, message))).await;
    eventually("an empty journal", async || (rows.count("journal").await == 0).then_some(())).await;
    let told = i64::try_from(SENDS).unwrap();
    for kind in ["message.delivered", "message.read"] {
        assert_eq!(rows.count(&format!("deliveries WHERE event = '{kind}'")).await, told, "{kind}");
    }
}
