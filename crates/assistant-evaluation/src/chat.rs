//! A conversation over the network's stand-in: a person's messages and taps, and the answers.

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::{
    person::Person,
    sandbox::Sandbox,
    scenario::Network,
    wire::{items, text},
};

/// Polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(150);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    Write(String),
    /// Taps a button: its id, its title, and the message that the network makes of it.
    Tap {
        id: String,
        title: String,
        reply: Value,
    },
    /// Sends something without words, by the name of a sample.
    Show(String),
}

/// A message from the business.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub(crate) text: String,
    /// Buttons, each as the act of tapping it.
    pub(crate) buttons: Vec<Act>,
}

/// Result of waiting.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Words(Vec<Heard>),
    HandedOver,
    /// Nothing came in time.
    Silence,
}

pub(crate) struct Chat {
    sandbox: Arc<Sandbox>,
    pub(crate) person: Person,
    /// Number of lines of the business that were read so far.
    heard: usize,
}

impl Chat {
    pub(crate) fn of(sandbox: Arc<Sandbox>, person: Person) -> Self {
        Self { sandbox, person, heard: 0 }
    }

    fn channel(&self) -> &str {
        self.sandbox.text(match self.person.network {
            Network::Whatsapp => "/numbers/0/phoneNumberId",
            Network::Messenger => "/pages/0/pageId",
            Network::Instagram => "/pages/0/instagramId",
        })
    }

    /// Performs an act; returns once the service has accepted it.
    pub(crate) async fn act(&self, act: &Act) -> anyhow::Result<()> {
        let mut body =
            json!({ "channelId": self.channel(), "from": self.person.from, "name": self.person.name });
        let (field, value) = match (act, self.person.network) {
            (Act::Write(words), Network::Whatsapp) => {
                ("message", json!({ "type": "text", "text": { "body": words } }))
            }
            (Act::Write(words), _) => ("message", json!({ "text": words })),
            (Act::Tap { reply, .. }, _) => ("message", reply.clone()),
            (Act::Show(sample), _) => ("sample", json!(sample)),
        };
        if let Value::Object(fields) = &mut body {
            fields.insert(field.to_owned(), value);
        }
        let address = format!("{}/control/inbound", self.sandbox.network());
        let written = self.sandbox.wire.post(&address, &body).await?;
        ensure!(written.pointer("/webhook/status") == Some(&json!(200)), "not taken: {written}");
        Ok(())
    }

    /// Waits for the business to answer.
    pub(crate) async fn listen(&mut self, patience: Duration) -> anyhow::Result<Answer> {
        let deadline = Instant::now() + patience;
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let lines = self.said().await?;
            let new = lines.get(self.heard..).unwrap_or_default().to_vec();
            self.heard = lines.len();
            // A photo alone says nothing to answer.
            if new.iter().any(|heard| !heard.text.is_empty()) {
                return Ok(Answer::Words(new));
            }
            if self.sandbox.events.of(&self.person).iter().any(is_hand_over) {
                return Ok(Answer::HandedOver);
            }
            if Instant::now() > deadline {
                return Ok(Answer::Silence);
            }
        }
    }

    /// Returns the messages since the last ones read, without waiting.
    pub(crate) async fn rest(&mut self) -> anyhow::Result<Vec<Heard>> {
        let lines = self.said().await?;
        let rest = lines.get(self.heard..).unwrap_or_default().to_vec();
        self.heard = lines.len();
        Ok(rest)
    }

    /// Lists all messages of the business.
    async fn said(&self) -> anyhow::Result<Vec<Heard>> {
        let (network, channel, from) = (self.sandbox.network(), self.channel(), &self.person.from);
        let address = format!("{network}/phones/chat?channelId={channel}&from={from}");
        let shown = self.sandbox.wire.get(&address).await?;
        let of_business = items(&shown, "/lines").filter(|line| line.get("mine") == Some(&json!(false)));
        Ok(of_business.map(heard).collect())
    }
}

fn heard(line: &Value) -> Heard {
    let buttons = items(line, "/choices").map(|choice| {
        let reply = choice.get("reply").cloned().unwrap_or_default();
        let id =
            [text(&reply, "/interactive/button_reply/id"), text(&reply, "/quick_reply/payload")].concat();
        Act::Tap { id, title: text(choice, "/title").to_owned(), reply }
    });
    Heard { text: text(line, "/text").to_owned(), buttons: buttons.collect() }
}

/// Returns whether the event is a hand-over by the assistant.
pub(crate) fn is_hand_over(event: &Value) -> bool {
    text(event, "/data/reason").starts_with("ai_escalation: ")
}
