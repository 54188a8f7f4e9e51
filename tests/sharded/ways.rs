//! What the hottest ways cost between the coordinator and the workers.

use std::{collections::BTreeSet, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::{
    cluster::connect,
    relay::{Relay, Sent},
    support::{Service, World},
};

/// The shop's number, as the network calls it.
const NUMBER: &str = "106540352242922";

/// Time without a command after which a way has come to its end. The looks of the background come seconds
/// apart.
const QUIET: Duration = Duration::from_millis(400);

/// A way through the service, and what it sent.
struct Way {
    name: &'static str,
    sent: Vec<Sent>,
}

impl Way {
    fn count(&self, beginning: &str) -> usize {
        self.sent.iter().filter(|sent| sent.command.starts_with(beginning)).count()
    }

    /// Lists where rows were written.
    fn written(&self) -> BTreeSet<&str> {
        let writes = ["INSERT", "UPDATE", "DELETE", "COPY", "WITH"];
        let writing =
            self.sent.iter().filter(|sent| writes.iter().any(|verb| sent.command.starts_with(verb)));
        writing.map(|sent| sent.node.as_str()).collect()
    }

    /// Lists what was prepared for a second phase, from each beginning on.
    fn prepared(&self) -> Vec<String> {
        let mut prepared = Vec::new();
        for (at, end) in self.sent.iter().enumerate() {
            if end.command.starts_with("PREPARE TRANSACTION") {
                let mut commands: Vec<&str> = self.sent[..=at]
                    .iter()
                    .rev()
                    .filter(|sent| sent.is_beside(end))
                    .map(|sent| &*sent.command)
                    .collect();
                let length = commands.iter().position(|command| command.starts_with("BEGIN"));
                commands.truncate(length.map_or(commands.len(), |length| length + 1));
                commands.reverse();
                prepared.push(commands.join("\n    "));
            }
        }
        prepared
    }

    fn line(&self) -> String {
        format!(
            "{:<34} {:>3} commands, {} of them COMMIT and {} PREPARE TRANSACTION; rows are written on {} nodes",
            self.name,
            self.sent.len(),
            self.count("COMMIT"),
            self.count("PREPARE TRANSACTION"),
            self.written().len()
        )
    }
}

/// What the relay has heard once it is quiet.
async fn quiet(relay: &Relay) -> Vec<Sent> {
    let mut sent = Vec::new();
    let mut last = Instant::now();
    while last.elapsed() < QUIET {
        let more = relay.take();
        if !more.is_empty() {
            last = Instant::now();
            sent.extend(more);
        }
        sleep(Duration::from_millis(10)).await;
    }
    sent
}

/// Whether the last tables of days that the log of deliveries needs are there. They are made in the
/// background after a start, in two phases on all nodes, and belong to no way.
async fn days_are_made(database: &Client) -> bool {
    let last = "SELECT count(*) FROM unnest(ARRAY['delivery_log_', 'delivery_attempts_']) AS days
        WHERE to_regclass(days || to_char(now() AT TIME ZONE 'UTC' + interval '7 days', 'YYYYMMDD')) IS NOT NULL";
    database.query_one(last, &[]).await.unwrap().get::<_, i64>(0) == 2
}

fn notice(person: u8) -> Value {
    json!({
        "to": format!("+96477012345{person:02}"), "template": "order_ready", "language": "ar",
        "variables": ["Guest", "A-1042"],
    })
}

#[tokio::test]
async fn each_way_writes_on_one_node_and_commits_there_in_one_phase() {
    let mut world = World::new().await;
    let tell = connect(&world.secrets.database_url).await;
    let name: String = tell.query_one("SELECT current_database()::text", &[]).await.unwrap().get(0);
    let telling = format!("ALTER DATABASE \"{name}\" SET citus.log_remote_commands = on");
    tell.batch_execute(&telling).await.unwrap();
    world.service.kill();
    let relay = Relay::to(&world.secrets.database_url).await;
    world.secrets.database_url.clone_from(&relay.url);
    world.service = Service::start(&world.secrets).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    let api = world.api();
    let message = json!({ "type": "text", "text": { "body": "hello" } });
    let inbound =
        json!({ "phoneNumberId": NUMBER, "from": "9647701234501", "name": "Sara", "message": message });

    // Connections, statements and the service's own first steps.
    for _ in 0..4 {
        assert_eq!(api.send(&notice(1)).await.status, 201);
        assert_eq!(api.get("/v1/conversations").await.status, 200);
        world.control(Method::POST, "inbound", &inbound).await;
    }
    let mut ways = Vec::new();
    while !days_are_made(&tell).await {
        quiet(&relay).await;
    }
    quiet(&relay).await;
    let mut done = async |name: &'static str| ways.push(Way { name, sent: quiet(&relay).await });

    assert_eq!(api.get("/v1/me").await.status, 200);
    done("a key is let in").await;
    let sent = api.send(&notice(1)).await;
    assert_eq!(sent.status, 201);
    done("a notice, its statuses and events").await;
    assert_eq!(api.send(&notice(2)).await.status, 201);
    done("the same to somebody new").await;
    let code = json!({ "to": "+9647701234501", "template": "login_code", "code": "483920" });
    assert_eq!(api.send(&code).await.status, 201);
    done("a one-time code").await;
    world.control(Method::POST, "inbound", &inbound).await;
    done("a customer's message and its events").await;
    let conversation = format!("/v1/conversations/{}", sent.text("/conversationId"));
    let reply = json!({ "conversationId": sent.text("/conversationId"), "text": "hello" });
    assert_eq!(api.post("/v1/messages", &reply).await.status, 201);
    done("a reply").await;
    assert_eq!(api.get("/v1/conversations").await.status, 200);
    done("the list of conversations").await;
    assert_eq!(api.get(&format!("{conversation}/messages")).await.status, 200);
    done("a conversation's messages").await;
    assert_eq!(api.get("/v1/contacts?search=77012").await.status, 200);
    done("a search for contacts").await;
    assert_eq!(api.get("/v1/templates").await.status, 200);
    done("the list of templates").await;

    world.service.kill();
    let lines: Vec<String> = ways.iter().map(Way::line).collect();
    println!("{}", lines.join("\n"));
    let wrong: Vec<&str> = ways
        .iter()
        .filter(|way| way.count("PREPARE TRANSACTION") > 0 || way.written().len() > 1)
        .map(|way| way.name)
        .collect();
    let prepared: Vec<String> = ways.iter().flat_map(Way::prepared).collect();
    let prepared = prepared.join("\n");
    assert!(
        wrong.is_empty(),
        "these write on several nodes or commit in two phases: {wrong:?}; in two phases:\n{prepared}"
    );
}
