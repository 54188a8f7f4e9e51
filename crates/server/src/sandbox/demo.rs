//! `sandbox --demo`: a template message and a one-time code, from the request to their events, and a chat in
//! which a customer orders.

use std::{process::ExitCode, time::Duration};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{
    chat::Chat,
    ready::{Ready, print_event, say},
    receiver::{Receiver, Verified},
};

/// Number of the demo, written as on an Arabic keyboard.
const TO: &str = "٠٧٧٠ ١٢٣ ٤٥٦٧";
/// Longest duration of the demo: its chat waits three times for someone to stop writing.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Demo<'a> {
    ready: &'a Ready,
    events: broadcast::Receiver<Verified>,
}

impl<'a> Demo<'a> {
    pub(super) fn new(ready: &'a Ready, receiver: &Receiver) -> Self {
        Self { ready, events: receiver.events() }
    }

    /// Runs the demo: exits with 0 if every event came, else with 1 after saying what failed.
    pub(super) async fn run(mut self) -> anyhow::Result<ExitCode> {
        match tokio::time::timeout(PATIENCE, self.show()).await {
            Ok(Ok(shown)) => {
                say(&format!("The demo went through: {shown}, and every event about it arrived signed."));
                Ok(ExitCode::SUCCESS)
            }
            Ok(Err(error)) => {
                say(&format!("The demo failed: {error:#}"));
                Ok(ExitCode::FAILURE)
            }
            Err(_) => {
                say("The demo failed: the events did not arrive within 60 seconds.");
                Ok(ExitCode::FAILURE)
            }
        }
    }

    /// Shows everything; returns what was shown.
    async fn show(&mut self) -> anyhow::Result<&'static str> {
        let notice = json!({
            "to": TO, "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"],
            "name": "سارة", "reference": "order-1042",
        });
        let notice = self.send("A notice", &notice).await?;
        let code = json!({ "to": TO, "template": "login_code", "code": "483920", "reference": "login-7" });
        let code = self.send("A one-time code", &code).await?;
        if code.get("message") != Some(&Value::Null) || code.get("contactId") != Some(&Value::Null) {
            bail!("the one-time code left something behind");
        }
        let owed = [&notice, &code].into_iter().flat_map(|sent| {
            let id = sent.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            ["message.delivered", "message.read"].map(|kind| (kind, id.clone()))
        });
        self.wait_for(owed.collect()).await?;
        if !self.ready.plays_the_chat() {
            say(
                "No chat is shown: the assistant is not on, or it answers with a model or a system of your own.",
            );
            return Ok("two sends");
        }
        Chat::new(self.ready, &mut self.events)?.run().await?;
        Ok("two sends and an order")
    }

    async fn send(&self, what: &str, body: &Value) -> anyhow::Result<Value> {
        let client = reqwest::Client::builder().no_proxy().no_gzip().build().context("the demo's client")?;
        say(&format!("{what}: POST /v1/messages/template\n{body:#}"));
        let address = format!("{}/v1/messages/template", self.ready.base());
        let answer = client.post(address).bearer_auth(&self.ready.api_key).json(body).send().await?;
        let status = answer.status();
        let answer: Value = answer.json().await.context("the answer is no JSON")?;
        say(&format!("answered {status}\n{answer:#}\n"));
        if status.as_u16() != 201 {
            bail!("{what} was answered with {status}");
        }
        Ok(answer)
    }

    async fn wait_for(&mut self, mut owed: Vec<(&str, String)>) -> anyhow::Result<()> {
        while !owed.is_empty() {
            let event = self.events.recv().await.context("the receiver ended")?.body;
            print_event(&event);
            let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            owed.retain(|(kind, id)| !(*kind == text("/type") && id == text("/data/messageId")));
        }
        Ok(())
    }
}
