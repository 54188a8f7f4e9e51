//! Conversations as the API shows them in the end.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Token;
use crate::api::Api;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) token: Option<Token>,
    pub(crate) created_at: String,
}

/// A conversation, oldest message first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) lines: Vec<Line>,
}

pub(crate) async fn read_conversations(api: &Api) -> anyhow::Result<Vec<Conversation>> {
    let mut conversations = Vec::new();
    for row in api.list("/v1/conversations").await? {
        let id = text(&row, "/id");
        let mut lines: Vec<Line> =
            api.list(&format!("/v1/conversations/{id}/messages")).await?.iter().map(line).collect();
        lines.reverse();
        conversations.push(Conversation { id, lines });
    }
    Ok(conversations)
}

fn line(message: &Value) -> Line {
    Line {
        id: text(message, "/id"),
        role: text(message, "/role"),
        token: Token::find(&text(message, "/content")),
        created_at: text(message, "/createdAt"),
    }
}

pub(super) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Conversation {
    /// Returns the numbers of each person's messages, in the order of the conversation.
    pub(super) fn written(&self) -> BTreeMap<u64, Vec<u64>> {
        let mut written: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.role == "customer") {
            if let Some(Token::Written(person, number)) = line.token {
                written.entry(person).or_default().push(number);
            }
        }
        written
    }
}
