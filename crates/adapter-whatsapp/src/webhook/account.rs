//! The network's measures against an account: changes called `account_update`.

use domain::channels::{AccountStanding, StandingState};
use graph_client::webhook;
use serde_json::Value;
use time::OffsetDateTime;

use super::message::NoUse;

/// Parses the standing of an account; unused if the change does not affect what it may send.
pub(super) fn standing(value: &Value, since: Option<OffsetDateTime>) -> Result<AccountStanding, NoUse> {
    let known = read(value, since.unwrap_or(OffsetDateTime::UNIX_EPOCH));
    let standing = known.ok_or_else(|| NoUse::Unused("account_update".to_owned()))?;
    if since.is_none() { Err(NoUse::Unreadable) } else { Ok(standing) }
}

fn read(value: &Value, since: OffsetDateTime) -> Option<AccountStanding> {
    let plain = |state| AccountStanding::since(state, since);
    match value.get("event").and_then(Value::as_str)? {
        "ACCOUNT_DELETED" => Some(plain(StandingState::Deleted)),
        "DISABLED_UPDATE" => {
            let ban = value.get("ban_info")?;
            let states = ban.get("waba_ban_state")?;
            // A word, or in older versions a list of one.
            let word = states.as_array().and_then(|states| states.first()).unwrap_or(states).as_str()?;
            let detail = named([Some(word), ban.get("waba_ban_date").and_then(Value::as_str)]);
            let state = match word {
                "DISABLE" => StandingState::Disabled,
                "REINSTATE" => return Some(plain(StandingState::Good)),
                // It will be disabled, and sends until then.
                "SCHEDULE_FOR_DISABLE" => StandingState::Restricted,
                _ => return None,
            };
            Some(AccountStanding { detail, ..plain(state) })
        }
        "ACCOUNT_RESTRICTION" => {
            let restrictions = value.get("restriction_info").and_then(Value::as_array)?;
            let kinds = || restrictions.iter().filter_map(|one| one.get("restriction_type")?.as_str());
            let until = restrictions.iter().filter_map(|one| webhook::instant(one.get("expiration")?)).max();
            Some(AccountStanding {
                until,
                bars_templates: kinds().any(|kind| kind == "RESTRICTED_BIZ_INITIATED_MESSAGING"),
                bars_replies: kinds().any(|kind| kind == "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"),
                detail: named(kinds().map(Some)),
                ..plain(StandingState::Restricted)
            })
        }
        _ => None,
    }
}

/// Joins the network's own names, in a form that the log may show.
fn named<'a>(names: impl IntoIterator<Item = Option<&'a str>>) -> Option<String> {
    let names: Vec<String> =
        names.into_iter().flatten().map(|name| name.chars().take(100).collect()).collect();
    let names = names.join(", ").replace(char::is_control, "");
    (!names.is_empty()).then_some(names)
}
