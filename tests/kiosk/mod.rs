//! A fourth network, of which the service knows nothing: its route, handshake, signature and reading are its
//! adapter's own.

mod adapter;

use std::sync::Arc;

use domain::{
    audit::Acting,
    channels::{ChannelKind, ConnectPage},
    clock::Clock,
    inbound::ports::Journal,
};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};
use server::{config::Role, system::SystemClock};
use time::Duration;

use self::adapter::{Kiosks, SIGNATURE};
use crate::support::{Api, InProcess, Serving, World};

/// Two terminals with their secrets; the first one is connected.
const ACCOUNTS: [(&str, &str); 2] = [("hall", "secret of the hall"), ("yard", "secret of the yard")];

/// A world with a process that has the network's adapter, beside one without it that works off the journal.
struct Shop {
    world: World,
    process: InProcess,
    serving: Serving,
    kiosks: Arc<Kiosks>,
}

impl Shop {
    async fn new() -> Self {
        let world = World::new().await;
        let kiosks = Arc::new(Kiosks::new(&ACCOUNTS));
        let mut process = InProcess::over(&world.secrets);
        process.foundation.webhooks.push(kiosks.clone());
        let on = &process.foundation;
        let connect = ConnectPage {
            store: on.stores.channels.clone(),
            workspaces: on.stores.workspaces.clone(),
            network: kiosks.clone(),
            deps: on.deps.clone(),
        };
        let acting = Acting::operator(world.workspace.parse::<uuid::Uuid>().unwrap().into());
        connect.run(acting, SecretString::from("hall")).await.unwrap();
        let serving = process.serve(&[Role::Api]);
        Self { world, process, serving, kiosks }
    }

    fn api(&self) -> Api {
        Api::new(&self.serving.base_url, &self.world.key)
    }

    /// Posts under this signature, if any; the status of the answer.
    async fn post(&self, path: &str, signature: Option<String>, body: &str) -> u16 {
        let mut request = self.api().bare(Method::POST, path).body(body.to_owned());
        if let Some(signature) = signature {
            request = request.header(SIGNATURE, signature);
        }
        request.send().await.unwrap().status().as_u16()
    }
}

fn typed(text: &str) -> Value {
    let at = SystemClock.now().unix_timestamp();
    json!({ "id": "typed-1", "visitor": "51", "name": "Sara", "at": at, "text": text })
}

#[tokio::test]
async fn what_is_typed_at_a_kiosk_is_a_message_of_a_conversation() {
    let shop = Shop::new().await;
    let body = typed("Where are the lamps?").to_string();
    let signature = Some(shop.kiosks.sign("hall", SystemClock.now(), body.as_bytes()));
    for _ in 0..2 {
        assert_eq!(shop.post("/networks/kiosk/hall", signature.clone(), &body).await, 200);
    }
    let (received, api) = (shop.world.receiver.next_of("message.received").await, shop.api());
    let conversation = received.text("/data/conversationId");
    let shown = api.get(&format!("/v1/conversations/{conversation}")).await;
    assert_eq!((shown.status, shown.text("/channel")), (200, ChannelKind::Messenger.as_str()));
    let messages = api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    assert_eq!(messages.text("/data/0/content"), "Where are the lamps?");
    assert_eq!(messages.body["data"].as_array().unwrap().len(), 1, "each message once");
    shop.serving.stop().await;
}

#[tokio::test]
async fn a_post_that_the_kiosk_did_not_sign_is_refused() {
    let shop = Shop::new().await;
    let (body, now) = (typed("Hello").to_string(), SystemClock.now());
    let sign = |account, at, body: &str| Some(shop.kiosks.sign(account, at, body.as_bytes()));
    let unsigned_tag = Some(format!("t={},v1=00", now.unix_timestamp()));
    let hall = "/networks/kiosk/hall";
    for (path, signature, status) in [
        (hall, None, 403),
        (hall, Some("secret of the hall".to_owned()), 403),
        (hall, unsigned_tag, 403),
        (hall, sign("hall", now, "another body"), 403),
        (hall, sign("hall", now - Duration::minutes(6), &body), 403),
        (hall, sign("yard", now, &body), 403),
        ("/networks/kiosk/cellar", sign("hall", now, &body), 403),
        ("/networks/meta/webhook", sign("hall", now, &body), 403),
        ("/networks/kiosk", sign("hall", now, &body), 404),
        // Signed, and by an account that nobody has connected.
        ("/networks/kiosk/yard", sign("yard", now, &body), 200),
    ] {
        assert_eq!(shop.post(path, signature.clone(), &body).await, status, "{path} {signature:?}");
    }
    let rows = shop.world.rows().await;
    assert_eq!(rows.counts(&["journal", "quarantine", "messages"]).await.values().sum::<i64>(), 0);
    shop.serving.stop().await;
}

#[tokio::test]
async fn each_account_shakes_hands_in_its_own_way() {
    let shop = Shop::new().await;
    for (path, answer) in [
        ("/networks/kiosk/yard?nonce=1158", shop.kiosks.answer("yard", "1158")),
        ("/networks/kiosk/hall?nonce=1158", shop.kiosks.answer("hall", "1158")),
        ("/networks/kiosk/hall?hub.mode=subscribe&hub.challenge=1158", None),
        ("/networks/kiosk/cellar?nonce=1158", None),
    ] {
        let answered = shop.api().bare(Method::GET, path).send().await.unwrap();
        assert_eq!(answered.status().as_u16(), if answer.is_some() { 200 } else { 403 }, "{path}");
        let answered = answered.text().await.unwrap();
        assert!(answer.is_none_or(|answer| answered == answer), "{path}");
    }
    shop.serving.stop().await;
}

#[tokio::test]
async fn what_is_set_aside_is_read_again_by_its_own_network_where_that_is_known() {
    let shop = Shop::new().await;
    let body = "typed, in a way of before";
    let signature = Some(shop.kiosks.sign("hall", SystemClock.now(), body.as_bytes()));
    assert_eq!(shop.post("/networks/kiosk/hall", signature, body).await, 200);
    let stored = &shop.process.foundation.stores.inbound;
    let payload = format!("hall\n{}", typed("Is it open?"));
    stored.quarantine("kiosk", payload.as_bytes(), None, "not read", SystemClock.now()).await.unwrap();

    let replayed = shop.world.operator(&["quarantine", "replay", "--all"]);
    assert!(replayed.ends_with("2 replayed, 2 of them stay\n"), "{replayed}");
    assert_eq!(replayed.matches("stays: no webhook `kiosk` here").count(), 2, "{replayed}");

    let replayed = shop.serving.use_cases().manage_quarantine.replay_all(|_| ()).await.unwrap();
    let stays: Vec<_> = replayed.iter().map(|(_, replayed)| replayed.stays.as_deref()).collect();
    assert_eq!(stays, [Some("it is not what a terminal posts"), None]);
    let received = shop.world.receiver.next_of("message.received").await;
    assert_eq!(received.text("/data/message/content"), "Is it open?");
    assert_eq!(shop.world.rows().await.count("quarantine").await, 1);
    shop.serving.stop().await;
}
