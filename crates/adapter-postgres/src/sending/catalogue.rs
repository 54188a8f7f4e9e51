//! What planning a send needs, in one round trip.

use std::{collections::HashMap, sync::Arc};

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::Number,
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    sending::Catalogue,
    templates::{Template, TemplateContent, TemplateStatus, VariableLabels},
};
use serde::Deserialize;
use time::OffsetDateTime;

use super::ledger::read_phone;
use crate::{
    PgStore,
    batches::same_for_all,
    error::{failed, unreadable},
    sql::{Bind, sql},
    workspaces::WorkspaceRow,
};

/// Each table is read once; accounts are joined with their numbers and templates by whoever reads the row.
pub(super) const CATALOGUE: &str = "
    SELECT workspace.name, workspace.locale, workspace.region, workspace.active_customer_limit,
           workspace.paused, account.*, number.*,
           (SELECT coalesce(json_agg(json_build_object(
                'account', template.account_id, 'network_id', template.network_id, 'name', template.name,
                'language', template.language, 'category', template.category,
                'status', template.status, 'rejection_reason', template.rejection_reason,
                'content', template.content, 'send_ttl_seconds', template.send_ttl_seconds,
                'validity_problem', template.validity_problem, 'labels', template.labels)
                ORDER BY template.language, template.account_id), '[]')
            FROM templates template
            WHERE template.workspace_id = $1 AND template.name = $2)::text AS templates
    FROM workspaces workspace
    CROSS JOIN LATERAL (
        SELECT array_agg(id) AS account_ids, array_agg(network_id) AS account_network_ids
        FROM accounts WHERE workspace_id = $1
    ) account
    CROSS JOIN LATERAL (
        SELECT array_agg(id) AS ids, array_agg(account_id) AS accounts, array_agg(network_id) AS network_ids,
               array_agg(phone) AS phones, array_agg(send_only) AS send_only,
               array_agg(connected_at) AS connected_at
        FROM (
            SELECT * FROM channels
            WHERE workspace_id = $1 AND kind = 'whatsapp' AND disconnected_at IS NULL AND phone IS NOT NULL
            ORDER BY connected_at, position, id
        ) connected
    ) number
    WHERE workspace.workspace_id = $1";

/// What a table without a row gives is NULL.
#[derive(QueryableByName)]
struct CatalogueRow {
    #[diesel(embed)]
    workspace: WorkspaceRow,
    #[diesel(sql_type = Nullable<Array<Uuid>>)]
    account_ids: Option<Vec<uuid::Uuid>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    account_network_ids: Option<Vec<String>>,
    #[diesel(embed)]
    numbers: NumbersRow,
    #[diesel(sql_type = Text)]
    templates: String,
}

#[derive(QueryableByName)]
struct NumbersRow {
    #[diesel(sql_type = Nullable<Array<Uuid>>)]
    ids: Option<Vec<uuid::Uuid>>,
    #[diesel(sql_type = Nullable<Array<Uuid>>)]
    accounts: Option<Vec<uuid::Uuid>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    network_ids: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    phones: Option<Vec<String>>,
    #[diesel(sql_type = Nullable<Array<Bool>>)]
    send_only: Option<Vec<bool>>,
    #[diesel(sql_type = Nullable<Array<Timestamptz>>)]
    connected_at: Option<Vec<OffsetDateTime>>,
}

#[derive(Deserialize)]
struct TemplateItem {
    account: AccountId,
    network_id: String,
    name: String,
    language: String,
    category: String,
    status: String,
    rejection_reason: Option<String>,
    content: TemplateContent,
    send_ttl_seconds: Option<i64>,
    validity_problem: Option<String>,
    labels: VariableLabels,
}

/// Accounts' ids at the network.
type Accounts = HashMap<AccountId, String>;

impl PgStore {
    pub(super) async fn read_catalogue(
        &self,
        workspace: WorkspaceId,
        template: &str,
    ) -> Result<Catalogue, StoreError> {
        let (store, name) = (self.clone(), template.to_owned());
        let run = move |calls: Vec<()>| {
            let (store, name) = (store.clone(), name.clone());
            async move {
                let catalogue = Arc::new(store.read_catalogue_alone(workspace, &name).await?);
                Ok(same_for_all(&calls, &catalogue))
            }
        };
        let catalogue = self.batches.catalogue.call((workspace, template.to_owned()), (), run).await?;
        Ok(Arc::unwrap_or_clone(catalogue))
    }

    async fn read_catalogue_alone(
        &self,
        workspace: WorkspaceId,
        template: &str,
    ) -> Result<Catalogue, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<CatalogueRow> = sql(CATALOGUE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(template)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        let row = row.ok_or_else(|| StoreError::Internal("there is no such workspace".to_owned()))?;
        let ids = row.account_ids.unwrap_or_default().into_iter().map(AccountId::from);
        let accounts: Accounts = ids.zip(row.account_network_ids.unwrap_or_default()).collect();
        let templates: Vec<TemplateItem> =
            serde_json::from_str(&row.templates).map_err(|_| unreadable("template"))?;
        let template = |item: TemplateItem| item.read(&accounts).ok_or_else(|| unreadable("template"));
        Ok(Catalogue {
            workspace: row.workspace.read(workspace)?,
            numbers: row.numbers.read(&accounts)?,
            templates: templates.into_iter().map(template).collect::<Result<_, _>>()?,
        })
    }
}

impl NumbersRow {
    fn read(self, accounts: &Accounts) -> Result<Vec<Number>, StoreError> {
        let ids = self.ids.unwrap_or_default().into_iter().map(ChannelId::from);
        let accounts_of = self.accounts.unwrap_or_default().into_iter().map(AccountId::from);
        let names = self.network_ids.unwrap_or_default().into_iter().zip(self.phones.unwrap_or_default());
        let rest = self.send_only.unwrap_or_default().into_iter().zip(self.connected_at.unwrap_or_default());
        ids.zip(accounts_of)
            .zip(names.zip(rest))
            .map(|((id, account), ((network_id, phone), (send_only, connected_at)))| {
                let account_network_id = accounts.get(&account).ok_or_else(|| unreadable("account"))?;
                Ok(Number {
                    id,
                    account,
                    account_network_id: account_network_id.clone(),
                    network_id,
                    phone: read_phone(&phone)?,
                    send_only,
                    connected_at,
                })
            })
            .collect()
    }
}

impl TemplateItem {
    fn read(self, accounts: &Accounts) -> Option<Template> {
        Some(Template {
            account: self.account,
            account_network_id: accounts.get(&self.account)?.clone(),
            network_id: self.network_id,
            name: self.name,
            language: self.language,
            category: self.category,
            status: TemplateStatus::read(&self.status)?,
            rejection_reason: self.rejection_reason,
            content: self.content,
            labels: self.labels,
            send_ttl_seconds: self.send_ttl_seconds,
            validity_problem: self.validity_problem,
        })
    }
}
