//! The probe that identifies the database's keys.

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, NullableExpressionMethods, OptionalExtension, QueryDsl,
    QueryResult, Queryable, Selectable, SelectableHelper, dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    messages::NetworkMessageId,
    vault::{
        KeyProbe, SealContext, Trace, Traces,
        ports::{KeyProbes, Purpose, WalkStep},
        probe_place,
    },
};
use futures_util::future::{try_join, try_join3};

use super::walk::{count, nothing};
use crate::{
    error::{failed, unreadable},
    places,
    schema::{
        accounts, api_keys, idempotency_keys, invitations, key_probe, members, messages, recovery_codes,
        sends, sessions, webhook_addresses,
    },
    sql::RunQueryDsl,
    vault::PgSealedValues,
};

pub(super) const NAME: &str = "key_probe.probe_sealed";

/// Sampled rows of each table, enough to show what seals it.
const SOME: i64 = 5;

/// Number of oldest rows to examine of those with both a sealed and a hashed network id.
const OLDEST: i64 = 20;

#[derive(Queryable, Selectable)]
#[diesel(table_name = key_probe)]
struct KeptRow {
    probe_sealed: Option<Vec<u8>>,
    probe_hash: Option<Vec<u8>>,
}

struct Sealed {
    place: SealContext,
    value: Vec<u8>,
}

/// A network id, kept both sealed and hashed.
#[derive(Queryable)]
struct BothWaysRow {
    workspace_id: uuid::Uuid,
    id: uuid::Uuid,
    network_id_sealed: Option<Vec<u8>>,
    network_id_hash: Option<Vec<u8>>,
}

type SealedRow = (uuid::Uuid, uuid::Uuid, Option<Vec<u8>>);

#[async_trait]
impl KeyProbes for PgSealedValues {
    async fn key_probe(&self) -> Result<KeyProbe, StoreError> {
        let Some(kept) = self.kept_probe().await? else { return Ok(KeyProbe::default()) };
        let hash = kept.probe_hash.map(<[u8; 32]>::try_from).transpose();
        Ok(KeyProbe { sealed: kept.probe_sealed, hash: hash.map_err(|_| unreadable("hash"))? })
    }

    async fn traces(&self) -> Result<Traces, StoreError> {
        let connection = self.database.connection().await?;
        let sealed = some_sealed(&connection).await.map_err(failed)?;
        let both_ways: Vec<BothWaysRow> = sends::table
            .filter(sends::network_id_sealed.ne(Vec::<u8>::new()))
            .filter(sends::network_id_hash.is_not_null())
            .order((sends::workspace_id, sends::id))
            .limit(OLDEST)
            .select((sends::workspace_id, sends::id, sends::network_id_sealed, sends::network_id_hash))
            .load(&mut &*connection)
            .await
            .map_err(failed)?;
        let is_any_hashed = is_any_hashed(&connection).await.map_err(failed)?;
        drop(connection);
        let is_sealed = !(sealed.is_empty() && both_ways.is_empty());
        let opens =
            sealed.iter().any(|sealed| self.database.vault.open(&sealed.value, &sealed.place).is_ok());
        // The oldest, since a process with another key may have hashed newer ones for a while.
        let shown = both_ways.iter().find_map(|row| self.is_hashed_by_this(row));
        let ids = both_ways.iter().filter_map(|row| row.network_id_sealed.as_ref());
        let mut values = sealed.iter().map(|sealed| &sealed.value).chain(ids);
        Ok(Traces {
            bound: values.any(|sealed| self.database.vault.is_bound(sealed)),
            sealed: match (is_sealed, opens || shown.is_some()) {
                (false, _) => Trace::Nothing,
                (true, true) => Trace::Right,
                (true, false) => Trace::Wrong,
            },
            hashed: match shown {
                Some(true) => Trace::Right,
                Some(false) => Trace::Wrong,
                None if is_any_hashed || !both_ways.is_empty() => Trace::Unclear,
                None => Trace::Nothing,
            },
        })
    }

    async fn keep_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(
            diesel::insert_into(key_probe::table)
                .values(key_probe::is_only.eq(true))
                .on_conflict_do_nothing(),
        );
        flight.add(
            diesel::update(key_probe::table.filter(key_probe::probe_sealed.is_null()))
                .set(key_probe::probe_sealed.eq(probe.sealed.as_deref())),
        );
        flight.add(
            diesel::update(key_probe::table.filter(key_probe::probe_hash.is_null()))
                .set(key_probe::probe_hash.eq(probe.hash.as_ref().map(<[u8; 32]>::as_slice))),
        );
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn replace_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(
            diesel::insert_into(key_probe::table)
                .values(key_probe::is_only.eq(true))
                .on_conflict_do_nothing(),
        );
        flight.add(diesel::update(key_probe::table).set((
            key_probe::probe_sealed.eq(probe.sealed.as_deref()),
            key_probe::probe_hash.eq(probe.hash.as_ref().map(<[u8; 32]>::as_slice)),
        )));
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn advance_key_probe(&self, was: &[u8], now: &[u8]) -> Result<bool, StoreError> {
        // Only if it has not changed meanwhile.
        let mut connection = self.database.connection().await?;
        let advanced = diesel::update(key_probe::table.filter(key_probe::probe_sealed.eq(was)))
            .set(key_probe::probe_sealed.eq(now))
            .execute(&mut connection)
            .await;
        Ok(advanced.map_err(failed)? > 0)
    }
}

