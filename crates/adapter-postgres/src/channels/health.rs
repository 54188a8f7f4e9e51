//! The health of accounts and their numbers, and alerts to owners.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl, QueryResult, Queryable, QueryableByName, Selectable, SelectableHelper,
    dsl::exists,
    sql_types::{BigInt, Nullable, Text, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use domain::{
    channels::{
        AccountReport, AlertKind, ChannelAlert, ChannelError, ChannelKind, ConnectionReport, ListedNumber,
        Number, NumberHealth, NumberReport, NumberState, PageReport, Quality, alert_of_number,
        ports::ChannelHealth,
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    live::LiveKind,
    phone::PhoneNumber,
};
use futures_util::future::{try_join, try_join3};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::PgChannels;
use crate::{
    Database,
    error::{failed, unreadable},
    live::tell,
    schema::{accounts, channel_alerts, channels, number_healths, workspaces},
    sql::{RunQueryDsl, insert, statement},
    transaction::Flight,
};

/// The newest refusal of each number since a time that was not about the message itself, among the newest
/// 2,000 sends. The codes are those of [`domain::channels::CODES_OF_CHANNELS`].
pub(super) const ERRORS: &str = "
    SELECT DISTINCT ON (channel.network_id) channel.network_id, refused.error_code, refused.error,
           coalesce(refused.failed_at, refused.settled_at, refused.created_at) AS at
    FROM (
        SELECT channel_id, error_code, error, failed_at, settled_at, created_at FROM sends
        WHERE workspace_id = :workspace ORDER BY id DESC LIMIT 2000
    ) refused
    JOIN channels channel ON channel.workspace_id = :workspace AND channel.id = refused.channel_id
    WHERE refused.created_at >= :since
      AND refused.error_code IN (3, 10, 190, 200, 368, 131005, 131031, 131037, 131042, 131045, 131048, 131064, 133010)
    ORDER BY channel.network_id, refused.created_at DESC";

#[derive(QueryableByName)]
struct ErrorRow {
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = BigInt)]
    error_code: i64,
    #[diesel(sql_type = Nullable<Text>)]
    error: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    at: OffsetDateTime,
}

/// An account's id and problem, and for a page its name and the time when it was last read.
type AccountRow = (uuid::Uuid, Option<serde_json::Value>, Option<String>, Option<OffsetDateTime>);

#[derive(Queryable, Selectable)]
#[diesel(table_name = number_healths)]
struct HealthRow {
    account_id: uuid::Uuid,
    network_id: String,
    phone: String,
    state: String,
    quality: String,
    name: Option<String>,
    name_state: Option<String>,
    messaging_limit: Option<String>,
    read_at: OffsetDateTime,
}

