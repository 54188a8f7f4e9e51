//! A template as a row.

use std::collections::{HashMap, HashSet};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, Queryable, Selectable, SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
    templates::{ListedTemplate, Template, TemplateContent, TemplateStatus, VariableLabels},
};
use serde_json::Value;

use crate::{
    error::{failed, unreadable},
    schema::{accounts, templates},
    sql::{Json, RunQueryDsl},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = templates)]
pub(super) struct Row {
    account_id: uuid::Uuid,
    network_id: String,
    name: String,
    language: String,
    category: String,
    status: String,
    rejection_reason: Option<String>,
    content: Json<TemplateContent>,
    send_ttl_seconds: Option<i64>,
    validity_problem: Option<String>,
    labels: Json<VariableLabels>,
}

/// A template as read from the network; labels are the workspace's own.
pub(super) struct ReadTemplate<'a> {
    pub(super) template: &'a Template,
    pub(super) content: Value,
}

/// Lists templates with the network ids of their accounts and the numbers that can send them, ordered by
/// name, language and account. Names are compared byte by byte.
pub(super) fn listed(
    mut rows: Vec<(Row, String)>,
    numbers: Vec<(uuid::Uuid, Option<String>)>,
) -> Result<Vec<ListedTemplate>, StoreError> {
    let mut by_account: HashMap<_, Vec<PhoneNumber>> = HashMap::new();
    for (account, phone) in numbers {
        let Some(phone) = phone else { continue };
        let phone = PhoneNumber::from_e164(&phone).map_err(|_| unreadable("phone number"))?;
        by_account.entry(account).or_default().push(phone);
    }
    let place = |row: &Row| (row.name.clone(), row.language.clone(), row.account_id);
    rows.sort_by_cached_key(|(row, _)| place(row));
    let read = |(row, account_network_id): (Row, String)| {
        let numbers = by_account.get(&row.account_id).cloned().unwrap_or_default();
        Ok(ListedTemplate { template: row.read(account_network_id)?, numbers })
    };
    rows.into_iter().map(read).collect()
}

pub(crate) async fn named(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    name: &str,
) -> Result<Vec<Template>, StoreError> {
    let account = accounts::workspace_id.eq(workspace.uuid()).and(accounts::id.eq(templates::account_id));
    let rows: Vec<(Row, String)> = templates::table
        .inner_join(accounts::table.on(account))
        .filter(templates::workspace_id.eq(workspace.uuid()))
        .filter(templates::name.eq(name))
        .order((templates::language, templates::account_id))
        .select((Row::as_select(), accounts::network_id))
        .load(&mut connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(|(row, account_network_id)| row.read(account_network_id)).collect()
}

/// Serializes templates, keeping only the first of each name and language.
pub(super) fn read_templates(templates: &[Template]) -> Result<Vec<ReadTemplate<'_>>, StoreError> {
    let mut seen = HashSet::new();
    let first = templates.iter().filter(|template| seen.insert((&template.name, &template.language)));
    first
        .map(|template| {
            let content = serde_json::to_value(&template.content);
            let content = content.map_err(|error| StoreError::Internal(error.to_string()))?;
            Ok(ReadTemplate { template, content })
        })
        .collect()
}

impl Row {
    fn read(self, account_network_id: String) -> Result<Template, StoreError> {
        Ok(Template {
            account: self.account_id.into(),
            account_network_id,
            network_id: self.network_id,
            name: self.name,
            language: self.language,
            category: self.category,
            status: TemplateStatus::read(&self.status).ok_or_else(|| unreadable("template status"))?,
            rejection_reason: self.rejection_reason,
            content: self.content.0,
            labels: self.labels.0,
            send_ttl_seconds: self.send_ttl_seconds,
            validity_problem: self.validity_problem,
        })
    }
}
