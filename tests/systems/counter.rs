//! A workspace with a shop of its own, and an owner who looks after its customers.

use reference_shop::{Config, ReferenceShop};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, Delivery, Rows, World};

pub(crate) const SECRET: &str = "shop-secret-91c4";
/// Customer of the shop's orders 5001 and 5003; 5002 is somebody else's.
pub(crate) const CUSTOMER: &str = "+9647701234567";
/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";
const PAGE: &str = "1234567890";
const INSTAGRAM: &str = "17841400000000001";

/// Everything that one test uses.
pub(crate) struct Counter {
    pub(crate) world: World,
    pub(crate) shop: ReferenceShop,
    pub(crate) owner: Browser,
}

impl Counter {
    /// With the shop connected.
    pub(crate) async fn new() -> Self {
        Self::logging("info").await
    }

    /// The same, with the service's log at `log`.
    pub(crate) async fn logging(log: &str) -> Self {
        let world = World::logging(log).await;
        world.connect_page();
        let shop = ReferenceShop::start(Config::new(SECRET)).await.unwrap();
        let owner = owner_of(&world, &world.workspace, "amal@palm.example").await;
        let counter = Self { world, shop, owner };
        counter.connect(&counter.owner).await;
        counter
    }

    /// Connects the shop in somebody's workspace.
    pub(crate) async fn connect(&self, owner: &Browser) {
        let body = json!({ "baseUrl": self.shop.base_url(), "secret": SECRET });
        let connected = owner.put("/system", &body).await;
        assert_eq!(connected.status, 200, "{connected:?}");
    }

    /// The owner of another workspace.
    pub(crate) async fn neighbour(&self) -> Browser {
        let (workspace, _) = self.world.neighbour();
        owner_of(&self.world, &workspace, "nadia@n.example").await
    }

    /// Has somebody write over WhatsApp; returns the event about their conversation.
    pub(crate) async fn writes(&self, from: &str) -> Delivery {
        let message = json!({ "type": "text", "text": { "body": "متوفر؟" } });
        self.wrote(json!({ "channelId": NUMBER, "from": from, "name": "سارة", "message": message })).await
    }

    /// Does the same as somebody whose number the network hides.
    pub(crate) async fn writes_hidden(&self) -> Delivery {
        let message = json!({ "type": "text", "text": { "body": "متوفر؟" } });
        let person = json!({
            "channelId": NUMBER, "userId": "IQ.13491208655302741918", "name": "Sara K", "message": message,
        });
        self.wrote(person).await
    }

    /// Does the same over Messenger.
    pub(crate) async fn writes_to_page(&self) -> Delivery {
        let message = json!({ "text": "متوفر؟" });
        self.wrote(json!({ "channelId": PAGE, "from": "24811234567890123", "message": message })).await
    }

    /// Does the same over Instagram.
    pub(crate) async fn writes_to_instagram(&self) -> Delivery {
        let message = json!({ "text": "متوفر؟" });
        self.wrote(json!({ "channelId": INSTAGRAM, "from": "17851234567890123", "message": message })).await
    }

    async fn wrote(&self, body: Value) -> Delivery {
        let written = self.world.control(Method::POST, "inbound", &body).await;
        assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
        self.world.receiver.next_of("conversation.created").await
    }

    /// What is asked about a conversation.
    pub(crate) async fn about(&self, conversation: &str, what: &str) -> Answer {
        self.owner.get(&format!("/conversations/{conversation}/{what}")).await
    }

    /// The log of calls of a route, newest first.
    pub(crate) async fn calls(&self, route: &str) -> Vec<Value> {
        let listed =
            Answer::to(self.owner.request(Method::GET, "/system/calls").query(&[("route", route)])).await;
        assert_eq!(listed.status, 200, "{listed:?}");
        listed.body["rows"].as_array().unwrap().clone()
    }

    pub(crate) async fn rows(&self) -> Rows {
        self.world.rows().await
    }
}

async fn owner_of(world: &World, workspace: &str, email: &str) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, workspace, email, "owner").await
}
