//! A template as a row.

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Jsonb, Nullable, Text, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
    templates::{Category, ListedTemplate, Template, TemplateFilter, TemplateStatus},
};

use crate::{
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// Names are compared byte by byte, so that the order does not depend on the cluster's locale.
pub(super) const FILTERED: &str = "
    WITH number AS MATERIALIZED (
        SELECT account_id, array_agg(phone ORDER BY connected_at, position, id) AS phones
        FROM channels
        WHERE workspace_id = $1 AND kind = 'whatsapp' AND disconnected_at IS NULL AND phone IS NOT NULL
        GROUP BY account_id
    )
    SELECT number.phones, template.account_id, account.network_id AS account_network_id, template.network_id,
           template.name, template.language, template.category, template.status,
           template.rejection_reason, template.content, template.send_ttl_seconds,
           template.validity_problem, template.labels
    FROM templates template
    JOIN accounts account ON account.workspace_id = $1 AND account.id = template.account_id
    LEFT JOIN number ON number.account_id = template.account_id
    WHERE template.workspace_id = $1
      AND ($2 IS NULL OR template.status = $2) AND ($3 IS NULL OR template.category = $3)
    ORDER BY template.name COLLATE \"C\", template.language COLLATE \"C\", template.account_id";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<Array<Text>>)]
    phones: Option<Vec<String>>,
    #[diesel(sql_type = Uuid)]
    account_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    account_network_id: String,
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    language: String,
    #[diesel(sql_type = Text)]
    category: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Text>)]
    rejection_reason: Option<String>,
    #[diesel(sql_type = Jsonb)]
    content: serde_json::Value,
    #[diesel(sql_type = Nullable<BigInt>)]
    send_ttl_seconds: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    validity_problem: Option<String>,
    #[diesel(sql_type = Jsonb)]
    labels: serde_json::Value,
}

/// The workspace's templates that pass the filter, by name, language and account, with the numbers that can send
/// them.
pub(super) async fn filtered(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    filter: TemplateFilter,
) -> Result<Vec<ListedTemplate>, StoreError> {
    let query = sql(FILTERED)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Nullable<Text>, _>(filter.status.map(TemplateStatus::as_str))
        .bind::<Nullable<Text>, _>(filter.category.map(Category::as_str));
    let rows = query.get_results::<Row>(connection).await.map_err(failed)?;
    rows.into_iter().map(Row::read).collect()
}

impl Row {
    fn read(self) -> Result<ListedTemplate, StoreError> {
        let phone = |kept: String| PhoneNumber::from_e164(&kept).map_err(|_| unreadable("phone number"));
        let numbers = self.phones.unwrap_or_default().into_iter().map(phone).collect::<Result<_, _>>()?;
        let template = Template {
            account: self.account_id.into(),
            account_network_id: self.account_network_id,
            network_id: self.network_id,
            name: self.name,
            language: self.language,
            category: self.category,
            status: TemplateStatus::read(&self.status).ok_or_else(|| unreadable("template status"))?,
            rejection_reason: self.rejection_reason,
            content: serde_json::from_value(self.content).map_err(|_| unreadable("template content"))?,
            labels: serde_json::from_value(self.labels).map_err(|_| unreadable("template labels"))?,
            send_ttl_seconds: self.send_ttl_seconds,
            validity_problem: self.validity_problem,
        };
        Ok(ListedTemplate { template, numbers })
    }
}