/// Samples values that are sealed whenever a workspace does anything.
async fn some_sealed(mut connection: &AsyncPgConnection) -> QueryResult<Vec<Sealed>> {
    let tokens = accounts::table
        .filter(accounts::token_sealed.ne(Vec::<u8>::new()))
        .order((accounts::workspace_id, accounts::id))
        .limit(SOME)
        .select((accounts::workspace_id, accounts::id, accounts::token_sealed.nullable()))
        .load::<SealedRow>(&mut connection);
    let secrets = webhook_addresses::table
        .filter(webhook_addresses::secret_sealed.ne(Vec::<u8>::new()))
        .order((webhook_addresses::workspace_id, webhook_addresses::id))
        .limit(SOME)
        .select((
            webhook_addresses::workspace_id,
            webhook_addresses::id,
            webhook_addresses::secret_sealed.nullable(),
        ))
        .load::<SealedRow>(&mut connection);
    let factors = members::table
        .filter(members::totp_sealed.ne(Vec::<u8>::new()))
        .order((members::workspace_id, members::id))
        .limit(SOME)
        .select((members::workspace_id, members::id, members::totp_sealed))
        .load::<SealedRow>(&mut connection);
    let (tokens, secrets, factors) = try_join3(tokens, secrets, factors).await?;
    let sealed = |rows: Vec<SealedRow>, place: fn(uuid::Uuid, uuid::Uuid) -> SealContext| {
        rows.into_iter().filter_map(move |(workspace, id, value)| {
            Some(Sealed { place: place(workspace, id), value: value? })
        })
    };
    let tokens = sealed(tokens, |workspace, id| places::token(workspace.into(), id.into()));
    let secrets = sealed(secrets, |workspace, id| places::secret(workspace.into(), id.into()));
    let factors = sealed(factors, |workspace, id| places::totp(workspace.into(), id.into()));
    Ok(tokens.chain(secrets).chain(factors).collect())
}

/// Whether anything but network ids of sends is kept as a hash, for longer than counts of sign-in attempts.
async fn is_any_hashed(mut connection: &AsyncPgConnection) -> QueryResult<bool> {
    let hashed = messages::table.filter(messages::network_id_hash.is_not_null()).select(messages::id);
    let by_hash = diesel::select(
        exists(api_keys::table.select(api_keys::key_hash))
            .or(exists(sessions::table.select(sessions::token_hash)))
            .or(exists(invitations::table.select(invitations::token_hash))),
    )
    .get_result::<bool>(&mut connection);
    let of_workspaces = diesel::select(
        exists(recovery_codes::table.select(recovery_codes::code_hash))
            .or(exists(idempotency_keys::table.select(idempotency_keys::key_hash)))
            .or(exists(hashed)),
    )
    .get_result::<bool>(&mut connection);
    let (by_hash, of_workspaces) = try_join(by_hash, of_workspaces).await?;
    Ok(by_hash || of_workspaces)
}

impl PgSealedValues {
    async fn kept_probe(&self) -> Result<Option<KeptRow>, StoreError> {
        let mut connection = self.database.connection().await?;
        let kept = key_probe::table.select(KeptRow::as_select()).get_result(&mut connection).await;
        kept.optional().map_err(failed)
    }

    /// Whether this process's key made the row's hash; `None` if the sealed id cannot be opened.
    fn is_hashed_by_this(&self, row: &BothWaysRow) -> Option<bool> {
        let place = places::network_id(row.workspace_id.into(), row.id.into());
        let opened = self.database.vault.open(row.network_id_sealed.as_deref()?, &place).ok()?;
        let id = NetworkMessageId::from(String::from_utf8(opened).ok()?);
        Some(row.network_id_hash.as_deref() == Some(self.database.network_id_hash(&id).as_slice()))
    }

    pub(super) async fn probe_step(&self, purpose: Purpose) -> Result<WalkStep, StoreError> {
        let sealed = self.kept_probe().await?.and_then(|kept| kept.probe_sealed);
        let mut step = WalkStep { rows: count(sealed.iter().len()), ..nothing(NAME) };
        let Some(was) = sealed.filter(|sealed| !sealed.starts_with(&self.database.vault.sealed_prefix()))
        else {
            return Ok(step);
        };
        if let Some(value) = self.sealed_anew(&mut step, &was, probe_place, purpose)? {
            step.resealed = self.advance_key_probe(&was, &value).await?.into();
        }
        Ok(step)
    }
}
