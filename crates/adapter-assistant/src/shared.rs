//! What the dialects have in common.

use domain::assistant::{ModelError, TokenUsage};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a body as that shape.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ModelError> {
    // What serde says of it could quote it.
    serde_json::from_slice(body).map_err(|_| ModelError::Unusable("it has not the shape of one"))
}

/// An answer that was cut: half a sentence may say the opposite of the whole.
pub(crate) const CUT: ModelError = ModelError::Unusable("it was cut");
/// An answer that the model, or a filter around it, held back.
pub(crate) const DECLINED: ModelError = ModelError::Unusable("it was declined");

/// The name of a call that has none, or that the server itself could not read. There is no such tool, and the model is told
/// so.
pub(crate) const UNREADABLE: &str = "unreadable_call";

/// Names of our own for the calls of a chat: some servers take none without a name, or not another server's. Results come in
/// the order of the calls.
#[derive(Default)]
pub(crate) struct CallNames {
    called: u32,
    answered: u32,
}

impl CallNames {
    pub(crate) fn of_call(&mut self) -> String {
        self.called += 1;
        format!("call_{}", self.called)
    }

    pub(crate) fn of_result(&mut self) -> String {
        self.answered += 1;
        format!("call_{}", self.answered)
    }
}

/// What the service says in the middle of a turn: many models know instructions only at the beginning.
pub(crate) fn advice(text: &str) -> String {
    format!("(From the service, not the customer: {text})")
}

/// What an answer took, where its server says so: none is made of nothing that was read.
pub(crate) fn used(read_tokens: u64, written_tokens: u64) -> Option<TokenUsage> {
    (read_tokens > 0).then_some(TokenUsage { read_tokens, written_tokens })
}

/// The arguments of a call as text. Some servers send an object where its text belongs, others nothing.
pub(crate) fn arguments(written: Value) -> String {
    match written {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The arguments of a call as an object, where a server takes no other. What is none is empty: the call's result tells
/// the model what was wrong with it.
pub(crate) fn object(arguments: &str) -> Value {
    let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Value::Object(serde_json::Map::new()))
}

/// Parts of a conversation, one entry for all that one side says in a row.
pub(crate) struct Sides {
    said: Vec<(&'static str, Vec<Value>)>,
}

impl Sides {
    /// Nothing was said yet.
    pub(crate) const fn new() -> Self {
        Self { said: Vec::new() }
    }

    /// Adds what a side says.
    pub(crate) fn say(&mut self, side: &'static str, parts: impl IntoIterator<Item = Value>) {
        match self.said.last_mut() {
            Some((last, said)) if *last == side => said.extend(parts),
            _ => {
                let parts: Vec<_> = parts.into_iter().collect();
                if !parts.is_empty() {
                    self.said.push((side, parts));
                }
            }
        }
    }

    /// What was said, beginning with what `side` says: `opening` where another began.
    pub(crate) fn beginning_with(
        mut self,
        side: &'static str,
        opening: impl FnOnce(&str) -> Value,
    ) -> Vec<(&'static str, Vec<Value>)> {
        if self.said.first().is_some_and(|(first, _)| *first != side) {
            self.said.insert(0, (side, vec![opening(&advice("the business wrote first."))]));
        }
        self.said
    }
}
