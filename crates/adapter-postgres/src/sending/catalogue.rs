//! What planning a send needs, in one round trip.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Bool, Integer, Nullable, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::Number,
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
    sending::Catalogue,
    templates::{Template, TemplateContent, TemplateStatus},
    workspaces::{Plan, Workspace},
};
use serde::{Deserialize, de::DeserializeOwned};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

pub(super) const CATALOGUE: &str = "
    SELECT workspace.name, workspace.locale, workspace.region, workspace.active_customer_limit,
           workspace.paused,
           (SELECT coalesce(json_agg(json_build_object(
                'id', channel.id, 'account', channel.account_id,
                'account_network_id', account.network_id, 'network_id', channel.network_id,
                'phone', channel.phone, 'send_only', channel.send_only,
                'connected_at', channel.connected_at)
                ORDER BY channel.connected_at, channel.position, channel.id), '[]')
            FROM channels channel
            JOIN accounts account
              ON account.workspace_id = channel.workspace_id AND account.id = channel.account_id
            WHERE channel.workspace_id = $1 AND channel.kind = 'whatsapp'
              AND channel.disconnected_at IS NULL AND channel.phone IS NOT NULL)::text AS numbers,
           (SELECT coalesce(json_agg(json_build_object(
                'account', template.account_id, 'account_network_id', account.network_id,
                'network_id', template.network_id, 'name', template.name,
                'language', template.language, 'category', template.category,
                'status', template.status, 'rejection_reason', template.rejection_reason,
                'content', template.content, 'send_ttl_seconds', template.send_ttl_seconds,
                'validity_problem', template.validity_problem)
                ORDER BY template.language, template.account_id), '[]')
            FROM templates template
            JOIN accounts account
              ON account.workspace_id = template.workspace_id AND account.id = template.account_id
            WHERE template.workspace_id = $1 AND template.name = $2)::text AS templates
    FROM workspaces workspace WHERE workspace.workspace_id = $1";

#[derive(QueryableByName)]
struct CatalogueRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    locale: String,
    #[diesel(sql_type = Text)]
    region: String,
    #[diesel(sql_type = Nullable<Integer>)]
    active_customer_limit: Option<i32>,
    #[diesel(sql_type = Bool)]
    paused: bool,
    #[diesel(sql_type = Text)]
    numbers: String,
    #[diesel(sql_type = Text)]
    templates: String,
}

#[derive(Deserialize)]
struct NumberItem {
    id: ChannelId,
    account: AccountId,
    account_network_id: String,
    network_id: String,
    phone: PhoneNumber,
    send_only: bool,
    #[serde(with = "time::serde::rfc3339")]
    connected_at: OffsetDateTime,
}

#[derive(Deserialize)]
struct TemplateItem {
    account: AccountId,
    account_network_id: String,
    network_id: String,
    name: String,
    language: String,
    category: String,
    status: String,
    rejection_reason: Option<String>,
    content: TemplateContent,
    send_ttl_seconds: Option<i64>,
    validity_problem: Option<String>,
}

impl PgStore {
    pub(super) async fn read_catalogue(
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
        let limit = row.active_customer_limit.map(u32::try_from).transpose();
        Ok(Catalogue {
            workspace: Workspace {
                id: workspace,
                name: row.name,
                locale: row.locale,
                region: row.region.parse().map_err(|_| unreadable("region"))?,
                plan: Plan {
                    active_customer_limit: limit.map_err(|_| unreadable("limit"))?,
                    paused: row.paused,
                },
            },
            numbers: read_list(&row.numbers, "number", |item: NumberItem| Some(item.read()))?,
            templates: read_list(&row.templates, "template", TemplateItem::read)?,
        })
    }
}

fn read_list<Item: DeserializeOwned, T>(
    json: &str,
    what: &str,
    read: impl Fn(Item) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let items: Vec<Item> = serde_json::from_str(json).map_err(|_| unreadable(what))?;
    items.into_iter().map(|item| read(item).ok_or_else(|| unreadable(what))).collect()
}

impl NumberItem {
    fn read(self) -> Number {
        Number {
            id: self.id,
            account: self.account,
            account_network_id: self.account_network_id,
            network_id: self.network_id,
            phone: self.phone,
            send_only: self.send_only,
            connected_at: self.connected_at,
        }
    }
}

impl TemplateItem {
    fn read(self) -> Option<Template> {
        Some(Template {
            account: self.account,
            account_network_id: self.account_network_id,
            network_id: self.network_id,
            name: self.name,
            language: self.language,
            category: self.category,
            status: TemplateStatus::read(&self.status)?,
            rejection_reason: self.rejection_reason,
            content: self.content,
            send_ttl_seconds: self.send_ttl_seconds,
            validity_problem: self.validity_problem,
        })
    }
}