#[derive(Serialize, Deserialize)]
struct KeptProblem {
    code: i64,
    message: String,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

impl HealthRow {
    fn health(&self) -> Result<NumberHealth, StoreError> {
        Ok(NumberHealth {
            state: NumberState::read(&self.state).ok_or_else(|| unreadable("state"))?,
            quality: Quality::read(&self.quality).ok_or_else(|| unreadable("quality"))?,
            name: self.name.clone(),
            name_state: self.name_state.clone(),
            messaging_limit: self.messaging_limit.clone(),
        })
    }
}

fn read_problem(kept: serde_json::Value) -> Result<ChannelError, StoreError> {
    let KeptProblem { code, message, at } =
        serde_json::from_value(kept).map_err(|_| unreadable("problem"))?;
    Ok(ChannelError { code, message, at })
}

pub(crate) struct NewAlert {
    id: uuid::Uuid,
    account_network_id: String,
    phone: Option<String>,
    kind: AlertKind,
    detail: Option<String>,
    at: OffsetDateTime,
}

impl NewAlert {
    pub(crate) fn of_account(
        database: &Database,
        account_network_id: &str,
        kind: AlertKind,
        detail: Option<&str>,
        at: OffsetDateTime,
    ) -> Self {
        Self {
            id: database.ids.next(),
            account_network_id: account_network_id.to_owned(),
            phone: None,
            kind,
            detail: detail.filter(|detail| !detail.is_empty()).map(str::to_owned),
            at,
        }
    }
}

pub(crate) fn alert(flight: &mut Flight<'_>, workspace: WorkspaceId, alerts: &[NewAlert]) {
    flight.insert(
        insert(channel_alerts::table, workspace, alerts)
            .column(channel_alerts::id, |alert| alert.id)
            .column(channel_alerts::account_network_id, |alert| alert.account_network_id.as_str())
            .column(channel_alerts::phone, |alert| alert.phone.as_deref())
            .column(channel_alerts::kind, |alert| alert.kind.as_str())
            .column(channel_alerts::detail, |alert| alert.detail.as_deref())
            .column(channel_alerts::created_at, |alert| alert.at),
    );
}

/// Loads the stored network id, state and quality of the numbers of an account, which the caller has locked.
pub(super) async fn known(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    account: AccountId,
) -> QueryResult<Vec<(String, String, String)>> {
    number_healths::table
        .filter(number_healths::workspace_id.eq(workspace.uuid()))
        .filter(number_healths::account_id.eq(account.uuid()))
        .select((number_healths::network_id, number_healths::state, number_healths::quality))
        .load(&mut { connection })
        .await
}

/// Replaces the stored health of the numbers, with alerts and a notification about what has changed.
pub(super) fn keep_health(
    flight: &mut Flight<'_>,
    database: &Database,
    workspace: WorkspaceId,
    account: (AccountId, &str),
    numbers: &[&ListedNumber],
    before: &[(String, String, String)],
    now: OffsetDateTime,
) {
    let (account, account_network_id) = account;
    let stood = |number: &ListedNumber| {
        let (_, state, quality) = before.iter().find(|(id, ..)| *id == number.network_id)?;
        let (state, quality) = (NumberState::read(state)?, Quality::read(quality)?);
        Some(NumberHealth { state, quality, ..NumberHealth::default() })
    };
    let alerts: Vec<NewAlert> = numbers
        .iter()
        .filter_map(|number| {
            Some(NewAlert {
                id: database.ids.next(),
                account_network_id: account_network_id.to_owned(),
                phone: Some(number.phone.as_str().to_owned()),
                kind: alert_of_number(stood(number).as_ref(), &number.health)?,
                detail: None,
                at: now,
            })
        })
        .collect();
    let network_ids: Vec<&str> = numbers.iter().map(|number| number.network_id.as_str()).collect();
    let is_news = before.len() != numbers.len()
        || numbers.iter().any(|number| {
            stood(number).is_none_or(|before| {
                before.state != number.health.state || before.quality != number.health.quality
            })
        });
    flight.add(
        diesel::delete(number_healths::table)
            .filter(number_healths::workspace_id.eq(workspace.uuid()))
            .filter(number_healths::account_id.eq(account.uuid()))
            .filter(number_healths::network_id.ne_all(network_ids)),
    );
    flight.insert(
        insert(number_healths::table, workspace, numbers)
            .column(number_healths::account_id, |_| account.uuid())
            .column(number_healths::network_id, |number| number.network_id.as_str())
            .column(number_healths::phone, |number| number.phone.as_str())
            .column(number_healths::state, |number| number.health.state.as_str())
            .column(number_healths::quality, |number| number.health.quality.as_str())
            .column(number_healths::name, |number| number.health.name.as_deref())
            .column(number_healths::name_state, |number| number.health.name_state.as_deref())
            .column(number_healths::messaging_limit, |number| number.health.messaging_limit.as_deref())
            .column(number_healths::read_at, |_| now)
            .on_conflict((number_healths::account_id, number_healths::network_id))
            .set_excluded(number_healths::phone)
            .set_excluded(number_healths::state)
            .set_excluded(number_healths::quality)
            .set_excluded(number_healths::name)
            .set_excluded(number_healths::name_state)
            .set_excluded(number_healths::messaging_limit)
            .set_excluded(number_healths::read_at),
    );
    flight.add(
        diesel::update(accounts::table.find((workspace.uuid(), account.uuid())))
            .filter(accounts::problem.is_not_null())
            .set(accounts::problem.eq(None::<serde_json::Value>)),
    );
    alert(flight, workspace, &alerts);
    if is_news {
        tell(flight, workspace, LiveKind::ChannelsChanged, &[(None, None)]);
    }
}

#[async_trait]
impl ChannelHealth for PgChannels {
    async fn reports(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
    ) -> Result<Vec<AccountReport>, StoreError> {
        let connection = self.database.connection().await?;
        let connection = &*connection;
        let known = accounts::table
            .filter(accounts::workspace_id.eq(workspace.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .order((accounts::connected_at, accounts::id))
            .select((accounts::id, accounts::problem, accounts::page_name, accounts::page_read_at))
            .load::<AccountRow>(&mut { connection });
        let healths = number_healths::table
            .filter(number_healths::workspace_id.eq(workspace.uuid()))
            .order(number_healths::network_id)
            .select(HealthRow::as_select())
            .load::<HealthRow>(&mut { connection });
        let errors = statement(ERRORS).of(workspace).bind::<Timestamptz, _>("since", since);
        let errors = async { errors.load::<ErrorRow>(&mut { connection }).await };
        let (known, healths, errors) = try_join3(known, healths, errors).await.map_err(failed)?;
        let channels = super::connected(connection, workspace);
        let pages = channels::table
            .filter(channels::workspace_id.eq(workspace.uuid()))
            .filter(channels::kind.ne(Number::NETWORK.as_str()))
            .filter(channels::disconnected_at.is_null())
            .order((channels::connected_at, channels::position, channels::id))
            .select((channels::account_id, channels::id, channels::network_id, channels::kind))
            .load::<(uuid::Uuid, uuid::Uuid, String, String)>(&mut { connection });
        let pages = async { pages.await.map_err(failed) };
        let (channels, pages) = try_join(channels, pages).await?;
        let error_of = |network_id: &str| {
            let error = errors.iter().find(|error| error.network_id == network_id)?;
            let message = error.error.clone().unwrap_or_default();
            Some(ChannelError { code: error.error_code, message, at: error.at })
        };
        let connections = |account: uuid::Uuid| {
            let of_account = pages.iter().filter(|(of, ..)| *of == account);
            let report = |(_, id, network_id, kind): &(uuid::Uuid, uuid::Uuid, String, String)| {
                Ok::<_, StoreError>(ConnectionReport {
                    channel: (*id).into(),
                    network_id: network_id.clone(),
                    kind: ChannelKind::read(kind).ok_or_else(|| unreadable("channel"))?,
                    last_error: error_of(network_id),
                })
            };
            of_account.map(report).collect::<Result<Vec<_>, StoreError>>()
        };
        let number = |row: &HealthRow| {
            Ok::<_, StoreError>(NumberReport {
                channel: channels.iter().find(|one| one.network_id == row.network_id).map(|one| one.id),
                network_id: row.network_id.clone(),
                phone: PhoneNumber::from_e164(&row.phone).map_err(|_| unreadable("phone number"))?,
                health: row.health()?,
                last_error: error_of(&row.network_id),
                read_at: row.read_at,
            })
        };
        let report = |(account, problem, name, read_at): AccountRow| {
            let connections = connections(account)?;
            let page = (!connections.is_empty()).then_some(PageReport { name, read_at, connections });
            Ok::<_, StoreError>(AccountReport {
                account: account.into(),
                problem: problem.map(read_problem).transpose()?,
                numbers: healths
                    .iter()
                    .filter(|row| row.account_id == account)
                    .map(number)
                    .collect::<Result<_, StoreError>>()?,
                page,
            })
        };
        known.into_iter().map(report).collect()
    }

    async fn note_problem(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        problem: &ChannelError,
    ) -> Result<(), StoreError> {
        let ChannelError { code, message, at } = problem;
        let kept = KeptProblem { code: *code, message: message.clone(), at: *at };
        let kept = serde_json::to_value(kept).map_err(|error| StoreError::Internal(error.to_string()))?;
        let transaction = self.database.transaction().await?;
        let connected = accounts::table
            .find((workspace.uuid(), account.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select((accounts::network_id, accounts::problem))
            .for_no_key_update()
            .load::<(String, Option<serde_json::Value>)>(&mut &*transaction);
        let connected = transaction.begin_with(connected).await.map_err(failed)?;
        let Some((network_id, known)) = connected.into_iter().next() else { return Ok(()) };
        if known.map(read_problem).transpose()?.is_some_and(|known| known.code == *code) {
            return Ok(());
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(accounts::table.find((workspace.uuid(), account.uuid())))
                .set(accounts::problem.eq(kept)),
        );
        let news = NewAlert::of_account(&self.database, &network_id, problem.alert(), Some(message), *at);
        alert(&mut flight, workspace, &[news]);
        tell(&mut flight, workspace, LiveKind::ChannelsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn workspaces_to_tell(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        let waiting = channel_alerts::table
            .filter(channel_alerts::workspace_id.eq(workspaces::workspace_id))
            .filter(channel_alerts::mailed_at.is_null())
            .select(channel_alerts::id);
        self.database.workspaces(exists(waiting)).await
    }

    async fn take_alerts(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Vec<ChannelAlert>, StoreError> {
        type Row = (uuid::Uuid, String, Option<String>, String, Option<String>);
        let mut connection = self.database.connection().await?;
        let mut rows: Vec<Row> = diesel::update(channel_alerts::table)
            .filter(channel_alerts::workspace_id.eq(workspace.uuid()))
            .filter(channel_alerts::mailed_at.is_null())
            .set(channel_alerts::mailed_at.eq(now))
            .returning((
                channel_alerts::id,
                channel_alerts::account_network_id,
                channel_alerts::phone,
                channel_alerts::kind,
                channel_alerts::detail,
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.sort_unstable_by_key(|(id, ..)| *id);
        let alert = |(_, account_network_id, phone, kind, detail): Row| {
            let phone = phone.as_deref().map(PhoneNumber::from_e164).transpose();
            Ok::<_, StoreError>(ChannelAlert {
                account_network_id,
                phone: phone.map_err(|_| unreadable("phone number"))?,
                kind: AlertKind::read(&kind).ok_or_else(|| unreadable("kind"))?,
                detail,
            })
        };
        rows.into_iter().map(alert).collect()
    }
}

#[cfg(test)]
mod tests {
    use domain::channels::CODES_OF_CHANNELS;

    #[test]
    fn the_codes_that_are_looked_for_are_those_of_the_domain() {
        let list = CODES_OF_CHANNELS.map(|code| code.to_string()).join(", ");
        let wanted = format!("error_code IN ({list})");
        assert!(super::ERRORS.contains(&wanted), "{wanted}");
    }
}
