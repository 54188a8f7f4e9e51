//! Marking messages read, and showing that somebody is typing (docs/run/networks.md, "Sending over
//! WhatsApp").

use domain::{channels::ports::NetworkError, messages::NetworkMessageId};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{WhatsAppNetwork, failure};

impl WhatsAppNetwork {
    /// Marks this message, and all before it, as read for the customer.
    pub async fn mark_read(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &NetworkMessageId,
    ) -> Result<(), NetworkError> {
        self.mark(from_network_id, token, json!({ "message_id": message.reveal() })).await
    }

    /// Shows the customer that somebody is typing, for 25 seconds or until the next message, and marks this
    /// message and all before it as read.
    pub async fn show_typing(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &NetworkMessageId,
    ) -> Result<(), NetworkError> {
        let typing = json!({ "message_id": message.reveal(), "typing_indicator": { "type": "text" } });
        self.mark(from_network_id, token, typing).await
    }

    async fn mark(
        &self,
        from_network_id: &str,
        token: &SecretString,
        mut body: Value,
    ) -> Result<(), NetworkError> {
        if let Value::Object(fields) = &mut body {
            fields.insert("messaging_product".to_owned(), "whatsapp".into());
            fields.insert("status".to_owned(), "read".into());
        }
        let path = format!("{from_network_id}/messages");
        let answer = self.graph.post_json(&path, &body, token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}
