//! Marking what a person wrote as seen (Graph API reference, F.1).

use domain::{channels::ports::NetworkError, conversations::PersonId};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{PageNetwork, failure};

impl PageNetwork {
    /// The person sees that all they wrote was read.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub async fn mark_seen(
        &self,
        from_network_id: &str,
        token: &SecretString,
        person: &PersonId,
    ) -> Result<(), NetworkError> {
        let body = json!({ "recipient": { "id": person.reveal() }, "sender_action": "mark_seen" });
        let path = format!("{from_network_id}/messages");
        let answer: Result<Value, _> = self.graph.post_json(&path, &body, token).await;
        answer.map(drop).map_err(failure::of_question)
    }
}
