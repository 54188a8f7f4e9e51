//! A template as a row.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Jsonb, Nullable, Text, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    templates::{Category, Template, TemplateFilter, TemplateStatus},
};

use crate::{
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// Names are compared byte by byte, so that the order does not depend on the cluster's locale.
const FILTERED: &str = "
    SELECT template.account_id, account.network_id AS account_network_id, template.network_id,
           template.name, template.language, template.category, template.status,
           template.rejection_reason, template.content, template.send_ttl_seconds,
           template.validity_problem
    FROM templates template
    JOIN accounts account ON account.workspace_id = $1 AND account.id = template.account_id
    WHERE template.workspace_id = $1
      AND ($2 IS NULL OR template.status = $2) AND ($3 IS NULL OR template.category = $3)
    ORDER BY template.name COLLATE \"C\", template.language COLLATE \"C\", template.account_id";

#[derive(QueryableByName)]
struct Row {
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
}

/// The workspace's templates that pass the filter, by name, language and account.
pub(super) async fn filtered(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    filter: TemplateFilter,
) -> Result<Vec<Template>, StoreError> {
    let query = sql(FILTERED)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Nullable<Text>, _>(filter.status.map(TemplateStatus::as_str))
        .bind::<Nullable<Text>, _>(filter.category.map(Category::as_str));
    let rows = query.get_results::<Row>(connection).await.map_err(failed)?;
    rows.into_iter().map(Row::read).collect()
}

impl Row {
    fn read(self) -> Result<Template, StoreError> {
        Ok(Template {
            account: self.account_id.into(),
            account_network_id: self.account_network_id,
            network_id: self.network_id,
            name: self.name,
            language: self.language,
            category: self.category,
            status: TemplateStatus::read(&self.status).ok_or_else(|| unreadable("template status"))?,
            rejection_reason: self.rejection_reason,
            content: serde_json::from_value(self.content).map_err(|_| unreadable("template content"))?,
            send_ttl_seconds: self.send_ttl_seconds,
            validity_problem: self.validity_problem,
        })
    }
}
