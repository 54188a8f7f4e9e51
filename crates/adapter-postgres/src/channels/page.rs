//! A connected page and its Instagram account.

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl};
use domain::{
    audit::AuditEntry,
    channels::{
        Account, ChannelKind, PAGE_INTERVAL,
        ports::{ConnectError, DuePage, ListedPage, PageStore},
    },
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    live::LiveKind,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{
    hold::hold_account,
    never::Never,
    routes::{connections, disconnect_unlisted, held_routes, take_routes},
};
use crate::{
    audit::{audit, still_owner},
    channels::PgChannels,
    error::failed,
    live::tell,
    schema::{accounts, channels},
    sql::{RunQueryDsl, insert, storable},
};

const AT_ONCE: i64 = 500;

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
    ) -> Result<AccountId, ConnectError> {
        let now = entry.at;
        let transaction = self.database.transaction().await?;
        let id = hold_account(&self.database, &transaction, workspace, account, now).await?;
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
        // A page has no templates to read, and has just been read itself.
        flight.add(diesel::update(accounts::table.find((workspace.uuid(), id.uuid()))).set((
            accounts::templates_due_at.eq(Never),
            accounts::problem.eq(None::<serde_json::Value>),
            accounts::page_due_at.eq(now + PAGE_INTERVAL),
            accounts::page_name.eq(page.name.as_deref().map(storable)),
            accounts::page_read_at.eq(now),
        )));
        flight.insert(
            insert(channels::table, workspace, &listed)
                .column(channels::id, |listed| listed.id.uuid())
                .column(channels::kind, |listed| listed.kind.as_str())
                .column(channels::account_id, |_| id.uuid())
                .column(channels::network_id, |listed| listed.network_id)
                .column(channels::connected_at, |_| now)
                .column(channels::position, |_| 0)
                .on_conflict((channels::network_id,))
                .set_excluded(channels::account_id)
                .set_excluded(channels::kind)
                .set_excluded(channels::disconnected_at),
        );
        disconnect_unlisted(&mut flight, workspace, id, &network_ids, now);
        // Routes are on another node: the connections they lead to are read before they are written.
        let written = try_join(flight.counts(), connections(&transaction, workspace, &network_ids));
        let (_, connections) = transaction.send(written).await.map_err(failed)?;
        still_owner(&transaction, workspace, entry).await?;
        let mut flight = transaction.flight();
        take_routes(&mut flight, workspace, connections, &held, now);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(id)
    }

    async fn due_pages(&self, now: OffsetDateTime) -> Result<Vec<DuePage>, StoreError> {
        let mut connection = self.database.connection().await?;
        let due: Vec<(uuid::Uuid, uuid::Uuid)> = accounts::table
            .filter(accounts::page_due_at.le(now))
            .order(accounts::page_due_at)
            .limit(AT_ONCE)
            .select((accounts::workspace_id, accounts::id))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(workspace, account): (uuid::Uuid, uuid::Uuid)| DuePage {
            workspace: workspace.into(),
            account: account.into(),
        };
        Ok(due.into_iter().map(read).collect())
    }

    async fn claim_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let page = accounts::table.find((workspace.uuid(), account.uuid()));
        let claimed = diesel::update(page.filter(accounts::page_due_at.le(now)))
            .set(accounts::page_due_at.eq(next))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(claimed > 0)
    }

    async fn keep_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        name: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let known = accounts::table
            .find((workspace.uuid(), account.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select((accounts::problem.is_not_null(), accounts::page_name))
            .for_no_key_update()
            .load::<(bool, Option<String>)>(&mut &*transaction);
        let known = transaction.begin_with(known).await.map_err(failed)?;
        let Some((had_problem, known_name)) = known.into_iter().next() else { return Ok(()) };
        let name = name.as_deref().map(storable);
        let is_news = had_problem || known_name.as_deref() != name.as_deref();
        let mut flight = transaction.flight();
        flight.add(diesel::update(accounts::table.find((workspace.uuid(), account.uuid()))).set((
            accounts::problem.eq(None::<serde_json::Value>),
            accounts::page_name.eq(name),
            accounts::page_read_at.eq(now),
        )));
        if is_news {
            tell(&mut flight, workspace, LiveKind::ChannelsChanged, &[(None, None)]);
        }
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }
}
