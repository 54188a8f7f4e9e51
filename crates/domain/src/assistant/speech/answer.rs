//! A model's answer: acts, and perhaps its own wording of them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    act::Act,
    refusal::{ActError, AnswerError, Refusal},
};

/// Longest answer that is read, in bytes.
pub const LONGEST_ANSWER: usize = 64 * 1024;

/// Acts, and the wording that is suggested for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    pub acts: Vec<Act>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wording: Option<String>,
}

/// Answers are an object, or a list of acts alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAnswer {
    acts: Vec<Value>,
    #[serde(default)]
    wording: Option<String>,
}

impl FromStr for Answer {
    type Err = AnswerError;

    /// Parses JSON. Each act is read by itself, so that an error names it.
    fn from_str(json: &str) -> Result<Self, AnswerError> {
        if json.len() > LONGEST_ANSWER {
            return Err(AnswerError::Unreadable(format!("longer than {LONGEST_ANSWER} bytes")));
        }
        let unreadable = |error: serde_json::Error| AnswerError::Unreadable(error.to_string());
        let written = match serde_json::from_str(json).map_err(unreadable)? {
            Value::Array(acts) => WrittenAnswer { acts, wording: None },
            value => serde_json::from_value(value).map_err(unreadable)?,
        };
        let acts = written.acts.iter().enumerate().map(|(place, act)| read(place, act));
        Ok(Self { acts: acts.collect::<Result<_, _>>()?, wording: written.wording })
    }
}

fn read(place: usize, act: &Value) -> Result<Act, ActError> {
    // The fields of all acts stand side by side in the schema, and some models write all of them.
    let without_blanks = || {
        let fields = act.as_object().into_iter().flatten().filter(|(_, value)| !is_blank(value));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Value>()
    };
    Act::deserialize(act).or_else(|error| Act::deserialize(without_blanks()).map_err(|_| error)).map_err(
        |error| ActError { place, act: None, field: None, why: Refusal::Unreadable(error.to_string()) },
    )
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn fields_without_a_value_are_none_and_others_than_the_acts_own_are_refused() {
        let read = |act: &str| act.parse::<Answer>().map(|answer| answer.acts);
        let filled = r#"[{"act":"ask","what":"size","options":[],"product":"","fact":null}]"#;
        assert_eq!(read(filled).unwrap(), read(r#"[{"act":"ask","what":"size"}]"#).unwrap());
        assert!(read(r#"[{"act":"ask","what":"size","product":"7"}]"#).is_err());
    }
}
