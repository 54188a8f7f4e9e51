//! Tokens that tell each text of a run from every other: `S0000042Z` is the 42nd send, `W0007N0000012Z` the
//! 12th message of the 7th person.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Token in the text of one message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Token {
    /// A send, by number.
    Send(u64),
    /// A message from a person: the person's number and the message's.
    Written(u64, u64),
}

impl Token {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Send(number) => format!("S{number:07}Z"),
            Self::Written(person, number) => format!("W{person:04}N{number:07}Z"),
        }
    }

    /// Finds the first token in a text.
    pub(crate) fn find(text: &str) -> Option<Self> {
        text.split(|character: char| !character.is_ascii_alphanumeric()).find_map(|word| {
            let word = word.strip_suffix('Z')?;
            if let Some(number) = word.strip_prefix('S') {
                return Some(Self::Send(digits(number, 7)?));
            }
            let (person, number) = word.strip_prefix('W')?.split_once('N')?;
            Some(Self::Written(digits(person, 4)?, digits(number, 7)?))
        })
    }
}

fn digits(text: &str, at_least: usize) -> Option<u64> {
    (text.len() >= at_least).then(|| text.parse().ok()).flatten()
}

/// Counts how often the network accepted each send, by the tokens in the messages.
pub(crate) fn accepted(messages: &[Value]) -> BTreeMap<u64, usize> {
    let mut accepted = BTreeMap::new();
    for message in messages {
        if let Some(Token::Send(number)) = message.get("body").and_then(|body| Token::find(&body.to_string()))
        {
            *accepted.entry(number).or_default() += 1;
        }
    }
    accepted
}

/// Returns the network's ids of the messages whose `delivered` was accepted at its first post: their `read`
/// was posted later, so both need an event.
pub(crate) fn delivered_first(webhooks: &[Value]) -> BTreeSet<String> {
    let taken = |posted: &&Value| {
        posted.get("attempt").and_then(Value::as_u64) == Some(1)
            && posted.get("status").and_then(Value::as_u64) == Some(200)
    };
    let statuses = |posted: &Value| {
        let list = posted.pointer("/body/entry/0/changes/0/value/statuses").and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let is_delivered = |status: &Value| status.get("status").and_then(Value::as_str) == Some("delivered");
    let id = |status: Value| Some(status.get("id")?.as_str()?.to_owned());
    webhooks.iter().filter(taken).flat_map(statuses).filter(is_delivered).filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_token_is_found_again_in_whatever_stands_around_it() {
        for token in [Token::Send(42), Token::Send(12_345_678), Token::Written(7, 12)] {
            let text = token.text();
            for around in [text.clone(), format!("طلبك {text}، جاهز"), format!("{{\"text\":\"{text}\\n\"}}")]
            {
                assert_eq!(Token::find(&around), Some(token.clone()), "{around}");
            }
        }
        for other in ["", "S12Z", "SZ", "W0001Z", "WN", "S0000001", "xS0000001Zx"] {
            assert_eq!(Token::find(other), None, "{other}");
        }
    }

    #[test]
    fn what_the_network_took_is_counted_by_message_however_often_it_names_the_token() {
        let messages = [
            json!({ "body": { "code": "S0000001Z", "button": "S0000001Z" } }),
            json!({ "body": { "text": "S0000002Z" } }),
            json!({ "body": { "text": "S0000002Z" } }),
            json!({ "body": { "status": "read" } }),
        ];
        assert_eq!(accepted(&messages), BTreeMap::from([(1, 1), (2, 2)]));
    }

    #[test]
    fn a_delivered_counts_as_first_when_its_first_post_was_taken() {
        let posted = |attempt: u64, status: u64, kind: &str, id: &str| {
            let statuses = json!([{ "id": id, "status": kind }]);
            let value = json!({ "statuses": statuses });
            json!({ "attempt": attempt, "status": status,
                    "body": { "entry": [{ "changes": [{ "value": value }] }] } })
        };
        let webhooks = [
            posted(1, 200, "delivered", "a"),
            posted(1, 200, "read", "b"),
            posted(1, 503, "delivered", "c"),
            posted(2, 200, "delivered", "c"),
        ];
        assert_eq!(delivered_first(&webhooks), BTreeSet::from(["a".to_owned()]));
    }
}
