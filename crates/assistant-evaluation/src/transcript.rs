//! Messages of a conversation, in order.

use crate::{
    chat::{Act, Heard},
    text::letters,
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Customer(Act),
    Business(Heard),
}

/// Messages of a conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript(pub(crate) Vec<Entry>);

impl Transcript {
    pub(crate) fn acted(&mut self, act: &Act) {
        self.0.push(Entry::Customer(act.clone()));
    }

    pub(crate) fn heard(&mut self, heard: Vec<Heard>) {
        self.0.extend(heard.into_iter().map(Entry::Business));
    }

    /// Lists the business's messages, each with the messages before it.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&[Entry], &Heard)> {
        self.0.iter().enumerate().filter_map(|(at, entry)| match entry {
            Entry::Business(heard) => Some((self.0.get(..at).unwrap_or_default(), heard)),
            Entry::Customer(_) => None,
        })
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |entry: &Entry| match entry {
            Entry::Customer(Act::Write(text)) => format!("  > {text}"),
            Entry::Customer(Act::Tap { title, .. }) => format!("  > [{title}]"),
            Entry::Customer(Act::Show(sample)) => format!("  > ({sample})"),
            Entry::Business(heard) => format!("  < {}", heard.text.replace('\n', " / ")),
        };
        self.0.iter().map(line).collect()
    }
}

/// Returns what the customer wrote after the business's last message; if that has no letters, earlier texts
/// as well.
pub(crate) fn newest_words(before: &[Entry]) -> String {
    let mut words = Vec::new();
    for entry in before.iter().rev() {
        match entry {
            Entry::Customer(Act::Write(text)) => words.push(text.as_str()),
            Entry::Business(_) if words.iter().any(|text| letters(text) != (0, 0)) => break,
            _ => {}
        }
    }
    words.join("\n")
}
