//! Answers that are played as they are written, each once.

use serde::Deserialize;
use serde_json::Value;

use crate::mind::{Answer, Call};
use crate::wire::Seen;

/// One answer to be played. It says words or calls tools.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// What the customer's newest messages must hold for it; empty where anything will do.
    pub when: String,
    /// The words.
    pub text: String,
    /// The calls.
    pub calls: Vec<ScriptedCall>,
}

/// A call of a script. Whether the tool is offered is not looked at.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// Its arguments: a text is sent as it is, and anything else as JSON.
    pub arguments: Value,
}

impl Script {
    /// The answer, where it was written for this request.
    pub(crate) fn answer(self, seen: &Seen) -> Result<Answer, String> {
        if !seen.burst.iter().any(|text| text.contains(&self.when)) {
            return Err(format!("a script waits for `{}`, and the customer wrote something else", self.when));
        }
        let call = |call: ScriptedCall| Call {
            name: call.name,
            arguments: match call.arguments {
                Value::String(text) => text,
                other => other.to_string(),
            },
        };
        Ok(Answer { text: self.text, calls: self.calls.into_iter().map(call).collect() })
    }
}
