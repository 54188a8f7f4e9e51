//! The demo's chat: a customer asks the shop for a price and orders, shown as on their phone.

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{
    ready::{Ready, print_event, say},
    receiver::Verified,
};

const CUSTOMER: &str = "9647701234567";
const PRICE: &str = "شكد سعر حفاضات بامبرز؟";
const ORDER: &str = "اريد ثنين قياس 3، اسمي سارة، العنوان الكرادة شارع 14 بغداد";

pub(super) struct Chat<'a> {
    ready: &'a Ready,
    events: &'a mut broadcast::Receiver<Verified>,
    client: reqwest::Client,
    number: &'a str,
}

impl<'a> Chat<'a> {
    /// Opens a chat with the first number that takes answers.
    pub(super) fn new(
        ready: &'a Ready,
        events: &'a mut broadcast::Receiver<Verified>,
    ) -> anyhow::Result<Self> {
        let number = ready.numbers.iter().find(|number| !number.send_only).context("a number")?;
        let client = reqwest::Client::builder().no_proxy().no_gzip().build().context("the demo's client")?;
        Ok(Self { ready, events, client, number: &number.phone_number_id })
    }

    /// Plays the chat from the first question to the order's receipt.
    pub(super) async fn run(mut self) -> anyhow::Result<()> {
        say(
            "A chat with the shop, over WhatsApp. What answers is a stand-in for a language model, not one.\n",
        );
        self.writes(PRICE).await?;
        self.hears().await?;
        self.writes(ORDER).await?;
        // A photo of the product may come before the summary.
        let (id, title) = loop {
            self.hears().await?;
            if let Some(button) = self.button().await? {
                break button;
            }
        };
        say(&format!("  سارة taps: [{title}]\n"));
        let reply = json!({ "type": "button_reply", "button_reply": { "id": id, "title": title } });
        self.posts(&json!({ "type": "interactive", "interactive": reply })).await?;
        let mut owed = vec!["order.placed", "message.sent"];
        while !owed.is_empty() {
            let event = self.event().await?;
            let kind = text(&event, "/type");
            if kind == "order.placed" {
                print_event(&event);
            } else if kind == "message.sent" {
                say(&format!("  Shop: {}\n", text(&event, "/data/message/content")));
            }
            owed.retain(|waited| *waited != kind);
        }
        Ok(())
    }

    async fn writes(&self, words: &str) -> anyhow::Result<()> {
        say(&format!("  سارة: {words}\n"));
        self.posts(&json!({ "type": "text", "text": { "body": words } })).await
    }

    async fn posts(&self, message: &Value) -> anyhow::Result<()> {
        let body = json!({
            "phoneNumberId": self.number, "from": CUSTOMER, "name": "سارة", "message": message,
        });
        let answer = self.client.post(self.control("inbound")?).json(&body).send().await?;
        if !answer.status().is_success() {
            bail!("the stand-in for the network answered {}", answer.status());
        }
        Ok(())
    }

    async fn hears(&mut self) -> anyhow::Result<()> {
        loop {
            let event = self.event().await?;
            match text(&event, "/type") {
                "message.sent" => {
                    say(&format!("  Shop: {}\n", text(&event, "/data/message/content")));
                    return Ok(());
                }
                "conversation.assigned" => {
                    bail!("the shop's team was asked for: {}", text(&event, "/data/reason"))
                }
                _ => {}
            }
        }
    }

    async fn event(&mut self) -> anyhow::Result<Value> {
        Ok(self.events.recv().await.context("the receiver ended")?.body)
    }

    /// Returns id and title of the first button of the newest message that has some.
    async fn button(&self) -> anyhow::Result<Option<(String, String)>> {
        let seen: Value = self.client.get(self.control("messages")?).send().await?.json().await?;
        let sent = seen.get("data").and_then(Value::as_array).context("the network's messages")?;
        let buttons = sent.iter().rev().find_map(|it| it.pointer("/body/interactive/action/buttons"));
        let button = buttons.and_then(|buttons| buttons.get(0));
        Ok(button.map(|it| (text(it, "/reply/id").to_owned(), text(it, "/reply/title").to_owned())))
    }

    fn control(&self, route: &str) -> anyhow::Result<url::Url> {
        Ok(self.ready.network.simulator_url.join(&format!("control/{route}"))?)
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
