//! Scripted answers, each played once.

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, Call};
use crate::wire::Seen;

/// A scripted answer: acts, text or tool calls.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Text that the customer's newest messages must contain; empty for any.
    pub when: String,
    pub text: String,
    /// Acts, as the tool `answer` takes them; a text beside them is their wording.
    pub acts: Vec<Value>,
    pub calls: Vec<ScriptedCall>,
}

/// A scripted tool call. Whether the tool is offered is not checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    pub name: String,
    /// Arguments: a text is sent as it is, anything else as JSON.
    pub arguments: Value,
}

impl Script {
    /// Returns the answer, if it was written for this request.
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
        let suggests = !self.text.is_empty();
        let calls = self.calls.into_iter().map(call).collect();
        Ok(Answer { acts: self.acts, text: self.text, suggests, calls })
    }
}
