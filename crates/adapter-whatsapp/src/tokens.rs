//! Kind and permissions of a token (docs/run/networks.md, "Numbers, subscriptions and tokens").

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::channels::{
    TokenFacts,
    ports::{NetworkError, NetworkTokens},
};
use graph_client::webhook;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{WhatsAppNetwork, failure};

/// Code of the network for a token that it refuses.
const TOKEN_REFUSED: i64 = 190;
/// Permissions of a token that are granted for single business accounts.
const OF_ACCOUNTS: [&str; 2] = ["whatsapp_business_management", "whatsapp_business_messaging"];

#[async_trait]
impl NetworkTokens for WhatsAppNetwork {
    async fn describe(&self, token: &SecretString) -> Result<TokenFacts, NetworkError> {
        let query = [("input_token", token.expose_secret())];
        // An app may ask about all its tokens; without an app, a token about itself.
        let asking = self.app_token.as_ref().unwrap_or(token);
        let answer: Value =
            self.graph.get("debug_token", &query, asking).await.map_err(failure::of_question)?;
        facts(answer.get("data").unwrap_or(&Value::Null))
    }

    async fn account_name(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Option<String>, NetworkError> {
        let row: Value = self
            .graph
            .get(network_id, &[("fields", "id,name")], token)
            .await
            .map_err(failure::of_question)?;
        Ok(webhook::text(row.get("name")))
    }
}

fn facts(data: &Value) -> Result<TokenFacts, NetworkError> {
    if data.get("is_valid").and_then(Value::as_bool) != Some(true) {
        let error = data.get("error");
        let code = error.and_then(|error| error.get("code")).and_then(Value::as_i64);
        let message = webhook::text(error.and_then(|error| error.get("message")));
        return Err(NetworkError::Refused {
            code: code.unwrap_or(TOKEN_REFUSED),
            message: message.unwrap_or_else(|| "the token opens nothing".to_owned()),
        });
    }
    let list = |name: &str| data.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut facts = TokenFacts {
        expires_at: data
            .get("expires_at")
            .and_then(Value::as_i64)
            .filter(|at| *at > 0)
            .and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok()),
        permissions: list("scopes").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        accounts: Vec::new(),
        of_page: data.get("type").and_then(Value::as_str) == Some("PAGE"),
    };
    let mut accounts = BTreeSet::new();
    for granted in list("granular_scopes") {
        let Some(scope) = granted.get("scope").and_then(Value::as_str) else { continue };
        facts.permissions.insert(scope.to_owned());
        if OF_ACCOUNTS.contains(&scope) {
            let targets = granted.get("target_ids").and_then(Value::as_array);
            accounts.extend(targets.into_iter().flatten().filter_map(|id| webhook::network_id(Some(id))));
        }
    }
    facts.accounts = accounts.into_iter().collect();
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use domain::channels::ports::NetworkError;
    use serde_json::json;

    use super::facts;

    #[test]
    fn what_a_token_is_given_for_is_read_from_its_granular_permissions() {
        let read = facts(&json!({
            "is_valid": true, "type": "SYSTEM_USER", "expires_at": 0, "scopes": ["pages_messaging", 7],
            "granular_scopes": [
                { "scope": "whatsapp_business_management", "target_ids": ["2", "1"] },
                { "scope": "whatsapp_business_messaging", "target_ids": ["2"] },
                { "scope": "pages_messaging", "target_ids": ["9"] },
                { "scope": "instagram_basic" },
                { "target_ids": ["3"] },
                "odd",
            ],
        }))
        .unwrap();
        assert_eq!(
            (read.accounts, read.expires_at, read.of_page),
            (vec!["1".to_owned(), "2".to_owned()], None, false)
        );
        assert!(read.permissions.contains("instagram_basic") && read.permissions.contains("pages_messaging"));
        let read = facts(&json!({ "is_valid": true, "type": "PAGE", "expires_at": 1_763_000_000 })).unwrap();
        assert_eq!(
            (read.of_page, read.expires_at.map(time::OffsetDateTime::unix_timestamp)),
            (true, Some(1_763_000_000))
        );
    }

    #[test]
    fn a_token_that_opens_nothing_is_refused_in_the_networks_words_where_it_has_some() {
        for (data, wanted) in [
            (json!({ "is_valid": false, "error": { "code": 463, "message": "expired" } }), (463, "expired")),
            (json!({ "is_valid": false }), (190, "the token opens nothing")),
            (json!(null), (190, "the token opens nothing")),
        ] {
            let Err(NetworkError::Refused { code, message }) = facts(&data) else { panic!("{data}") };
            assert_eq!((code, &*message), wanted);
        }
    }
}
