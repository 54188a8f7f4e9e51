//! Usage of workspaces by day, counted and stored.

use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::{
    AggregateExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult,
    dsl::{count, count_star},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    messages::{Role, SendingState},
    workspaces::{DayUsage, ports::UsageDays},
};
use futures_util::future::try_join3;
use time::{Date, OffsetDateTime, Time};

use super::PgWorkspaces;
use crate::{
    error::{failed, unreadable},
    schema::{conversations, messages, sends, templates, usage_days},
    sql::{self, RunQueryDsl, insert},
};

fn first_id(day: Date) -> uuid::Uuid {
    sql::first_id(day.with_time(Time::MIDNIGHT).assume_utc())
}

fn count_of(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

type UsedTemplate = (Option<String>, Option<String>, i64);

impl PgWorkspaces {
    /// Counts the usage of a day whose ids are in this range, without `last`. Ids of messages and sends are
    /// in the order of their making, so a day is a range of the primary key.
    pub(super) async fn count_between(
        &self,
        workspace: WorkspaceId,
        day: Date,
        first: uuid::Uuid,
        last: uuid::Uuid,
    ) -> Result<DayUsage, StoreError> {
        let connection = self.database.connection().await?;
        let connection = &*connection;
        let of_day = || {
            messages::table
                .filter(messages::workspace_id.eq(workspace.uuid()))
                .filter(messages::id.ge(first))
                .filter(messages::id.lt(last))
                .filter(messages::role.ne(Role::System.as_str()))
        };
        let by_role = of_day()
            .group_by(messages::role)
            .select((messages::role, count_star()))
            .load::<(String, i64)>(&mut { connection });
        // One look-up for each message: the planner cannot choose to read all conversations instead.
        let customer = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(messages::conversation_id))
            .select(conversations::contact_id)
            .single_value();
        let active =
            of_day().select(count(customer).aggregate_distinct()).get_result::<i64>(&mut { connection });
        let by_template = sends::table
            .filter(sends::workspace_id.eq(workspace.uuid()))
            .filter(sends::id.ge(first))
            .filter(sends::id.lt(last))
            .filter(sends::template_name.is_not_null())
            .filter(sends::state.eq(SendingState::Sent.as_str()))
            .group_by((sends::template_name, sends::template_language))
            .select((sends::template_name, sends::template_language, count_star()))
            .load::<UsedTemplate>(&mut { connection });
        let (by_role, active, by_template) = try_join3(by_role, active, by_template).await.map_err(failed)?;
        let of_role = |wanted: &[Role]| {
            let named = |role: &str| wanted.iter().any(|wanted| wanted.as_str() == role);
            by_role
                .iter()
                .filter(|(role, _)| named(role))
                .map(|(_, messages)| count_of(*messages))
                .sum::<u64>()
        };
        Ok(DayUsage {
            day,
            received: of_role(&[Role::Customer]),
            sent: of_role(&[Role::Team, Role::Assistant]),
            templates: by_category(connection, workspace, &by_template).await.map_err(failed)?,
            active_customers: count_of(active),
        })
    }
}

/// Counts sends by their templates' categories; of a template in several accounts, the category of one.
async fn by_category(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    used: &[UsedTemplate],
) -> QueryResult<BTreeMap<String, u64>> {
    let names: Vec<&str> = used.iter().filter_map(|(name, ..)| name.as_deref()).collect();
    let known: Vec<(String, String, String)> = templates::table
        .filter(templates::workspace_id.eq(workspace.uuid()))
        .filter(templates::name.eq_any(names))
        .select((templates::name, templates::language, templates::category))
        .load(&mut { connection })
        .await?;
    let mut sent: BTreeMap<String, u64> = BTreeMap::new();
    for (name, language, sends) in used {
        let is_it = |(of, in_language, _): &&(String, String, String)| {
            Some(of) == name.as_ref() && Some(in_language) == language.as_ref()
        };
        let category = known.iter().find(is_it).map(|(.., category)| category.to_lowercase());
        *sent.entry(category.unwrap_or_else(|| "unknown".to_owned())).or_default() += count_of(*sends);
    }
    Ok(sent)
}

#[async_trait]
impl UsageDays for PgWorkspaces {
    async fn count(&self, workspace: WorkspaceId, day: Date) -> Result<DayUsage, StoreError> {
        let (first, last) = (first_id(day), day.next_day().map_or(uuid::Uuid::max(), first_id));
        self.count_between(workspace, day, first, last).await
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
            let (received, sent, active_customers) = (count_of(received), count_of(sent), count_of(active));
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
            .on_conflict((usage_days::day,))
            .set_excluded(usage_days::received)
            .set_excluded(usage_days::sent)
            .set_excluded(usage_days::templates)
            .set_excluded(usage_days::active_customers)
            .set_excluded(usage_days::counted_at)
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
