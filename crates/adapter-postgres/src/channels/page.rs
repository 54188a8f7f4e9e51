//! A connected page and its Instagram account.

use async_trait::async_trait;
use diesel::sql_types::{Array, Text, Timestamptz, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    channels::{
        Account, ChannelKind,
        ports::{Connected, ListedPage, PageStore},
    },
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
};

use super::{replace::take_routes, store::hold_account};
use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    sql::{Bind, sql},
};

/// A page has no templates to read.
pub(super) const NO_TEMPLATES: &str = "
    UPDATE accounts SET templates_due_at = 'infinity' WHERE workspace_id = $1 AND id = $2";

pub(super) const CONNECT: &str = "
    INSERT INTO channels AS known (workspace_id, id, kind, account_id, network_id, connected_at, position)
    SELECT $1, listed.id, listed.kind, $2, listed.network_id, $6, 0
    FROM unnest($3, $4, $5) AS listed (id, kind, network_id)
    ON CONFLICT (workspace_id, network_id) DO UPDATE SET
        account_id = excluded.account_id, kind = excluded.kind, disconnected_at = NULL";

pub(super) const DISCONNECT: &str = "
    UPDATE channels SET disconnected_at = $4
    WHERE workspace_id = $1 AND account_id = $2 AND network_id <> ALL ($3) AND disconnected_at IS NULL";

#[async_trait]
impl PageStore for PgStore {
    async fn connect_page(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        page: &ListedPage,
        entry: &AuditEntry,
    ) -> Result<Connected, StoreError> {
        let now = entry.at;
        let mut transaction = self.begin().await?;
        let id = match hold_account(self, &mut transaction, workspace, account, now).await? {
            Connected::As(id) => id,
            refused => return Ok(refused),
        };
        sql(NO_TEMPLATES)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        let listed = [(ChannelKind::Messenger, Some(&page.network_id))]
            .into_iter()
            .chain([(ChannelKind::Instagram, page.instagram_network_id.as_ref())]);
        let listed: Vec<(&str, &str)> =
            listed.filter_map(|(kind, id)| Some((kind.as_str(), id?.as_str()))).collect();
        let (kinds, network_ids): (Vec<&str>, Vec<&str>) = listed.into_iter().unzip();
        let ids: Vec<uuid::Uuid> = kinds.iter().map(|_| ChannelId::new(&*self.ids).uuid()).collect();
        sql(CONNECT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Array<Uuid>, _>(ids)
            .bind::<Array<Text>, _>(&kinds)
            .bind::<Array<Text>, _>(&network_ids)
            .bind::<Timestamptz, _>(now)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(DISCONNECT)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Array<Text>, _>(&network_ids)
            .bind::<Timestamptz, _>(now)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        take_routes(&mut transaction, workspace, &network_ids, now).await?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(Connected::As(id))
    }
}
