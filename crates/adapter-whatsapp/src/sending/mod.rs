//! Sending of filled templates, plain texts and files.

mod payload;
mod upload;

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    attachments::StoredAttachment,
    messages::NetworkMessageId,
    phone::PhoneNumber,
    sending::{
        FileMessage, PhotoMessage, Priority, Recipient, TemplateMessage, TextMessage, UploadedFile,
        ports::{AcceptedMessage, MessagingNetwork, SendFailure},
    },
};
use graph_client::{HeldBack, Rate};
use secrecy::SecretString;
use serde_json::Value;

use crate::{WhatsAppNetwork, failure};

/// Rate of one number's messages to one person (docs/run/networks.md, "Rates").
const PAIR: Rate = Rate { interval: Duration::from_secs(6), burst: 45 };

#[async_trait]
impl MessagingNetwork for WhatsAppNetwork {
    async fn send_template(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TemplateMessage,
    ) -> Result<AcceptedMessage, SendFailure> {
        self.turn(from_network_id, message.to.digits(), message.priority).await?;
        self.ask(from_network_id, token, &payload::payload(message), message.to.digits()).await
    }

    async fn send_text(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TextMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.post(from_network_id, token, &payload::text(message), name(&message.to)).await
    }

    /// The network does nothing with the file until a message names it.
    async fn upload_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure> {
        self.upload(from_network_id, token, to, file).await.map(Some)
    }

    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.post(from_network_id, token, &payload::file(message), name(&message.to)).await
    }

    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.post(from_network_id, token, &payload::photo(message), name(&message.to)).await
    }
}

/// Returns the network's name of a recipient: a number has no plus sign there. Templates and replies to one
/// person share a pace by it.
fn name(to: &Recipient) -> &str {
    match to {
        Recipient::Phone(phone) => phone.digits(),
        Recipient::User(user) => user.value(),
    }
}

impl WhatsAppNetwork {
    async fn post(
        &self,
        from_network_id: &str,
        token: &SecretString,
        body: &Value,
        to: &str,
    ) -> Result<NetworkMessageId, SendFailure> {
        self.turn(from_network_id, to, Priority::Ordinary).await?;
        Ok(self.ask(from_network_id, token, body, to).await?.network_id)
    }

    /// Waits for the number's turn, and for that of the number and the person.
    async fn turn(&self, from_network_id: &str, to: &str, priority: Priority) -> Result<(), SendFailure> {
        let pair = format!("{from_network_id} {to}");
        let names = [(from_network_id, self.number_rate), (pair.as_str(), PAIR)];
        let turn = match priority {
            Priority::Ordinary => self.pace.turn(&names).await,
            Priority::Broadcast if self.shares_numbers => {
                let ([number, pair], broadcasts) = (names, format!("{from_network_id} broadcasts"));
                self.pace.spare_turn(&[number, pair, (broadcasts.as_str(), half(self.number_rate))]).await
            }
            Priority::Broadcast => self.pace.spare_turn(&names).await,
        };
        turn.map_err(|HeldBack { wait }| SendFailure::HeldBack { retry_after: wait })
    }

    async fn ask(
        &self,
        from_network_id: &str,
        token: &SecretString,
        body: &Value,
        to: &str,
    ) -> Result<AcceptedMessage, SendFailure> {
        let path = format!("{from_network_id}/messages");
        let answer = self.graph.post_json(&path, body, token).await;
        let answer: Value = answer.map_err(|error| failure::of_send(error, to))?;
        accepted(&answer).ok_or_else(|| {
            let reason = "the network accepted, but its answer names no message".to_owned();
            SendFailure::Unknown { reason }
        })
    }
}

fn half(rate: Rate) -> Rate {
    Rate { interval: rate.interval * 2, burst: rate.burst.div_ceil(2) }
}

/// Parses the id in the answer to an accepted send, and the network's name of the recipient
/// (docs/run/networks.md, "Sending over WhatsApp").
fn accepted(answer: &Value) -> Option<AcceptedMessage> {
    let id = answer.get("messages")?.get(0)?.get("id")?.as_str()?;
    let formed = !id.is_empty() && !id.contains(char::is_control);
    let called = answer.pointer("/contacts/0/wa_id").and_then(Value::as_str);
    let called =
        called.and_then(|id| PhoneNumber::from_e164(&format!("+{}", id.trim_start_matches('+'))).ok());
    formed.then(|| AcceptedMessage { network_id: NetworkMessageId::from(id.to_owned()), called })
}

#[cfg(test)]
mod tests {
    use graph_client::Rate;
    use serde_json::json;

    use super::{accepted, half};

    #[test]
    fn half_of_a_rate_is_half_as_many_a_second() {
        for (whole, wanted) in [(80, 40), (1_000, 500), (2, 1)] {
            assert_eq!(half(Rate::per_second(whole)), Rate::per_second(wanted), "{whole}");
        }
        assert_eq!(half(Rate::per_second(1)).burst, 1);
    }

    #[test]
    fn the_id_is_that_of_the_first_message() {
        for status in ["accepted", "held_for_quality_assessment", "paused"] {
            let answer = json!({ "messaging_product": "whatsapp",
                "contacts": [{ "input": "+9647701234567", "wa_id": "9647701234567" }],
                "messages": [{ "id": "wamid.HBgM+/=", "message_status": status }] });
            let accepted = accepted(&answer).unwrap();
            assert_eq!(accepted.network_id.reveal(), "wamid.HBgM+/=");
            assert_eq!(accepted.called.unwrap().as_str(), "+9647701234567");
        }
    }

    #[test]
    fn whoever_is_called_by_no_number_has_none() {
        for contacts in
            [json!([{ "input": "IQ.1", "user_id": "IQ.1" }]), json!([{ "wa_id": "IQ.1" }]), json!([])]
        {
            let answer = json!({ "contacts": contacts, "messages": [{ "id": "wamid.A" }] });
            assert_eq!(accepted(&answer).unwrap().called, None, "{answer}");
        }
    }

    #[test]
    fn an_answer_without_an_id_has_none() {
        for answer in [
            json!({}),
            json!([]),
            json!("ok"),
            json!({ "messages": [] }),
            json!({ "messages": [{}] }),
            json!({ "messages": [{ "id": "" }] }),
            json!({ "messages": [{ "id": 5 }] }),
            json!({ "messages": { "id": "wamid.A" } }),
        ] {
            assert_eq!(accepted(&answer), None, "{answer}");
        }
    }
}
