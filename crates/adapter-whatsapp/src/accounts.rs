//! The numbers of an account, and the subscription to its updates (Graph API reference, C).

use async_trait::async_trait;
use domain::{
    channels::{
        ListedNumber,
        ports::{NetworkAccounts, NetworkError},
    },
    phone::PhoneNumber,
};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{WhatsAppNetwork, failure};

/// What is read of each number. The status is among the answers only when it is asked for.
const FIELDS: &str = "id,display_phone_number,status";
/// Numbers on a page: the most that the network gives.
const PAGE: &str = "100";
/// The only status in which a number can send.
const CAN_SEND: &str = "CONNECTED";

#[async_trait]
impl NetworkAccounts for WhatsAppNetwork {
    async fn numbers(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Vec<ListedNumber>, NetworkError> {
        let path = format!("{network_id}/phone_numbers");
        let query = [("fields", FIELDS), ("limit", PAGE)];
        let rows: Vec<Value> =
            self.graph.get_all(&path, &query, token).await.map_err(failure::of_question)?;
        Ok(rows.iter().filter_map(listed).collect())
    }

    async fn subscribe(&self, network_id: &str, token: &SecretString) -> Result<(), NetworkError> {
        let path = format!("{network_id}/subscribed_apps");
        let answer = self.graph.post_json(&path, &json!({}), token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}

/// The number of a row, which the network writes with spaces and dashes.
fn listed(row: &Value) -> Option<ListedNumber> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let digits: String = text("display_phone_number")?.chars().filter(char::is_ascii_digit).collect();
    Some(ListedNumber {
        network_id: text("id").filter(|id| !id.is_empty() && !id.contains(char::is_control))?.to_owned(),
        phone: PhoneNumber::from_e164(&format!("+{digits}")).ok()?,
        can_send: text("status") == Some(CAN_SEND),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
