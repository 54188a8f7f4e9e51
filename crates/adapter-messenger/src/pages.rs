//! The page behind a token, and the subscription to its updates (docs/run/networks.md, "Numbers,
//! subscriptions and tokens").

use async_trait::async_trait;
use domain::channels::ports::{ListedPage, NetworkError, NetworkPages, OwnedPage};
use graph_client::webhook;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{PageNetwork, failure};

/// Fields requested of a page.
const FIELDS: &str = "id,name,instagram_business_account";
/// Fields requested of each page of a person's.
const OWNED_FIELDS: &str = "id,name,access_token,instagram_business_account{id,username}";
/// Facebook pages per page of the list.
const PAGE: &str = "100";
/// Fields subscribed to for a page. Instagram's updates come by the app's own settings once the page is
/// subscribed.
pub(crate) const SUBSCRIBED: &str = "messages,messaging_postbacks,message_deliveries,message_reads,message_echoes,\
                          message_reactions,message_edits,messaging_optins,messaging_referrals,standby";
/// Fields subscribed to for Instagram accounts, by the app's own settings.
const SUBSCRIBED_INSTAGRAM: [&str; 7] = [
    "messages",
    "messaging_postbacks",
    "messaging_seen",
    "message_reactions",
    "message_edit",
    "messaging_referral",
    "standby",
];

/// Lists the fields that an app subscribes to for Instagram accounts, once for all of them.
pub fn instagram_fields() -> impl Iterator<Item = &'static str> {
    SUBSCRIBED_INSTAGRAM.into_iter()
}

#[async_trait]
impl NetworkPages for PageNetwork {
    async fn page(&self, token: &SecretString) -> Result<ListedPage, NetworkError> {
        let row: Value =
            self.graph.get("me", &[("fields", FIELDS)], token).await.map_err(failure::of_question)?;
        listed(&row).ok_or_else(|| NetworkError::Unavailable("the answer names no page".to_owned()))
    }

    async fn pages(&self, token: &SecretString) -> Result<Vec<OwnedPage>, NetworkError> {
        let query = [("fields", OWNED_FIELDS), ("limit", PAGE)];
        let rows: Result<Vec<Value>, _> = self.graph.get_all("me/accounts", &query, token).await;
        Ok(rows.map_err(failure::of_question)?.iter().filter_map(owned).collect())
    }

    async fn subscribe_page(&self, page_id: &str, token: &SecretString) -> Result<(), NetworkError> {
        let path = format!("{page_id}/subscribed_apps");
        let body = json!({ "subscribed_fields": SUBSCRIBED });
        let answer = self.graph.post_json(&path, &body, token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}

/// Parses a page; one that the person may not act for has no token, and is left out.
fn owned(row: &Value) -> Option<OwnedPage> {
    let token = row.get("access_token").and_then(Value::as_str).filter(|token| !token.is_empty())?;
    let instagram = row.get("instagram_business_account").and_then(|account| account.get("username"));
    Some(OwnedPage {
        page: listed(row)?,
        instagram_name: webhook::text(instagram),
        token: SecretString::from(token),
    })
}

fn listed(row: &Value) -> Option<ListedPage> {
    let instagram = row.get("instagram_business_account").and_then(|account| account.get("id"));
    Some(ListedPage {
        network_id: webhook::network_id(row.get("id"))?,
        name: webhook::text(row.get("name")),
        instagram_network_id: webhook::network_id(instagram),
    })
}
