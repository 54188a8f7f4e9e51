//! What the database tells its keys by.

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Binary, Bool, Nullable, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    messages::NetworkMessageId,
    vault::{
        KeyProbe, Trace, Traces,
        ports::{KeyProbes, Purpose, Step},
        probe_place,
    },
};

use super::walk::{count, nothing};
use crate::{
    PgStore,
    error::{failed, unreadable},
    places,
    sql::{Bind, sql},
};

pub(super) const NAME: &str = "key_probe.probe_sealed";

const KEPT: &str = "SELECT probe_sealed, probe_hash FROM key_probe";

const KEEP: &str = "
    INSERT INTO key_probe AS kept (probe_sealed, probe_hash) VALUES ($1, $2)
    ON CONFLICT (is_only) DO UPDATE SET probe_sealed = coalesce(kept.probe_sealed, excluded.probe_sealed),
                                        probe_hash = coalesce(kept.probe_hash, excluded.probe_hash)";

const REPLACE: &str = "
    INSERT INTO key_probe (probe_sealed, probe_hash) VALUES ($1, $2)
    ON CONFLICT (is_only) DO UPDATE SET probe_sealed = excluded.probe_sealed, probe_hash = excluded.probe_hash";

/// Unless it is another by now.
const ADVANCE: &str = "UPDATE key_probe SET probe_sealed = $2 WHERE probe_sealed = $1";

/// Some of what is sealed whenever a workspace does anything.
const SEALED: &str = "
    (SELECT 'token' AS kind, workspace_id, id, token_sealed AS sealed FROM accounts
     WHERE token_sealed <> '' ORDER BY workspace_id, id LIMIT 5)
    UNION ALL
    (SELECT 'secret', workspace_id, id, secret_sealed FROM webhook_addresses
     WHERE secret_sealed <> '' ORDER BY workspace_id, id LIMIT 5)
    UNION ALL
    (SELECT 'totp', workspace_id, id, totp_sealed FROM members WHERE totp_sealed <> '' ORDER BY workspace_id, id LIMIT 5)";

/// What is kept both ways: the oldest ids of the network's.
const BOTH_WAYS: &str = "
    SELECT workspace_id, id, network_id_sealed, network_id_hash FROM sends
    WHERE network_id_sealed <> '' AND network_id_hash IS NOT NULL ORDER BY workspace_id, id LIMIT 20";

/// Whether anything else is kept as a hash, for longer than a count of tries.
const HASHED: &str = "
    SELECT EXISTS (SELECT FROM api_keys) OR EXISTS (SELECT FROM sessions) OR EXISTS (SELECT FROM invitations)
        OR EXISTS (SELECT FROM recovery_codes) OR EXISTS (SELECT FROM idempotency_keys)
        OR EXISTS (SELECT FROM messages WHERE network_id_hash IS NOT NULL) AS is_any";

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Nullable<Binary>)]
    probe_sealed: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Binary>)]
    probe_hash: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct SealedRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    sealed: Vec<u8>,
}

#[derive(QueryableByName)]
struct BothWaysRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    network_id_sealed: Vec<u8>,
    #[diesel(sql_type = Binary)]
    network_id_hash: Vec<u8>,
}

#[derive(QueryableByName)]
struct AnyRow {
    #[diesel(sql_type = Bool)]
    is_any: bool,
}

#[async_trait]
impl KeyProbes for PgStore {
    async fn key_probe(&self) -> Result<KeyProbe, StoreError> {
        let Some(kept) = self.kept_probe().await? else { return Ok(KeyProbe::default()) };
        let hash = kept.probe_hash.map(<[u8; 32]>::try_from).transpose();
        Ok(KeyProbe { sealed: kept.probe_sealed, hash: hash.map_err(|_| unreadable("hash"))? })
    }

