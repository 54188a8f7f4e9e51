//! Messaging limits of numbers, and how much of them is used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl, QueryableByName,
    sql_types::{Array, BigInt, Interval, Text, Timestamptz, Uuid},
};
use domain::{
    broadcasts::{HAD_WRITTEN_WITHIN, NumberLimit, SPAN, WrittenTo, ports::MessagingLimitStore},
    errors::StoreError,
    ids::{AccountId, BroadcastId, ChannelId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::PgBroadcasts;
use crate::{
    error::{failed, unreadable},
    schema::{broadcast_written_to, channels, number_healths},
    sql::{RunQueryDsl, first_id, insert, interval, statement},
    transaction::Flight,
};

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

/// Counts people who got templates outside of these broadcasts, each at the time of their last one. Ids are
/// in the order of their making, so a day is a range of the primary key (ids of a broadcast's messages are
/// made long before they are sent). Not counted is whoever had written shortly before, unless they wrote
/// again since, which hides it. A send that is not recorded yet, or nowhere, counts as a person of its own.
pub(super) const OTHERWISE: &str = "
    SELECT account, date_bin(:span, at, to_timestamp(0)) AS since, count(*) AS people
    FROM (
        SELECT number.account, coalesce(send.contact_id, send.id) AS person, max(send.created_at) AS at
        FROM sends send JOIN unnest(:channels, :accounts) AS number (channel, account) ON number.channel = send.channel_id
        WHERE send.workspace_id = :workspace AND send.id BETWEEN :first AND :last AND send.template_name IS NOT NULL
          AND send.state IN ('in_flight', 'sent')
          AND (send.reference IS NULL OR send.reference <> ALL (:broadcasts))
          AND NOT EXISTS (
              SELECT 1 FROM conversations WHERE workspace_id = :workspace AND id = send.conversation_id
              AND customer_wrote_at BETWEEN send.created_at - :had_written_within AND send.created_at OFFSET 0)
        GROUP BY 1, 2
    ) written
    GROUP BY 1, 2";

#[derive(QueryableByName)]
struct WrittenRow {
    #[diesel(sql_type = Uuid)]
    account: uuid::Uuid,
    #[diesel(sql_type = Timestamptz)]
    since: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    people: i64,
}

pub(super) fn count_written_to(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    id: BroadcastId,
    people: &BTreeMap<(ChannelId, OffsetDateTime), i64>,
) {
    let people: Vec<_> = people.iter().collect();
    flight.insert(
        insert(broadcast_written_to::table, workspace, &people)
            .column(broadcast_written_to::broadcast_id, |_| id.uuid())
            .column(broadcast_written_to::channel_id, |((channel, _), _)| channel.uuid())
            .column(broadcast_written_to::since, |((_, since), _)| *since)
            .column(broadcast_written_to::people, |(_, people)| **people)
            .in_order_of(broadcast_written_to::channel_id)
            .in_order_of(broadcast_written_to::since)
            .on_conflict((
                broadcast_written_to::broadcast_id,
                broadcast_written_to::channel_id,
                broadcast_written_to::since,
            ))
            .add_excluded(broadcast_written_to::people),
    );
}

pub(super) fn forget_written_to(flight: &mut Flight<'_>, workspace: WorkspaceId, before: OffsetDateTime) {
    flight.add(
        diesel::delete(broadcast_written_to::table)
            .filter(broadcast_written_to::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_written_to::since.lt(before)),
    );
}

#[async_trait]
impl MessagingLimitStore for PgBroadcasts {
    async fn limits(&self, workspace: WorkspaceId) -> Result<Vec<NumberLimit>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, String, Option<String>)> = number_healths::table
            .filter(number_healths::workspace_id.eq(workspace.uuid()))
            .filter(number_healths::messaging_limit.is_not_null())
            .order((number_healths::account_id, number_healths::network_id))
            .select((number_healths::account_id, number_healths::network_id, number_healths::messaging_limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let limit = |(account, network_id, word): (uuid::Uuid, String, Option<String>)| {
            Some(NumberLimit { account: account.into(), network_id, word: word? })
        };
        Ok(rows.into_iter().filter_map(limit).collect())
    }

    async fn written_to(
        &self,
        workspace: WorkspaceId,
        accounts: &[AccountId],
        since: OffsetDateTime,
    ) -> Result<Vec<WrittenTo>, StoreError> {
        let accounts: Vec<uuid::Uuid> = accounts.iter().copied().map(AccountId::uuid).collect();
        let connection = self.database.connection().await?;
        let connection = &*connection;
        let numbers = channels::table
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::account_id.eq_any(accounts))
            .select((channels::id, channels::account_id))
            .load::<(uuid::Uuid, uuid::Uuid)>(&mut { connection });
        let by_broadcasts = broadcast_written_to::table
            .filter(broadcast_written_to::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_written_to::since.ge(since))
            .select((
                broadcast_written_to::broadcast_id,
                broadcast_written_to::channel_id,
                broadcast_written_to::since,
                broadcast_written_to::people,
            ))
            .load::<(uuid::Uuid, uuid::Uuid, OffsetDateTime, i64)>(&mut { connection });
        let (numbers, by_broadcasts) = try_join(numbers, by_broadcasts).await.map_err(failed)?;
        let broadcasts: BTreeSet<String> = by_broadcasts.iter().map(|(id, ..)| id.to_string()).collect();
        let (of_channels, of_accounts): (Vec<uuid::Uuid>, Vec<uuid::Uuid>) = numbers.iter().copied().unzip();
        let otherwise = statement(OTHERWISE)
            .of(workspace)
            .bind::<Array<Uuid>, _>("channels", of_channels)
            .bind::<Array<Uuid>, _>("accounts", of_accounts)
            .bind::<Uuid, _>("first", first_id(since))
            // Bounds nothing: without statistics the planner expects a range with two ends to be short.
            .bind::<Uuid, _>("last", uuid::Uuid::max())
            .bind::<Array<Text>, _>("broadcasts", Vec::from_iter(broadcasts))
            .bind::<Interval, _>("span", interval(SPAN.whole_microseconds()))
            .bind::<Interval, _>("had_written_within", interval(HAD_WRITTEN_WITHIN.whole_microseconds()))
            .load::<WrittenRow>(&mut { connection })
            .await
            .map_err(failed)?;
        let account_of: HashMap<uuid::Uuid, uuid::Uuid> = numbers.into_iter().collect();
        let of_broadcast = |(_, channel, since, people): (uuid::Uuid, uuid::Uuid, OffsetDateTime, i64)| {
            Some(WrittenRow { account: *account_of.get(&channel)?, since, people })
        };
        let rows = by_broadcasts.into_iter().filter_map(of_broadcast).chain(otherwise);
        let written = |WrittenRow { account, since, people }: WrittenRow| {
            let people = u64::try_from(people).map_err(|_| unreadable("count"))?;
            Ok::<_, StoreError>(WrittenTo { account: account.into(), since, people })
        };
        rows.map(written).collect()
    }
}
