//! A connected page and its Instagram account.

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl};
use domain::{
    access::audit::AuditEntry,
    channels::{
        Account, ChannelKind,
        ports::{Connected, ListedPage, PageStore},
    },
    errors::StoreError,
    ids::{ChannelId, WorkspaceId},
};
use futures_util::future::try_join;

use super::{
    hold::hold_account,
    never::Never,
    routes::{connections, disconnect_unlisted, held_routes, take_routes},
};
use crate::{
    access::audit,
    channels::PgChannels,
    error::failed,
    schema::{accounts, channels},
    sql::insert,
};

/// What is written to a page.
struct Listed<'a> {
    id: ChannelId,
    kind: ChannelKind,
    network_id: &'a str,
}

#[async_trait]
impl PageStore for PgChannels {
    async fn connect_page(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        page: &ListedPage,
        entry: &AuditEntry,
    ) -> Result<Connected, StoreError> {
        let now = entry.at;
        let transaction = self.database.transaction().await?;
        let id = match hold_account(&self.database, &transaction, workspace, account, now).await? {
            Connected::As(id) => id,
            refused => return Ok(refused),
        };
        let listed = [(ChannelKind::Messenger, Some(&page.network_id))]
            .into_iter()
            .chain([(ChannelKind::Instagram, page.instagram_network_id.as_ref())]);
        let listed: Vec<Listed<'_>> = listed
            .filter_map(|(kind, network_id)| {
                Some(Listed { id: ChannelId::new(&*self.database.ids), kind, network_id: network_id? })
            })
            .collect();
        let network_ids: Vec<&str> = listed.iter().map(|listed| listed.network_id).collect();
        let held = transaction.send(held_routes(&transaction, &network_ids)).await;
        let held = held.map_err(failed)?;
        let mut flight = transaction.flight();
        // A page has no templates to read.
        flight.add(
            diesel::update(accounts::table.find((workspace.uuid(), id.uuid())))
                .set(accounts::templates_due_at.eq(Never)),
        );
        flight.insert(
            insert(channels::table, workspace, &listed)
                .column(channels::id, |listed| listed.id.uuid())
                .column(channels::kind, |listed| listed.kind.as_str())
                .column(channels::account_id, |_| id.uuid())
                .column(channels::network_id, |listed| listed.network_id)
                .column(channels::connected_at, |_| now)
                .column(channels::position, |_| 0)
                .or_change(channels::network_id)
                .replacing(channels::account_id)
                .replacing(channels::kind)
                .replacing(channels::disconnected_at),
        );
        disconnect_unlisted(&mut flight, workspace, id, &network_ids, now);
        // Routes lie elsewhere than the workspace's own tables: what they lead to is read before they are written.
        let written = try_join(flight.counts(), connections(&transaction, workspace, &network_ids));
        let (_, connections) = transaction.send(written).await.map_err(failed)?;
        let mut flight = transaction.flight();
        take_routes(&mut flight, workspace, connections, &held, now);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(Connected::As(id))
    }
}