    async fn traces(&self) -> Result<Traces, StoreError> {
        let mut connection = self.connection().await?;
        let sealed: Vec<SealedRow> = sql(SEALED).load(&mut connection).await.map_err(failed)?;
        let both_ways: Vec<BothWaysRow> = sql(BOTH_WAYS).load(&mut connection).await.map_err(failed)?;
        let hashed: AnyRow = sql(HASHED).get_result(&mut connection).await.map_err(failed)?;
        let is_sealed = !(sealed.is_empty() && both_ways.is_empty());
        let opens = sealed.iter().any(|row| self.opens(row));
        // The oldest: a process with another key may have hashed some for a while.
        let shown = both_ways.iter().find_map(|row| self.is_hashed_by_this(row));
        let mut values =
            sealed.iter().map(|row| &row.sealed).chain(both_ways.iter().map(|row| &row.network_id_sealed));
        Ok(Traces {
            bound: values.any(|sealed| self.vault.is_bound(sealed)),
            sealed: match (is_sealed, opens || shown.is_some()) {
                (false, _) => Trace::Nothing,
                (true, true) => Trace::Right,
                (true, false) => Trace::Wrong,
            },
            hashed: match shown {
                Some(true) => Trace::Right,
                Some(false) => Trace::Wrong,
                None if hashed.is_any || !both_ways.is_empty() => Trace::Unclear,
                None => Trace::Nothing,
            },
        })
    }

    async fn keep_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError> {
        self.write_probe(KEEP, probe).await
    }

    async fn replace_key_probe(&self, probe: &KeyProbe) -> Result<(), StoreError> {
        self.write_probe(REPLACE, probe).await
    }

    async fn advance_key_probe(&self, was: &[u8], now: &[u8]) -> Result<bool, StoreError> {
        Ok(self.advance(was, now).await? > 0)
    }
}

impl PgStore {
    async fn kept_probe(&self) -> Result<Option<KeptRow>, StoreError> {
        let mut connection = self.connection().await?;
        sql(KEPT).get_result(&mut connection).await.optional().map_err(failed)
    }

    async fn write_probe(&self, statement: &'static str, probe: &KeyProbe) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let write = sql(statement)
            .bind::<Nullable<Binary>, _>(probe.sealed.as_deref())
            .bind::<Nullable<Binary>, _>(probe.hash.as_ref().map(<[u8; 32]>::as_slice));
        write.execute(&mut connection).await.map(drop).map_err(failed)
    }

    fn opens(&self, row: &SealedRow) -> bool {
        let workspace = row.workspace_id.into();
        let place = match row.kind.as_str() {
            "token" => places::token(workspace, row.id.into()),
            "secret" => places::secret(workspace, row.id.into()),
            _ => places::totp(workspace, row.id.into()),
        };
        self.vault.open(&row.sealed, &place).is_ok()
    }

    /// Unknown where it cannot be opened.
    fn is_hashed_by_this(&self, row: &BothWaysRow) -> Option<bool> {
        let place = places::network_id(row.workspace_id.into(), row.id.into());
        let opened = self.vault.open(&row.network_id_sealed, &place).ok()?;
        let id = NetworkMessageId::from(String::from_utf8(opened).ok()?);
        Some(self.network_id_hash(&id).as_slice() == row.network_id_hash)
    }

    /// The probe as a part of a walk.
    pub(super) async fn probe_step(&self, purpose: Purpose) -> Result<Step, StoreError> {
        let sealed = self.kept_probe().await?.and_then(|kept| kept.probe_sealed);
        let mut step = Step { rows: count(sealed.iter().len()), ..nothing(NAME) };
        let Some(was) = sealed.filter(|sealed| !sealed.starts_with(&self.vault.sealed_prefix())) else {
            return Ok(step);
        };
        if let Some(value) = self.sealed_anew(&mut step, &was, probe_place, purpose)? {
            step.resealed = count(self.advance(&was, &value).await?);
        }
        Ok(step)
    }

    async fn advance(&self, was: &[u8], now: &[u8]) -> Result<usize, StoreError> {
        let mut connection = self.connection().await?;
        let replace = sql(ADVANCE).bind::<Binary, _>(was).bind::<Binary, _>(now);
        replace.execute(&mut connection).await.map_err(failed)
    }
}
