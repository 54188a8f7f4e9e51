//! Marking a person's messages as seen, and showing that somebody is typing (docs/run/networks.md, "Sending
//! over a page" and "Typing").

use domain::{channels::ports::NetworkError, conversations::PersonId};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{PageNetwork, failure};

/// Path of the call; the token tells whose person it is. With its page's token an Instagram account has no
/// path of its own, as for sends.
const PATH: &str = "me/messages";

impl PageNetwork {
    /// Marks everything that the person wrote as seen.
    pub async fn mark_seen(&self, token: &SecretString, person: &PersonId) -> Result<(), NetworkError> {
        self.act(token, person, "mark_seen").await
    }

    /// Shows the person that somebody is typing, for some twenty seconds or until the next message.
    pub async fn show_typing(&self, token: &SecretString, person: &PersonId) -> Result<(), NetworkError> {
        self.act(token, person, "typing_on").await
    }

    async fn act(&self, token: &SecretString, person: &PersonId, action: &str) -> Result<(), NetworkError> {
        let body = json!({ "recipient": { "id": person.reveal() }, "sender_action": action });
        let answer: Result<Value, _> = self.graph.post_json(PATH, &body, token).await;
        answer.map(drop).map_err(failure::of_question)
    }
}
