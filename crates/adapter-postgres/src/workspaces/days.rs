//! What was used on a day, counted and kept.

use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName,
    sql_types::{BigInt, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    workspaces::{DayUsage, ports::UsageDays},
};
use time::{Date, OffsetDateTime, Time};

use super::PgWorkspaces;
use crate::{
    error::{failed, unreadable},
    schema::{messages, usage_days},
    sql::{insert, statement},
};

/// Ids of messages are in the order of their recording: a day is a range of the primary key.
pub(super) const MESSAGES: &str = "
    SELECT count(*) FILTER (WHERE message.role = 'customer') AS received,
           count(*) FILTER (WHERE message.role IN ('team', 'assistant')) AS sent,
           count(DISTINCT (SELECT contact_id FROM conversations conversation
                           WHERE conversation.workspace_id = :workspace
                             AND conversation.id = message.conversation_id)) AS active
    FROM messages message
    WHERE message.workspace_id = :workspace AND message.id >= :first AND message.id < :last
      AND message.role <> 'system'";

/// The same of sends; of a template that more than one account has, the category of one of them.
pub(super) const TEMPLATES: &str = "
    SELECT coalesce((SELECT lower(category) FROM templates template
                     WHERE template.workspace_id = :workspace AND template.name = used.template_name
                       AND template.language = used.template_language LIMIT 1), 'unknown') AS category,
           sum(used.sends)::bigint AS sends
    FROM (
        SELECT template_name, template_language, count(*) AS sends FROM sends
        WHERE workspace_id = :workspace AND id >= :first AND id < :last
          AND template_name IS NOT NULL AND state = 'sent'
        GROUP BY template_name, template_language
    ) used
    GROUP BY 1";

#[derive(QueryableByName)]
struct MessagesRow {
    #[diesel(sql_type = BigInt)]
    received: i64,
    #[diesel(sql_type = BigInt)]
    sent: i64,
    #[diesel(sql_type = BigInt)]
    active: i64,
}

#[derive(QueryableByName)]
struct TemplatesRow {
    #[diesel(sql_type = Text)]
    category: String,
    #[diesel(sql_type = BigInt)]
    sends: i64,
}

/// The first id that is made at that midnight: its first 48 bits are milliseconds since 1970 (RFC 9562).
fn first_id(day: Date) -> uuid::Uuid {
    let midnight = day.with_time(Time::MIDNIGHT).assume_utc();
    let millis = u128::try_from(midnight.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    uuid::Uuid::from_u128(millis << 80)
}

fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

#[async_trait]
impl UsageDays for PgWorkspaces {
    async fn count(&self, workspace: WorkspaceId, day: Date) -> Result<DayUsage, StoreError> {
        let (first, last) = (first_id(day), day.next_day().map_or(uuid::Uuid::max(), first_id));
        let mut connection = self.database.connection().await?;
        let messages: MessagesRow = statement(MESSAGES)
            .of(workspace)
            .bind::<Uuid, _>("first", first)
            .bind::<Uuid, _>("last", last)
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        let templates: Vec<TemplatesRow> = statement(TEMPLATES)
            .of(workspace)
            .bind::<Uuid, _>("first", first)
            .bind::<Uuid, _>("last", last)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(DayUsage {
            day,
            received: count(messages.received),
            sent: count(messages.sent),
            templates: templates.into_iter().map(|row| (row.category, count(row.sends))).collect(),
            active_customers: count(messages.active),
        })
    }

    async fn kept(
        &self,
        workspace: WorkspaceId,
        since: Date,
        until: Date,
    ) -> Result<Vec<DayUsage>, StoreError> {
        type Row = (Date, i64, i64, serde_json::Value, i64);
        let mut connection = self.database.connection().await?;
        let rows: Vec<Row> = usage_days::table
            .filter(usage_days::workspace_id.eq(workspace.uuid()))
            .filter(usage_days::day.between(since, until))
            .order(usage_days::day.desc())
            .select((
                usage_days::day,
                usage_days::received,
                usage_days::sent,
                usage_days::templates,
                usage_days::active_customers,
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(day, received, sent, templates, active): Row| {
            let templates: BTreeMap<String, u64> =
                serde_json::from_value(templates).map_err(|_| unreadable("templates"))?;
            let (received, sent, active_customers) = (count(received), count(sent), count(active));
            Ok::<_, StoreError>(DayUsage { day, received, sent, templates, active_customers })
        };
        rows.into_iter().map(read).collect()
    }

    async fn first_day(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError> {
        let mut connection = self.database.connection().await?;
        let first: Option<uuid::Uuid> = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .order(messages::id)
            .select(messages::id)
            .first(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let day = |id: uuid::Uuid| {
            let millis = i128::try_from(id.as_u128() >> 80).unwrap_or_default();
            OffsetDateTime::from_unix_timestamp_nanos(millis * 1_000_000).ok().map(OffsetDateTime::date)
        };
        Ok(first.and_then(day))
    }

    async fn last_kept(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError> {
        let mut connection = self.database.connection().await?;
        usage_days::table
            .filter(usage_days::workspace_id.eq(workspace.uuid()))
            .order(usage_days::day.desc())
            .select(usage_days::day)
            .first(&mut connection)
            .await
            .optional()
            .map_err(failed)
    }

    async fn keep(
        &self,
        workspace: WorkspaceId,
        days: &[DayUsage],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let whole = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let mut connection = self.database.connection().await?;
        insert(usage_days::table, workspace, days)
            .column(usage_days::day, |day| day.day)
            .column(usage_days::received, |day| whole(day.received))
            .column(usage_days::sent, |day| whole(day.sent))
            .column(usage_days::templates, |day| serde_json::json!(day.templates))
            .column(usage_days::active_customers, |day| whole(day.active_customers))
            .column(usage_days::counted_at, |_| now)
            .or_change(usage_days::day)
            .replacing(usage_days::received)
            .replacing(usage_days::sent)
            .replacing(usage_days::templates)
            .replacing(usage_days::active_customers)
            .replacing(usage_days::counted_at)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::{IdSource, WorkspaceId};
    use time::macros::date;

    use super::first_id;

    #[test]
    fn a_day_s_ids_lie_between_its_midnights() {
        struct At(u64);
        impl IdSource for At {
            fn next(&self) -> uuid::Uuid {
                uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, self.0, 0))
            }
        }
        let (first, next) = (first_id(date!(2026 - 11 - 25)), first_id(date!(2026 - 11 - 26)));
        // 2026-11-25 00:00:00 and 23:59:59 UTC.
        for second in [1_795_564_800, 1_795_651_199] {
            let id = WorkspaceId::new(&At(second)).uuid();
            assert!(first <= id && id < next, "{second} {id} {first} {next}");
        }
    }
}
