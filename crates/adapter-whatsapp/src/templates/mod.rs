//! The templates of an account.

mod components;
mod row;

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    channels::{Account, ports::NetworkError},
    templates::{Template, ports::NetworkTemplates},
};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{WhatsAppNetwork, failure};

/// What is read of each template.
const FIELDS: &str = "id,name,language,status,category,components,message_send_ttl_seconds,rejected_reason";
/// Templates on a page, as the network's clients use it.
const PAGE: &str = "100";

#[async_trait]
impl NetworkTemplates for WhatsAppNetwork {
    async fn templates(&self, account: &Account) -> Result<Vec<Template>, NetworkError> {
        let path = format!("{}/message_templates", account.network_id);
        let query = [("fields", FIELDS), ("limit", PAGE)];
        let rows = self.graph.get_all(&path, &query, &account.token).await.map_err(failure::of_question)?;
        Ok(listed(&rows, account))
    }

    async fn set_validity(
        &self,
        token: &SecretString,
        template_network_id: &str,
        seconds: i64,
    ) -> Result<(), NetworkError> {
        let change = json!({ "message_send_ttl_seconds": seconds });
        let answer =
            self.graph.post_json(template_network_id, &change, token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }
}

/// The templates of all rows. A row that moved from page to page while they were read counts once.
fn listed(rows: &[Value], account: &Account) -> Vec<Template> {
    let mut known = BTreeSet::new();
    let templates = rows.iter().filter_map(|row| row::read(row, account));
    templates.filter(|template| known.insert(template.network_id.clone())).collect()
}
