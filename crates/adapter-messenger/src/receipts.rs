//! Marking what a person wrote as seen (docs/run/networks.md, "Sending over a page").

use domain::{channels::ports::NetworkError, conversations::PersonId};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{PageNetwork, failure};

/// Whose person it is, the token says: with that of its page an Instagram account has no path of its own, as for sends.
const PATH: &str = "me/messages";

impl PageNetwork {
    /// The person sees that all they wrote was read.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub async fn mark_seen(&self, token: &SecretString, person: &PersonId) -> Result<(), NetworkError> {
        let body = json!({ "recipient": { "id": person.reveal() }, "sender_action": "mark_seen" });
        let answer: Result<Value, _> = self.graph.post_json(PATH, &body, token).await;
        answer.map(drop).map_err(failure::of_question)
    }
}
