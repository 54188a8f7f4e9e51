//! Answers of the stand-in.

use serde_json::{Value, json};

use crate::wire::Seen;

/// Name of the tool that an answer by acts is given with.
pub(crate) const ANSWER: &str = "answer";

/// A tool call, with its arguments as they are sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// An answer: acts with words for them, words alone, or tool calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    /// Acts as the tool `answer` takes them; empty for words alone.
    pub(crate) acts: Vec<Value>,
    pub(crate) text: String,
    /// Whether the words go along with the acts.
    pub(crate) suggests: bool,
    pub(crate) calls: Vec<Call>,
}

impl Answer {
    pub(crate) fn words(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn said(acts: Vec<Value>, text: impl Into<String>) -> Self {
        Self { acts, text: text.into(), ..Self::default() }
    }

    pub(crate) fn call(name: &str, arguments: String) -> Self {
        Self { calls: vec![Call { name: name.to_owned(), arguments }], ..Self::default() }
    }

    /// Makes acts a call of the tool `answer`, if it is offered; words stay words otherwise.
    pub(crate) fn sent(self, seen: &Seen) -> Self {
        if !self.calls.is_empty() || self.acts.is_empty() || !seen.offers(ANSWER) {
            return self;
        }
        let mut arguments = json!({ "acts": self.acts });
        if let (true, Value::Object(fields)) = (self.suggests, &mut arguments) {
            fields.insert("wording".to_owned(), self.text.into());
        }
        Self::call(ANSWER, arguments.to_string())
    }
}
