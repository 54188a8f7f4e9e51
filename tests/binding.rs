//! Sealed values open at their own place only, those of a database that an older release has filled as well,
//! once they were sealed anew.

use std::process::Output;

use adapter_vault::{Keyring, MasterKey, RingVault};
use domain::vault::{Binding, SealContext, Vault, probe_place};
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::support::{Answer, Api, Service, World, command, eventually};

const TOKEN: &str = "accounts.token_sealed";
const SECRET: &str = "webhook_addresses.secret_sealed";

fn notice() -> Value {
    json!({ "to": "9647701234567", "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"] })
}

/// A world, and its database past the service.
struct Shop {
    world: World,
    sql: Client,
}

impl Shop {
    async fn new() -> Self {
        let world = World::new().await;
        let (sql, connection) = tokio_postgres::connect(&world.secrets.database_url, NoTls).await.unwrap();
        tokio::spawn(connection);
        Self { world, sql }
    }

    /// Seals what was sealed so far as the release before sealed it, in a database that knows no other form.
    async fn age(&self) {
        let key = MasterKey::parse(&self.world.secrets.master_key).unwrap();
        let vault = RingVault::new(&Keyring::new(key, Vec::new())).unwrap();
        vault.bind(Binding::NotYet);
        for (column, formerly) in [(TOKEN, "account-token"), (SECRET, "webhook-secret")] {
            let (table, value) = column.split_once('.').unwrap();
            let rows = format!("SELECT workspace_id, id, {value} FROM {table}");
            for row in self.sql.query(&rows, &[]).await.unwrap() {
                let (workspace, id): (Uuid, Uuid) = (row.get(0), row.get(1));
                let place = SealContext::new(column, workspace.into(), id, format!("{formerly}:{id}"));
                let plain = vault.open(row.get(2), &place).unwrap();
                let write = format!("UPDATE {table} SET {value} = $2 WHERE id = $1");
                self.sql.execute(&write, &[&id, &vault.seal(&plain, &place).unwrap()]).await.unwrap();
            }
        }
        let probe = vault.seal(b"messaging-service", &probe_place()).unwrap();
        self.sql.execute("UPDATE key_probe SET probe_sealed = $1", &[&probe]).await.unwrap();
    }

    async fn restart(&mut self) {
        self.world.service.terminate();
        self.world.service = Service::start(&self.world.secrets).await;
        self.world.simulator.set_webhook_url(Some(self.world.service.network_webhook())).unwrap();
    }

    async fn master_key(&self, name: &str) -> Output {
        let mut command = command(&self.world.secrets);
        command.args(["master-key", name]);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// Counts the values of a column that have a form.
    async fn of_form(&self, column: &str, version: i32) -> i64 {
        let (table, value) = column.split_once('.').unwrap();
        let count = format!("SELECT count(*) FROM {table} WHERE {value} <> '' AND get_byte({value}, 0) = $1");
        self.sql.query_one(&count, &[&version]).await.unwrap().get(0)
    }

    /// Sends a message, and checks that it is delivered.
    async fn serves(&self) {
        let sent = self.world.api().send(&notice()).await;
        assert_eq!(sent.status, 201, "{sent:?}");
        self.world.receiver.next_of("message.sent").await;
    }
}

/// Asserts that nothing was sent because what it needs did not open.
fn assert_not_opened(answer: &Answer) {
    assert_eq!(
        (answer.status, answer.text("/message")),
        (500, "something went wrong on our side"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_row_that_was_copied_to_another_workspace_does_not_open_there() {
    let shop = Shop::new().await;
    let (neighbour, theirs): (String, Api) = shop.world.neighbour();
    let template = json!({ "to": "07701234599", "template": "order_ready", "variables": ["Guest", "B-1"] });
    assert_eq!(theirs.send(&template).await.status, 201);
    let neighbour: Uuid = neighbour.parse().unwrap();
    // With the id as well, so that nothing but the workspace differs.
    let copy = "UPDATE accounts SET token_sealed =
                    (SELECT token_sealed FROM accounts WHERE workspace_id <> $1 ORDER BY id LIMIT 1)
                WHERE workspace_id = $1";
    assert_eq!(shop.sql.execute(copy, &[&neighbour]).await.unwrap(), 1);
    let before = shop.world.simulator.messages().len();
    assert_not_opened(&theirs.send(&template).await);
    assert_eq!(shop.world.simulator.messages().len(), before);
    shop.serves().await;
}

#[tokio::test]
async fn what_an_older_release_sealed_is_bound_while_the_service_runs_and_opens_in_its_old_form_no_more() {
    let mut shop = Shop::new().await;
    shop.world.service.terminate();
    shop.age().await;
    shop.restart().await;
    // As the release before can read it, which may run beside.
    shop.serves().await;
    let log = shop.world.service.log().join("\n");
    assert!(log.contains("run `master-key reseal`"), "{log}");
    assert_eq!(shop.of_form("sends.network_id_sealed", 1).await, 1);
    assert_eq!(shop.of_form("delivery_log.body_sealed", 2).await, 0);
    let check = shop.master_key("check").await;
    let said = String::from_utf8_lossy(&check.stdout);
    assert!(check.status.code() == Some(1) && said.contains("Once every node runs this release"), "{said}");

    let kept = "SELECT id, token_sealed FROM accounts WHERE get_byte(token_sealed, 0) = 1";
    let kept: Vec<(Uuid, Vec<u8>)> =
        shop.sql.query(kept, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(kept.len(), 2);
    let (resealed, ()) = tokio::join!(shop.master_key("reseal"), async {
        for _ in 0..10 {
            shop.serves().await;
        }
    });
    let said = String::from_utf8_lossy(&resealed.stdout);
    assert!(said.contains("All values are bound to their places"), "{resealed:?}");
    assert!(resealed.status.success(), "{resealed:?}");
    for column in
        [TOKEN, SECRET, "sends.network_id_sealed", "delivery_log.body_sealed", "key_probe.probe_sealed"]
    {
        assert_eq!(shop.of_form(column, 1).await, 0, "{column}");
    }
    shop.serves().await;

    // Somebody puts values from before back, which the running node opens no more, nor one that starts.
    for (id, token) in &kept {
        let put = "UPDATE accounts SET token_sealed = $2 WHERE id = $1";
        assert_eq!(shop.sql.execute(put, &[id, token]).await.unwrap(), 1);
    }
    eventually("a refusal", async || {
        let answer = shop.world.api().send(&notice()).await;
        (answer.status != 201).then(|| assert_not_opened(&answer))
    })
    .await;
    shop.restart().await;
    assert_not_opened(&shop.world.api().send(&notice()).await);
}
