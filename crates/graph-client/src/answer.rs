//! Classification of answers.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Deserializer};

use crate::codes::{Class, Surface, classify};
use crate::error::{GraphError, Refusal};

/// Longest pause that is heeded, in seconds: a day. A longer one could overflow the times it is added to.
const LONGEST_PAUSE: u64 = 24 * 60 * 60;

/// Header with the used share of a business's allowance.
const USAGE: &str = "x-business-use-case-usage";

#[derive(Deserialize)]
struct Envelope {
    error: Body,
}

/// Body of an error. Only the code is relied on; a field of an unexpected type counts as absent.
#[derive(Deserialize)]
struct Body {
    code: i64,
    #[serde(default, deserialize_with = "lenient")]
    error_subcode: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    message: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    error_user_msg: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    error_data: Option<Data>,
}

/// An object on `WhatsApp`, a text on other paths.
#[derive(Deserialize)]
#[serde(untagged)]
enum Data {
    Object { details: Option<String> },
    Text(String),
}

fn lenient<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

/// Classifies an answer that is not 2xx.
pub(crate) fn failure(status: u16, headers: &HeaderMap, body: &[u8], surface: Surface) -> GraphError {
    let refusal = match serde_json::from_slice::<Envelope>(body) {
        Ok(Envelope { error }) => Refusal {
            class: classify(error.code, error.error_subcode, status, surface),
            code: error.code,
            subcode: error.error_subcode,
            details: match error.error_data {
                Some(Data::Object { details }) => details,
                Some(Data::Text(text)) => Some(text),
                None => None,
            }
            .or(error.error_user_msg),
            message: error.message.unwrap_or_default(),
        },
        Err(_) => match without_body(status) {
            Some(class) => Refusal {
                code: i64::from(status),
                subcode: None,
                message: format!("HTTP status {status} without an error body"),
                details: None,
                class,
            },
            None => return GraphError::unknown(format!("HTTP status {status} without an error body")),
        },
    };
    match refusal.class {
        Class::Retry => GraphError::not_sent(
            format!("the network throttles, code {}", refusal.code),
            wanted_pause(headers),
        ),
        Class::Ambiguous => {
            GraphError::unknown(format!("a passing fault of the network, code {}", refusal.code))
        }
        Class::Later | Class::Final | Class::Channel => GraphError::Refused(refusal),
    }
}

/// Classifies a status that comes without a readable error body; `None` if it leaves the outcome open.
const fn without_body(status: u16) -> Option<Class> {
    match status {
        429 => Some(Class::Retry),
        // The server gave up waiting for the request; whether it acted on a part of it is open.
        408 => None,
        401 | 403 => Some(Class::Channel),
        400..=499 => Some(Class::Final),
        _ => None,
    }
}

/// Returns the longest pause that the headers ask for: `Retry-After` in seconds, or the estimated minutes
/// until access is regained.
fn wanted_pause(headers: &HeaderMap) -> Option<Duration> {
    #[derive(Deserialize)]
    struct Usage {
        #[serde(default)]
        estimated_time_to_regain_access: u64,
    }
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let after = text(RETRY_AFTER.as_str()).and_then(|seconds| seconds.trim().parse().ok());
    let regained = text(USAGE)
        .and_then(|usage| serde_json::from_str::<HashMap<String, Vec<Usage>>>(usage).ok())
        .and_then(|usage| usage.into_values().flatten().map(|one| one.estimated_time_to_regain_access).max())
        .map(|minutes| minutes.saturating_mul(60));
    let seconds = after.max(regained).filter(|seconds| *seconds > 0);
    seconds.map(|seconds| Duration::from_secs(seconds.min(LONGEST_PAUSE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn refusal(status: u16, body: &str) -> Refusal {
        match failure(status, &HeaderMap::new(), body.as_bytes(), Surface::WhatsApp) {
            GraphError::Refused(refusal) => refusal,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn code_words_and_details_are_read() {
        let read = refusal(
            400,
            r#"{"error":{"message":"(#131047) Re-engagement message","type":"OAuthException","code":131047,
                "error_subcode":33,"error_data":{"messaging_product":"whatsapp","details":"too late"},"fbtrace_id":"A"}}"#,
        );
        assert_eq!(
            read,
            Refusal {
                code: 131_047,
                subcode: Some(33),
                message: "(#131047) Re-engagement message".into(),
                details: Some("too late".into()),
                class: Class::Final,
            }
        );
    }

    #[test]
    fn odd_error_data_takes_nothing_else_with_it() {
        let table = [
            (r#""error_data":"plain words""#, Some("plain words")),
            (r#""error_data":{}"#, None),
            (r#""error_data":[1]"#, None),
            (r#""error_data":null"#, None),
            (r#""error_data":{"details":7}"#, None),
            (r#""error_subcode":"x""#, None),
            (r#""error_user_msg":"for a person""#, Some("for a person")),
            (r#""message":{}"#, None),
        ];
        for (field, details) in table {
            let read = refusal(400, &format!(r#"{{"error":{{"code":132000,{field}}}}}"#));
            assert_eq!((read.code, read.details.as_deref()), (132_000, details), "{field}");
        }
    }

    #[test]
    fn without_a_readable_body_the_status_decides() {
        for body in ["", "<html>Sorry</html>", "{}", r#"{"error":"x"}"#, r#"{"error":{"code":"x"}}"#] {
            for (status, class) in
                [(400, Class::Final), (404, Class::Final), (401, Class::Channel), (403, Class::Channel)]
            {
                let read = refusal(status, body);
                assert_eq!((read.code, read.class), (i64::from(status), class), "{body}");
            }
            for status in [302, 408, 500, 502, 503] {
                let error = failure(status, &HeaderMap::new(), body.as_bytes(), Surface::WhatsApp);
                assert!(matches!(error, GraphError::Unknown { .. }), "{status} {body}");
            }
            let error = failure(429, &HeaderMap::new(), body.as_bytes(), Surface::WhatsApp);
            assert!(matches!(error, GraphError::NotSent { .. }), "{body}");
        }
    }

    #[test]
    fn the_longest_pause_asked_for_counts() {
        let usage = r#"{"1":[{"type":"whatsapp","call_count":100,"estimated_time_to_regain_access":3},{"call_count":1}]}"#;
        let endless = r#"{"1":[{"estimated_time_to_regain_access":18446744073709551615}]}"#;
        let table: [(Pairs<'_>, Option<u64>); 9] = [
            (&[("retry-after", "18446744073709551615")], Some(86_400)),
            (&[(USAGE, endless)], Some(86_400)),
            (&[], None),
            (&[("retry-after", "7")], Some(7)),
            (&[("retry-after", "0")], None),
            (&[("retry-after", "soon")], None),
            (&[(USAGE, usage)], Some(180)),
            (&[(USAGE, usage), ("retry-after", "7")], Some(180)),
            (&[(USAGE, "not json"), ("retry-after", "7")], Some(7)),
        ];
        for (pairs, seconds) in table {
            let headers =
                pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
            assert_eq!(wanted_pause(&headers), seconds.map(Duration::from_secs), "{pairs:?}");
        }
    }

    #[test]
    fn neither_text_nor_debug_quotes_the_network() {
        let error = failure(
            400,
            &HeaderMap::new(),
            br#"{"error":{"code":131030,"message":"9647701234567","error_data":{"details":"9647701234567"}}}"#,
            Surface::WhatsApp,
        );
        assert!(!format!("{error} {error:?}").contains("964770"));
    }
}
