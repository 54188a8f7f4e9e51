//! The master key is changed while the service runs, and the old one dropped.

use std::process::Output;

use adapter_webhooks::signature;
use domain::{clock::Clock, webhooks::WebhookSecret};
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;

use crate::{
    dashboard::second_factor::Device,
    support::{Answer, Api, Browser, PASSWORD, Service, World, command, eventually},
};

const OWNER: &str = "owner@palm.example";
/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";
const PAGE: &str = "1234567890";
const ON_PAGE: &str = "24811234567890123";
const CUSTOMER: &str = "9647701234567";
const NEW_KEY: &str = "6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b";

/// A world, and what its service and its commands are told of keys besides the master key.
struct Shop {
    world: World,
    settings: Vec<(&'static str, String)>,
}

/// What the old key has sealed and hashed.
struct Before {
    owner: Browser,
    device: Device,
    notice: Answer,
    /// What the network calls the notice.
    network_id: String,
    /// A reply on the page that nobody has read.
    reply: String,
    /// A delivery.
    delivery: String,
}

fn seconds() -> u64 {
    u64::try_from(SystemClock.now().unix_timestamp()).unwrap()
}

fn notice() -> Value {
    json!({ "to": CUSTOMER, "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"] })
}

impl Shop {
    async fn new() -> Self {
        let world = World::new().await;
        world.connect_page();
        world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }])).unwrap();
        Self { world, settings: Vec::new() }
    }

    async fn restart(&mut self, master_key: &str, settings: &[(&'static str, &str)]) {
        assert!(self.world.service.terminate());
        master_key.clone_into(&mut self.world.secrets.master_key);
        self.settings = settings.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        self.world.service = Service::start_with(&self.world.secrets, settings).await;
        self.world.simulator.set_webhook_url(Some(self.world.service.network_webhook())).unwrap();
    }

    /// Runs a command about the master key beside whatever else goes on.
    async fn master_key(&self, name: &str) -> Output {
        self.run(&["master-key", name]).await
    }

    /// Runs a command with the keys that are in force.
    async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = command(&self.world.secrets);
        command.args(arguments).envs(self.settings.iter().map(|(name, text)| (name, text)));
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// The customer writes with this id of the network's.
    async fn writes(&self, id: &str) {
        let message = json!({ "type": "text", "id": id, "text": { "body": "متوفر؟" } });
        let written = json!({ "phoneNumberId": NUMBER, "from": CUSTOMER, "message": message });
        self.world.control(Method::POST, "inbound", &written).await;
    }

    /// Adds a sealed value of every kind, with the current key.
    async fn seal_everything(&self) -> Before {
        let world = &self.world;
        let owner =
            Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await;
        let offered = owner.post("/me/second-factor", &json!({ "password": PASSWORD })).await;
        let device = Device::reading(offered.text("/secret"));
        // The code before this one, so that this one is still good later.
        let code = json!({ "code": device.code_at(seconds() - 30) });
        assert_eq!(owner.post("/me/second-factor/confirm", &code).await.status, 200);

        let notice = world.api().send_once("an order", &notice()).await;
        assert_eq!(notice.status, 201, "{notice:?}");
        let network_id = world.simulator.messages().last().unwrap()["id"].as_str().unwrap().to_owned();
        let delivery = world.receiver.next_of("message.sent").await.text("/id").to_owned();
        self.writes("wamid.known").await;
        world.receiver.next_of("message.received").await;

        let written = json!({ "channelId": PAGE, "from": ON_PAGE, "message": { "text": "متوفر؟" } });
        world.control(Method::POST, "inbound", &written).await;
        let conversation =
            world.receiver.next_of("message.received").await.text("/data/conversationId").to_owned();
        let reply =
            world.api().post("/v1/messages", &json!({ "conversationId": conversation, "text": "نعم" })).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        world.receiver.next_of("message.sent").await;
        let reply = reply.text("/message/id").to_owned();
        Before { owner, device, notice, network_id, reply, delivery }
    }

    /// Sends a message, and checks that it is delivered with a right signature.
    async fn serves(&self) {
        let sent = self.world.api().send(&notice()).await;
        assert_eq!(sent.status, 201, "{sent:?}");
        let told = self.world.receiver.next_of("message.sent").await;
        let secret = WebhookSecret::from(self.world.webhook_secret.clone());
        let header = Some(told.header("x-service-signature"));
        assert_eq!(signature::verify(&secret, header, &told.raw, SystemClock.now()), Ok(()));
    }

    /// Checks that everything sealed and hashed before is opened and recognised.
    async fn knows(&self, before: &Before) {
        let (world, rows) = (&self.world, self.world.rows().await);
        // A key of the API, a session, a password with its second factor.
        let replayed = world.api().send_once("an order", &notice()).await;
        assert_eq!(replayed.header("idempotency-replayed"), Some("true"), "{replayed:?}");
        assert_eq!(replayed.body, before.notice.body);
        let mut browser = Browser::new(world.service.base_url());
        browser.cookie.clone_from(&before.owner.cookie);
        assert_eq!(browser.get("/me").await.text("/member/email"), OWNER);
        let code = before.device.code_at(seconds());
        let signed_in = json!({ "email": OWNER, "password": PASSWORD, "code": code });
        let signed_in = Browser::new(world.service.base_url()).post("/sign-in", &signed_in).await;
        assert_eq!(signed_in.status, 200, "{signed_in:?}");

        // The network's ids of what was sent, and of what came.
        let delivered = json!({ "messageId": before.network_id, "status": "delivered", "withTag": false });
        world.control(Method::POST, "statuses", &delivered).await;
        let told = world.receiver.next_of("message.delivered").await;
        assert_eq!(told.text("/data/messageId"), before.notice.text("/id"));
        let read = json!({ "read": { "watermark": (seconds() + 1) * 1_000 } });
        let read = json!({ "channelId": PAGE, "from": ON_PAGE, "event": read });
        world.control(Method::POST, "inbound", &read).await;
        assert_eq!(world.receiver.next_of("message.read").await.text("/data/messageId"), before.reply);
        self.writes("wamid.known").await;
        eventually("an empty journal", async || (rows.count("journal").await == 0).then_some(())).await;
        assert_eq!(rows.count("messages WHERE role = 'customer'").await, 2);

        // A body of the log, which goes out as it was.
        let resent = self.run(&["webhook", "resend", &world.workspace, &before.delivery]).await;
        assert!(resent.status.success(), "{resent:?}");
        let again = world.receiver.next_of("message.sent").await;
        assert_eq!(again.text("/id"), before.delivery);
    }
}

fn said(output: &Output) -> String {
    let (said, complaint) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    assert_eq!(complaint, "");
    String::from_utf8(said.clone()).unwrap()
}

#[tokio::test]
async fn nodes_that_put_either_key_first_serve_together() {
    let mut shop = Shop::new().await;
    let before = shop.seal_everything().await;
    let old_key = shop.world.secrets.master_key.clone();
    let hash_key = said(&shop.master_key("hash-key").await).trim().to_owned();
    let known = ("MESSAGING_PREVIOUS_MASTER_KEYS", NEW_KEY);
    shop.restart(&old_key, &[known, ("MESSAGING_HASH_KEY", &hash_key)]).await;
    let mut renewed = shop.world.secrets.clone();
    NEW_KEY.clone_into(&mut renewed.master_key);
    let settings = [("MESSAGING_PREVIOUS_MASTER_KEYS", &*old_key), ("MESSAGING_HASH_KEY", &*hash_key)];
    let other = Service::start_with(&renewed, &settings).await;
    // Each is handed what the other has sealed.
    let there = Api::new(other.base_url(), &shop.world.key);
    for _ in 0..10 {
        shop.serves().await;
        assert_eq!(there.send(&notice()).await.status, 201);
        shop.world.receiver.next_of("message.sent").await;
    }
    shop.knows(&before).await;
}

#[tokio::test]
async fn the_master_key_is_changed_while_the_service_runs_and_the_old_one_dropped() {
    let mut shop = Shop::new().await;
    let before = shop.seal_everything().await;
    let old_key = shop.world.secrets.master_key.clone();
    let hash_key = said(&shop.master_key("hash-key").await).trim().to_owned();
    assert!(hash_key.len() == 64 && hash_key != old_key, "{hash_key}");

    // Both are in force, the new one first.
    shop.restart(NEW_KEY, &[("MESSAGING_PREVIOUS_MASTER_KEYS", &old_key)]).await;
    let check = shop.master_key("check").await;
    assert_eq!(check.status.code(), Some(1));
    let told = said(&check);
    for column in ["accounts.token_sealed  3", "members.totp_sealed  1", "webhook_addresses.secret_sealed  1"]
    {
        assert!(told.contains(column), "{column}: {told}");
    }
    assert!(told.contains("Keep the other keys"), "{told}");
    // Traffic all the while.
    let (resealed, ()) = tokio::join!(shop.master_key("reseal"), async {
        for _ in 0..20 {
            shop.serves().await;
        }
    });
    assert!(said(&resealed).starts_with("sealed anew: "), "{resealed:?}");
    // Whatever was held at that moment, the next run finds.
    let done = eventually("nothing left", async || {
        let again = shop.master_key("reseal").await;
        again.status.success().then(|| said(&again))
    })
    .await;
    assert!(done.contains("sealed by other keys: 0\n") && done.contains("MESSAGING_HASH_KEY"), "{done}");

    // The new one alone.
    shop.restart(NEW_KEY, &[("MESSAGING_HASH_KEY", &hash_key)]).await;
    let check = shop.master_key("check").await;
    assert!(check.status.success() && said(&check).contains("the other keys may go"), "{check:?}");
    shop.serves().await;
    shop.knows(&before).await;
}
