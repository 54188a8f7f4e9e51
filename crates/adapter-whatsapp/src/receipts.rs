//! Marking messages read (docs/run/networks.md, "Sending over WhatsApp").

use domain::{channels::ports::NetworkError, messages::NetworkMessageId};
use secrecy::SecretString;
use serde_json::json;

use crate::{WhatsAppNetwork, failure};

impl WhatsAppNetwork {
    /// Marks this message, and all before it, as read for the customer.
    pub async fn mark_read(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &NetworkMessageId,
    ) -> Result<(), NetworkError> {
        let body =
            json!({ "messaging_product": "whatsapp", "status": "read", "message_id": message.reveal() });
        let path = format!("{from_network_id}/messages");
        let answer = self.graph.post_json(&path, &body, token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}
