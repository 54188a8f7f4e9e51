//! Numbers of an account, and the subscription to its updates (docs/run/networks.md, "Numbers, subscriptions
//! and tokens").

use async_trait::async_trait;
use domain::{
    channels::{
        ListedNumber, NumberHealth, NumberState, Pin, Quality,
        ports::{NetworkAccounts, NetworkError, NumberRegistration},
    },
    phone::PhoneNumber,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use crate::{WhatsAppNetwork, failure};

/// Fields requested of each number. The status is only returned if it is requested.
const FIELDS: &str = "id,display_phone_number,status,verified_name,name_status,quality_rating";
/// Fields with the number of people that a number may begin to write to in a day: its own, or in newer
/// versions its business's. A version that does not know one of them refuses both.
const LIMITS: &str = "messaging_limit_tier,whatsapp_business_manager_messaging_limit";
/// Code of the network for an unknown field, among others.
const UNKNOWN_PARAMETER: i64 = 100;
/// Longest text of the network's that is stored of a number.
const LONGEST: usize = 200;
/// Numbers per page: the most that the network returns.
const PAGE: &str = "100";
/// Only status in which a number can send.
const CAN_SEND: &str = "CONNECTED";

#[async_trait]
impl NetworkAccounts for WhatsAppNetwork {
    async fn numbers(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Vec<ListedNumber>, NetworkError> {
        let path = format!("{network_id}/phone_numbers");
        let ask = async |fields: &str| {
            let rows: Result<Vec<Value>, _> =
                self.graph.get_all(&path, &[("fields", fields), ("limit", PAGE)], token).await;
            rows.map_err(failure::of_question)
        };
        let rows = match ask(&format!("{FIELDS},{LIMITS}")).await {
            Err(NetworkError::Refused { code: UNKNOWN_PARAMETER, .. }) => ask(FIELDS).await?,
            answered => answered?,
        };
        Ok(rows.iter().filter_map(listed).collect())
    }

    async fn subscribe(&self, network_id: &str, token: &SecretString) -> Result<(), NetworkError> {
        let path = format!("{network_id}/subscribed_apps");
        let answer = self.graph.post_json(&path, &json!({}), token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}

#[async_trait]
impl NumberRegistration for WhatsAppNetwork {
    async fn register(&self, network_id: &str, pin: &Pin, token: &SecretString) -> Result<(), NetworkError> {
        let path = format!("{network_id}/register");
        let body = json!({ "messaging_product": "whatsapp", "pin": pin.secret().expose_secret() });
        let answer = self.graph.post_json(&path, &body, token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}

/// Parses the number of a row, which the network writes with spaces and dashes.
fn listed(row: &Value) -> Option<ListedNumber> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let digits: String = text("display_phone_number")?.chars().filter(char::is_ascii_digit).collect();
    Some(ListedNumber {
        network_id: text("id").filter(|id| !id.is_empty() && !id.contains(char::is_control))?.to_owned(),
        phone: PhoneNumber::from_e164(&format!("+{digits}")).ok()?,
        can_send: text("status") == Some(CAN_SEND),
        health: health(row),
    })
}

/// Parses the health of a row's number, as far as it can be read.
fn health(row: &Value) -> NumberHealth {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let shown = |name: &str| -> Option<String> {
        let shown: String = text(name)?.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        Some(shown).filter(|shown| !shown.is_empty())
    };
    let state = match text("status").unwrap_or_default() {
        "CONNECTED" | "LINKED" => NumberState::Connected,
        "DISCONNECTED" | "UNLINKED" | "OFFLINE" => NumberState::Disconnected,
        other => NumberState::read(&other.to_ascii_lowercase()).unwrap_or(NumberState::Unknown),
    };
    let quality = text("quality_rating").map(str::to_ascii_lowercase);
    NumberHealth {
        state,
        quality: quality.and_then(|name| Quality::read(&name)).unwrap_or(Quality::Unknown),
        name: shown("verified_name"),
        name_state: shown("name_status"),
        messaging_limit: shown("whatsapp_business_manager_messaging_limit")
            .or_else(|| shown("messaging_limit_tier")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use domain::channels::{NumberHealth, NumberState, Quality};

    use super::listed;

    fn row(id: &str, number: &str, status: &Value) -> Value {
        json!({ "id": id, "display_phone_number": number, "status": status, "quality_rating": "NA" })
    }

    #[test]
    fn a_number_is_read_in_any_spelling() {
        for written in
            ["+964 770 000 0000", "964-770-000-0000", "9647700000000", "\u{202a}+964 (770) 0000000\u{202c}"]
        {
            let number = listed(&row("1", written, &json!("CONNECTED"))).unwrap();
            assert_eq!((number.phone.as_str(), number.network_id.as_str()), ("+9647700000000", "1"));
        }
    }

    #[test]
    fn only_a_connected_number_can_send() {
        for (status, can_send) in [
            (json!("CONNECTED"), true),
            (json!("PENDING"), false),
            (json!("BANNED"), false),
            (json!("A_NEW_ONE"), false),
            (Value::Null, false),
        ] {
            assert_eq!(listed(&row("1", "+9647700000000", &status)).unwrap().can_send, can_send, "{status}");
        }
    }

    #[test]
    fn how_a_number_stands_is_read_as_far_as_it_can_be() {
        let whole = json!({
            "id": "1", "display_phone_number": "+9647700000000", "status": "BANNED", "quality_rating": "RED",
            "verified_name": "Palm\u{0} Store", "name_status": "APPROVED", "messaging_limit_tier": "TIER_1K",
        });
        let health = listed(&whole).unwrap().health;
        assert_eq!((health.state, health.quality), (NumberState::Banned, Quality::Red));
        assert_eq!(health.name.as_deref(), Some("Palm Store"));
        assert_eq!(health.name_state.as_deref(), Some("APPROVED"));
        assert_eq!(health.messaging_limit.as_deref(), Some("TIER_1K"));
        for (status, state) in [
            ("CONNECTED", NumberState::Connected),
            ("RATE_LIMITED", NumberState::RateLimited),
            ("OFFLINE", NumberState::Disconnected),
            ("SOMETHING_NEW", NumberState::Unknown),
        ] {
            let health = listed(&row("1", "+9647700000000", &json!(status))).unwrap().health;
            assert_eq!((health.state, health.quality), (state, Quality::Unknown), "{status}");
        }
        let odd =
            json!({ "id": "1", "display_phone_number": "+9647700000000", "status": 7, "verified_name": [] });
        assert_eq!(listed(&odd).unwrap().health, NumberHealth::default());
    }

    #[test]
    fn a_row_without_id_or_number_is_left_out() {
        for bad in [
            row("", "+9647700000000", &Value::Null),
            row("1", "n/a", &Value::Null),
            row("1", "", &Value::Null),
            json!({ "id": 1, "display_phone_number": "+9647700000000" }),
            json!({ "id": "1" }),
            json!(7),
        ] {
            assert_eq!(listed(&bad), None, "{bad}");
        }
    }
}
