//! A customer played by a language model, as a scenario describes them.

use std::sync::Arc;

use anyhow::ensure;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Next, Ruled};
use crate::{
    chat::{Act, Heard},
    options::Model,
    wire::{Wire, text},
};

/// Text that ends a conversation.
const END: &str = "[end]";
/// Most messages of a customer: a longer conversation leads nowhere.
const MOST: usize = 14;

/// A model that plays a customer.
pub(crate) struct Played {
    wire: Wire,
    model: Arc<Model>,
    said: Vec<Value>,
    buttons: Vec<Act>,
    turns: usize,
    opening: Ruled,
}

impl Played {
    /// Creates the customer; only the opening of the scenario's rules is used.
    pub(crate) fn of(wire: Wire, model: Arc<Model>, who: &str, name: &str, opening: Ruled) -> Self {
        let part = format!(
            "You play a customer of an Iraqi shop in a chat, and never the shop. Who you are and what you want: {who} \
             Your name is {name}. Where an address is asked for that is not given, you live in Karrada, street 14, \
             Baghdad. Write short messages as people in Iraq do, one at a time. \
             Buttons that you see stand in square brackets; to tap one, answer with its words in square brackets and \
             nothing else. Make nothing up. When you have got what you came for, or cannot get it, or a person is to \
             take over, answer {END} and nothing else."
        );
        let said = vec![json!({ "role": "system", "content": part })];
        Self { wire, model, said, buttons: Vec::new(), turns: 0, opening }
    }

    pub(super) fn begin(&mut self) -> Next {
        let next = self.opening.begin();
        let words = next.acts.iter().map(|act| match act {
            Act::Write(text) => text.as_str(),
            Act::Tap { .. } | Act::Show(_) => "(a file without words)",
        });
        let words = words.collect::<Vec<_>>().join("\n");
        self.said.push(json!({ "role": "user", "content": "(The chat begins.)" }));
        self.said.push(json!({ "role": "assistant", "content": words }));
        next
    }

    pub(super) async fn answer(&mut self, heard: &[Heard]) -> anyhow::Result<Next> {
        self.turns += 1;
        if self.turns > MOST {
            return Ok(Next::default());
        }
        let lines: Vec<String> = heard.iter().map(shown).collect();
        self.said.push(json!({ "role": "user", "content": lines.join("\n") }));
        if let Some(newest) = heard.iter().rev().find(|heard| !heard.buttons.is_empty()) {
            self.buttons.clone_from(&newest.buttons);
        }
        let answer = self.ask().await?;
        self.said.push(json!({ "role": "assistant", "content": answer }));
        if answer.contains(END) || answer.is_empty() {
            return Ok(Next::default());
        }
        let titled = |act: &&Act| matches!(act, Act::Tap { title, .. } if answer == format!("[{title}]"));
        let act = self.buttons.iter().find(titled).cloned().unwrap_or(Act::Write(answer));
        Ok(Next { meanwhile: None, acts: vec![act] })
    }

    async fn ask(&self) -> anyhow::Result<String> {
        let address = format!("{}/chat/completions", self.model.url.trim_end_matches('/'));
        let body = json!({ "model": self.model.name, "messages": self.said, "max_tokens": 300 });
        let answer = self.wire.ask(Method::POST, &address, Some(&body), self.model.key.as_deref()).await?;
        let choice = answer.pointer("/choices/0/message");
        ensure!(choice.is_some(), "the model that plays the customer says nothing");
        Ok(text(&answer, "/choices/0/message/content").trim().to_owned())
    }
}

fn shown(heard: &Heard) -> String {
    let titles = heard.buttons.iter().filter_map(|act| match act {
        Act::Tap { title, .. } => Some(format!("[{title}]")),
        _ => None,
    });
    std::iter::once(heard.text.clone()).chain(titles).collect::<Vec<_>>().join("\n")
}
