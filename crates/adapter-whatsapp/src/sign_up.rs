//! Exchange of a code of the network's own sign-up for a token.

use async_trait::async_trait;
use domain::channels::ports::{NetworkError, NetworkSignUp};
use graph_client::GraphClient;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::failure;

/// Exchanges codes in the name of an app.
pub struct CodeExchange {
    /// The network.
    pub graph: GraphClient,
    /// Id of the app.
    pub app_id: u64,
    /// Secret of the app.
    pub app_secret: SecretString,
}

#[async_trait]
impl NetworkSignUp for CodeExchange {
    async fn exchange(&self, code: &SecretString, back: &Url) -> Result<SecretString, NetworkError> {
        let app_id = self.app_id.to_string();
        let query = [
            ("client_id", app_id.as_str()),
            ("client_secret", self.app_secret.expose_secret()),
            ("redirect_uri", back.as_str()),
            ("code", code.expose_secret()),
        ];
        let answer: Result<Value, _> = self.graph.get_without_token("oauth/access_token", &query).await;
        let answer = answer.map_err(failure::of_question)?;
        let token = answer.get("access_token").and_then(Value::as_str).filter(|token| !token.is_empty());
        let missing = || NetworkError::Unavailable("the answer has no token".to_owned());
        token.map(SecretString::from).ok_or_else(missing)
    }
}

/// Implementation for services without an app, which exchanges nothing.
pub struct NoExchange;

#[async_trait]
impl NetworkSignUp for NoExchange {
    async fn exchange(&self, _: &SecretString, _: &Url) -> Result<SecretString, NetworkError> {
        Err(NetworkError::Unavailable("the app's id is not set".to_owned()))
    }
}
