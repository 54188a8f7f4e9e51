//! Rules as a team writes them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use super::words::Words;
use crate::{
    ids::{AutomationId, GroupId, MemberId},
    tag::Tag,
};

/// Longest name, in characters.
const LONGEST_NAME: usize = 50;
/// Longest reply, in characters, as of any reply.
const LONGEST_REPLY: usize = 4_096;
const MOST_ACTIONS: usize = 10;

/// Reason for refusing a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRule {
    #[error("a name has 1 to {LONGEST_NAME} characters, white space at the ends not counted")]
    Name,
    #[error("a reply has 1 to {LONGEST_REPLY} characters")]
    Reply,
    #[error("a rule needs a condition: `began`, `words` or `outsideHours`")]
    NoCondition,
    #[error("a rule has 1 to {MOST_ACTIONS} actions")]
    Actions,
}

/// Name of a rule, the `<name>` of the reason `automation:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AutomationName(String);

impl AutomationName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AutomationName {
    type Error = InvalidRule;

    fn try_from(written: String) -> Result<Self, InvalidRule> {
        let name = written.trim();
        let fits = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
        if fits && !name.contains(char::is_control) {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidRule::Name)
        }
    }
}

impl From<AutomationName> for String {
    fn from(name: AutomationName) -> Self {
        name.0
    }
}

/// Text that a rule replies with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReplyText(String);

impl ReplyText {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ReplyText {
    type Error = InvalidRule;

    fn try_from(text: String) -> Result<Self, InvalidRule> {
        let fits = !text.trim().is_empty() && text.chars().nth(LONGEST_REPLY).is_none();
        if fits && !text.contains('\0') { Ok(Self(text)) } else { Err(InvalidRule::Reply) }
    }
}

impl From<ReplyText> for String {
    fn from(text: ReplyText) -> Self {
        text.0
    }
}

/// Conditions of a rule; all that are set must hold for the customer's message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Conditions {
    /// Whether the message must have begun the conversation or brought it back.
    pub began: bool,
    /// Words of which the message must contain one, if there are any.
    pub words: Words,
    pub outside_hours: bool,
}

/// Action of a rule.
///
/// Stored under the first names of its fields, by which every version of this program reads it; read under
/// both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "do", rename_all = "camelCase", deny_unknown_fields)]
pub enum Action {
    SendToGroup {
        #[serde(rename(serialize = "group", deserialize = "groupId"))]
        group: GroupId,
    },
    /// Gives the conversation to a member, unless another holds it.
    Assign {
        #[serde(rename(serialize = "member", deserialize = "memberId"))]
        member: MemberId,
    },
    Close {},
    /// Gives the conversation back to the assistant.
    Return {},
    Tag {
        tag: Tag,
    },
    Reply {
        text: ReplyText,
    },
}

/// First names of an action's fields, each with the name that all other fields of the kind have.
pub const FIRST_NAMES: [(&str, &str); 2] = [("group", "groupId"), ("member", "memberId")];

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::<String, Value>::deserialize(deserializer)?;
        for (first, name) in FIRST_NAMES {
            if !fields.contains_key(name)
                && let Some(value) = fields.remove(first)
            {
                fields.insert(name.to_owned(), value);
            }
        }
        Self::deserialize(Value::Object(fields)).map_err(D::Error::custom)
    }
}

/// Conditions, and the actions that follow, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub when: Conditions,
    pub then: Vec<Action>,
}

impl Rule {
    /// Checks that the rule has a condition, and as many actions as it may have.
    pub fn check(&self) -> Result<(), InvalidRule> {
        let Conditions { began, words, outside_hours } = &self.when;
        if !began && words.is_empty() && !outside_hours {
            return Err(InvalidRule::NoCondition);
        }
        if self.then.is_empty() || self.then.len() > MOST_ACTIONS {
            return Err(InvalidRule::Actions);
        }
        Ok(())
    }
}

/// Rule of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automation {
    pub id: AutomationId,
    /// Unique within the workspace.
    pub name: AutomationName,
    /// Member who wrote it last, and in whose name it replies.
    pub author: MemberId,
    pub enabled: bool,
    pub rule: Rule,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{InvalidRule, Rule};

    fn read(json: &str) -> Result<Rule, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn a_rule_reads_back_as_it_was_written() {
        let group = "00000000-0000-0000-0000-000000000001";
        let json = format!(
            r#"{{"when":{{"began":true,"words":["سعر"],"outsideHours":true}},"then":[
                {{"do":"sendToGroup","group":"{group}"}},{{"do":"assign","member":"{group}"}},
                {{"do":"tag","tag":"vip"}},{{"do":"reply","text":"أهلا"}},{{"do":"return"}},{{"do":"close"}}]}}"#
        );
        let rule = read(&json).unwrap();
        assert_eq!(rule.check(), Ok(()));
        assert_eq!(read(&serde_json::to_string(&rule).unwrap()).unwrap(), rule);
    }

    #[test]
    fn an_action_is_read_under_either_name_and_stored_under_the_first() {
        let id = "00000000-0000-0000-0000-000000000001";
        for (first, name, kind) in [("group", "groupId", "sendToGroup"), ("member", "memberId", "assign")] {
            let rule = |field: &str, besides: &str| {
                let action = format!(r#"{{"do":"{kind}","{field}":"{id}"{besides}}}"#);
                format!(r#"{{"when":{{"began":true}},"then":[{action}]}}"#)
            };
            let (old, new) = (read(&rule(first, "")).unwrap(), read(&rule(name, "")).unwrap());
            assert_eq!(old, new);
            assert!(serde_json::to_string(&new).unwrap().contains(&format!(r#""{first}":"#)));
            let both = read(&rule(name, &format!(r#","{first}":"{id}""#))).unwrap_err().to_string();
            assert!(both.contains(&format!("unknown field `{first}`, expected `{name}`")), "{both}");
        }
    }

    #[test]
    fn every_rule_of_the_corpus_is_read_or_refused() {
        for text in include_str!("../../../../tests/corpora/rules.jsonl").lines() {
            if let Ok(rule) = read(text) {
                assert_eq!(read(&serde_json::to_string(&rule).unwrap()).unwrap(), rule, "{text}");
                let _ = rule.check();
                rule.when.words.are_in(text);
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_a_rule_panic(word in ".{0,120}", text in ".{0,200}", more in ".{0,20}") {
            let rule = serde_json::json!({ "when": { "words": [word, more] }, "then": [
                { "do": "tag", "tag": more }, { "do": "reply", "text": text },
            ] });
            if let Ok(rule) = read(&rule.to_string()) {
                rule.when.words.are_in(&text);
            }
            let _ = read(&text);
        }
    }

    #[test]
    fn a_rule_without_a_condition_or_an_action_is_refused() {
        for (json, refusal) in [
            (r#"{"when":{},"then":[{"do":"close"}]}"#, InvalidRule::NoCondition),
            (r#"{"when":{"words":[]},"then":[{"do":"close"}]}"#, InvalidRule::NoCondition),
            (r#"{"when":{"began":true},"then":[]}"#, InvalidRule::Actions),
        ] {
            assert_eq!(read(json).unwrap().check(), Err(refusal), "{json}");
        }
        for json in [
            r#"{"when":{"always":true},"then":[{"do":"close"}]}"#,
            r#"{"when":{"began":true},"then":[{"do":"explode"}]}"#,
            r#"{"when":{"began":true},"then":[{"do":"reply","text":"  "}]}"#,
            r#"{"when":{"began":true},"then":[{"do":"tag","tag":""}]}"#,
            r#"{"when":{"words":["؟"]},"then":[{"do":"close"}]}"#,
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
