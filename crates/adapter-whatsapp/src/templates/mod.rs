//! The templates of an account.

mod components;
mod fields;
mod row;
mod written;

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    channels::{Account, ports::NetworkError},
    templates::{
        Template,
        ports::{NetworkTemplates, Sample, WrittenTemplate},
    },
};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{WhatsAppNetwork, failure};

/// Fields requested of each template.
const FIELDS: &str = "id,name,language,status,category,components,message_send_ttl_seconds,rejected_reason";
/// Templates per page, as the network's clients use it.
const PAGE: &str = "100";

#[async_trait]
impl NetworkTemplates for WhatsAppNetwork {
    async fn templates(&self, account: &Account) -> Result<Vec<Template>, NetworkError> {
        let path = format!("{}/message_templates", account.network_id);
        let query = [("fields", FIELDS), ("limit", PAGE)];
        let rows = self.graph.get_all(&path, &query, &account.token).await.map_err(failure::of_question)?;
        Ok(listed(&rows, account))
    }

    async fn create(&self, account: &Account, template: &WrittenTemplate) -> Result<String, NetworkError> {
        let path = format!("{}/message_templates", account.network_id);
        let answer: Value = self
            .graph
            .post_json(&path, &written::new(template), &account.token)
            .await
            .map_err(failure::of_question)?;
        let id = answer.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let unnamed = || NetworkError::Unavailable("the answer names no template".to_owned());
        id.map(str::to_owned).ok_or_else(unnamed)
    }

    async fn edit(
        &self,
        account: &Account,
        template_network_id: &str,
        template: &WrittenTemplate,
        keeps_category: bool,
    ) -> Result<(), NetworkError> {
        let change = json!({ "components": written::components(template) });
        let mut change = written::with_validity(&template.draft, change);
        if let Some(fields) = change.as_object_mut().filter(|_| !keeps_category) {
            fields.insert("category".to_owned(), json!(template.draft.category.as_str()));
        }
        let answer = self.graph.post_json(template_network_id, &change, &account.token).await;
        failure::confirmed(&answer.map_err(failure::of_question)?)
    }

    async fn delete(
        &self,
        account: &Account,
        name: &str,
        template_network_id: &str,
    ) -> Result<(), NetworkError> {
        let path = format!("{}/message_templates", account.network_id);
        let query = [("name", name), ("hsm_id", template_network_id)];
        let answer = self.graph.delete(&path, &query, &account.token).await.map_err(failure::of_question)?;
        failure::confirmed(&answer)
    }

    async fn upload_sample(&self, account: &Account, sample: &Sample) -> Result<String, NetworkError> {
        self.give_sample(&account.token, sample).await
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

/// Parses the templates of all rows. A row that moved between pages while they were loaded counts once.
fn listed(rows: &[Value], account: &Account) -> Vec<Template> {
    let mut known = BTreeSet::new();
    let templates = rows.iter().filter_map(|row| row::read(row, account));
    templates.filter(|template| known.insert(template.network_id.clone())).collect()
}
