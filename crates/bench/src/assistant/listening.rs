//! The messages that customers got, as the network took them.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use anyhow::Context;
use network_simulator::Simulator;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::people::Person;

/// Interval between two looks.
pub(super) const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub(super) struct Got {
    pub(super) at: OffsetDateTime,
    /// Text; empty for a photo.
    pub(super) text: String,
    /// Id of the first button.
    pub(super) button: Option<String>,
}

/// All messages so far, each once.
#[derive(Default)]
pub(super) struct Listening {
    seen: HashSet<String>,
    got: HashMap<Person, Vec<Got>>,
}

impl Listening {
    /// Adds the messages that the network has taken since the last call.
    pub(super) fn hear(&mut self, network: &Simulator) -> anyhow::Result<()> {
        for message in network.messages() {
            let id = text(&message, "/id").to_owned();
            if !self.seen.insert(id) {
                continue;
            }
            let Some(person) = Person::of_digits(text(&message, "/body/to")) else { continue };
            let at = OffsetDateTime::parse(text(&message, "/acceptedAt"), &Rfc3339)
                .context("when the network took a message")?;
            let interactive = message.pointer("/body/interactive");
            let words = match interactive {
                Some(interactive) => text(interactive, "/body/text"),
                None => text(&message, "/body/text/body"),
            };
            let button = interactive.map(|it| text(it, "/action/buttons/0/reply/id").to_owned());
            self.got.entry(person).or_default().push(Got { at, text: words.to_owned(), button });
        }
        Ok(())
    }

    /// Returns the messages that a person got, oldest first.
    pub(super) fn of(&self, person: Person) -> &[Got] {
        self.got.get(&person).map(Vec::as_slice).unwrap_or_default()
    }

    /// Counts the texts that the same person got more than once.
    pub(super) fn doubled(&self) -> usize {
        let doubled = |got: &Vec<Got>| {
            let mut texts = HashSet::new();
            got.iter().filter(|it| !it.text.is_empty() && !texts.insert(it.text.as_str())).count()
        };
        self.got.values().map(doubled).sum()
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
