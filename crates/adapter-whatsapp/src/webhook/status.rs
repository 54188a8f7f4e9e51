//! What became of a sent message.

use domain::{
    inbound::StatusUpdate,
    messages::{DeliveryStatus, NetworkMessageId},
};
use serde_json::Value;
use time::{Duration, OffsetDateTime};

use crate::scrub::scrub;

/// From here on a number counts milliseconds: in seconds it would lie beyond the year 5000.
const FIRST_MILLISECONDS: i64 = 100_000_000_000;

/// Why a status is of no use.
pub(super) enum NoUse {
    /// A required part is missing or of another type.
    Unreadable,
    /// It names a status that says nothing about delivery.
    Unknown(String),
}

/// Reads one of `statuses[]`. The recipient is looked at only to keep it out of the error's text.
pub(super) fn read(status: &Value) -> Result<StatusUpdate, NoUse> {
    let text = |name: &str| status.get(name).and_then(Value::as_str);
    let name = text("status").ok_or(NoUse::Unreadable)?;
    // A voice note that was heard was read, too.
    let name = if name == "played" { "read" } else { name };
    let delivery = DeliveryStatus::read(name).ok_or_else(|| NoUse::Unknown(name.to_owned()))?;
    let id = text("id").filter(|id| !id.is_empty() && !id.contains(char::is_control));
    let at = status.get("timestamp").and_then(instant);
    let (Some(id), Some(at)) = (id, at) else { return Err(NoUse::Unreadable) };
    let error = if delivery == DeliveryStatus::Failed { reason(status) } else { None };
    Ok(StatusUpdate {
        network_id: NetworkMessageId::from(id.to_owned()),
        tag: text("biz_opaque_callback_data").map(str::to_owned),
        status: delivery,
        at,
        error,
    })
}

/// Why the message failed: the details, else the title, else the message of its first error that has words.
fn reason(status: &Value) -> Option<String> {
    let errors = status.get("errors")?.as_array()?;
    let words = errors.iter().find_map(|error| {
        let details = error.get("error_data").and_then(|data| data.get("details"));
        [details, error.get("title"), error.get("message")]
            .into_iter()
            .filter_map(|words| words?.as_str())
            .find(|words| !words.trim().is_empty())
    })?;
    let recipients = ["recipient_id", "recipient_user_id", "recipient_participant_id"];
    let known = recipients.into_iter().filter_map(|name| match status.get(name)? {
        Value::String(recipient) => Some(recipient.clone()),
        Value::Number(recipient) => Some(recipient.to_string()),
        _ => None,
    });
    Some(known.fold(scrub(words, None), |words, recipient| scrub(&words, Some(&recipient))))
}

/// A time since 1970 in seconds or milliseconds, as a number or in a string.
fn instant(value: &Value) -> Option<OffsetDateTime> {
    let count = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_i64()?,
    };
    let since = match count {
        0..FIRST_MILLISECONDS => Duration::seconds(count),
        FIRST_MILLISECONDS.. => Duration::milliseconds(count),
        _ => return None,
    };
    OffsetDateTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use time::macros::datetime;

    use super::instant;

    #[test]
    fn times_come_in_seconds_or_milliseconds_as_text_or_number() {
        let at = datetime!(2025-11-20 00:53:21 UTC);
        for (written, wanted) in [
            (json!("1763600001"), Some(at)),
            (json!(1_763_600_001), Some(at)),
            (json!("1763600001000"), Some(at)),
            (json!(1_763_600_001_250_i64), Some(at + time::Duration::milliseconds(250))),
            (json!(0), Some(time::OffsetDateTime::UNIX_EPOCH)),
            (json!(-1), None),
            (json!(i64::MAX), None),
            (json!(u64::MAX), None),
            (json!(1.5), None),
            (json!("soon"), None),
            (json!(""), None),
            (Value::Null, None),
        ] {
            assert_eq!(instant(&written), wanted, "{written}");
        }
    }
}
