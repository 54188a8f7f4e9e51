//! Counts of what this version does not read of updates, by workspace, day and name; and the accounts that
//! messages are requested through of which only the name was reported.

use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl};
use domain::{
    attachments::ports::MediaOrigin,
    channels::{ChannelKind, MOST_FIELDS, SHOWN_FOR_DAYS, UnreadCount, UnreadField, ports::UnreadUpdates},
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    inbound::ports::MessageOrigins,
};
use secrecy::SecretString;
use time::{Date, Duration};

use crate::{
    error::{failed, locked, unreadable},
    inbound::PgInbound,
    places,
    schema::{accounts, channels, unread_updates},
    sql::{RunQueryDsl, insert},
};

/// Name of the count of everything beyond a day's limit of names.
const OTHERS: &str = "others";

#[async_trait]
impl UnreadUpdates for PgInbound {
    async fn count(
        &self,
        workspace: WorkspaceId,
        counts: &[UnreadCount],
        day: Date,
    ) -> Result<Vec<String>, StoreError> {
        let mut connection = self.database.connection().await?;
        let mut known: Vec<String> = unread_updates::table
            .filter(unread_updates::workspace_id.eq(workspace.uuid()))
            .filter(unread_updates::day.eq(day))
            .select(unread_updates::field)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let is_first = known.is_empty();
        let mut new = Vec::new();
        let mut rows: BTreeMap<&str, i64> = BTreeMap::new();
        for UnreadCount { field, updates } in counts {
            let is_known = known.contains(field);
            let field = if is_known || known.len() < MOST_FIELDS { field.as_str() } else { OTHERS };
            if !known.iter().any(|known| known == field) {
                known.push(field.to_owned());
                new.push(field.to_owned());
            }
            *rows.entry(field).or_default() += i64::from(*updates);
        }
        let rows: Vec<(&str, i64)> = rows.into_iter().collect();
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(unread_updates::table, workspace, &rows)
                .column(unread_updates::day, |_| day)
                .column(unread_updates::field, |(field, _)| *field)
                .column(unread_updates::updates, |(_, updates)| *updates)
                .in_order_of(unread_updates::field)
                .on_conflict((unread_updates::day, unread_updates::field))
                .add_excluded(unread_updates::updates),
        );
        if is_first {
            let oldest = day.saturating_sub(Duration::days(SHOWN_FOR_DAYS.into()));
            flight.add(
                diesel::delete(unread_updates::table)
                    .filter(unread_updates::workspace_id.eq(workspace.uuid()))
                    .filter(unread_updates::day.lt(oldest)),
            );
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(new)
    }

    async fn unread(&self, workspace: WorkspaceId, since: Date) -> Result<Vec<UnreadField>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(String, Date, i64)> = unread_updates::table
            .filter(unread_updates::workspace_id.eq(workspace.uuid()))
            .filter(unread_updates::day.ge(since))
            .order((unread_updates::day, unread_updates::field))
            .select((unread_updates::field, unread_updates::day, unread_updates::updates))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let mut fields: BTreeMap<String, UnreadField> = BTreeMap::new();
        for (field, day, updates) in rows {
            let updates = u64::try_from(updates).map_err(|_| unreadable("count"))?;
            let first = UnreadField { field: field.clone(), since: day, updates: 0 };
            let kept = fields.entry(field).or_insert(first);
            kept.updates = kept.updates.saturating_add(updates);
        }
        Ok(fields.into_values().collect())
    }
}

#[async_trait]
impl MessageOrigins for PgInbound {
    async fn origin(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
    ) -> Result<Option<MediaOrigin>, StoreError> {
        let account = accounts::id.eq(channels::account_id).and(accounts::workspace_id.eq(workspace.uuid()));
        let mut connection = self.database.connection().await?;
        let rows: Vec<(String, String, uuid::Uuid, Vec<u8>)> = channels::table
            .inner_join(accounts::table.on(account))
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::id.eq(channel.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select((channels::kind, channels::network_id, accounts::id, accounts::token_sealed))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let Some((kind, channel_network_id, account, sealed)) = rows.into_iter().next() else {
            return Ok(None);
        };
        let place = places::token(workspace, AccountId::from(account));
        let token = self.database.vault.open(&sealed, &place).map_err(locked)?;
        let token = String::from_utf8(token).map_err(|_| unreadable("token"))?;
        Ok(Some(MediaOrigin {
            channel: ChannelKind::read(&kind).ok_or_else(|| unreadable("channel"))?,
            channel_network_id,
            token: SecretString::from(token),
        }))
    }
}
