//! A walk: by workspace, in each by column, and at the end the values of no workspace, namely the quarantine
//! and the probe of the keys.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Timestamptz, Uuid},
};
use domain::{
    errors::StoreError,
    vault::{
        SealContext,
        ports::{Purpose, Walk, WalkStep},
    },
};
use time::OffsetDateTime;

use super::columns::{COLUMNS, Column};
use crate::{
    error::{failed, locked},
    schema::workspaces,
    sql::{RunQueryDsl, statement},
    vault::PgSealedValues,
};

/// Rows read by one statement, and values resealed by another.
pub(super) const AT_ONCE: usize = 500;

enum WalkPosition {
    /// After this workspace.
    Behind(uuid::Uuid),
    /// In a workspace, in the column of this number, after a row.
    Rows {
        workspace: uuid::Uuid,
        column: usize,
        after: uuid::Uuid,
    },
    /// In the quarantine, after a row.
    Quarantine(i64),
    Probe,
    End,
}

/// A walk through one store. Uses connections for deliveries: these plan by keys, whatever the size of a
/// day's table is when the plan is made.
pub(super) struct PgWalk {
    store: PgSealedValues,
    purpose: Purpose,
    place: WalkPosition,
}

/// A row's key in its workspace, with its value if that is not sealed as it should be.
#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Integer)]
    part: i32,
    /// Time by which the table is partitioned.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Binary>)]
    value: Option<Vec<u8>>,
}

pub(super) struct Fresh<Id> {
    pub(super) id: Id,
    pub(super) at: Option<OffsetDateTime>,
    pub(super) was: Vec<u8>,
    pub(super) value: Vec<u8>,
}

#[async_trait]
impl Walk for PgWalk {
    async fn step(&mut self) -> Result<Option<WalkStep>, StoreError> {
        loop {
            match self.place {
                WalkPosition::Behind(workspace) => {
                    let start =
                        |workspace| WalkPosition::Rows { workspace, column: 0, after: uuid::Uuid::nil() };
                    let next = self.store.next_workspace(workspace).await?;
                    self.place = next.map_or(WalkPosition::Quarantine(0), start);
                }
                WalkPosition::Rows { workspace, column, after } => {
                    let Some(of) = COLUMNS.get(column) else {
                        self.place = WalkPosition::Behind(workspace);
                        continue;
                    };
                    let (step, last) = self.store.step(of, workspace, after, self.purpose).await?;
                    self.place = match last {
                        Some(after) => WalkPosition::Rows { workspace, column, after },
                        None => {
                            WalkPosition::Rows { workspace, column: column + 1, after: uuid::Uuid::nil() }
                        }
                    };
                    return Ok(Some(step));
                }
                WalkPosition::Quarantine(after) => {
                    let (step, last) = self.store.quarantine_step(after, self.purpose).await?;
                    self.place = last.map_or(WalkPosition::Probe, WalkPosition::Quarantine);
                    return Ok(Some(step));
                }
                // Last, so that the next start notices if a key was dropped before a walk was complete.
                WalkPosition::Probe => {
                    let step = self.store.probe_step(self.purpose).await?;
                    self.place = WalkPosition::End;
                    return Ok(Some(step));
                }
                WalkPosition::End => return Ok(None),
            }
        }
    }
}

impl PgWalk {
    pub(super) fn new(store: PgSealedValues, purpose: Purpose) -> Self {
        Self { store, purpose, place: WalkPosition::Behind(uuid::Uuid::nil()) }
    }
}

impl PgSealedValues {
    async fn next_workspace(&self, after: uuid::Uuid) -> Result<Option<uuid::Uuid>, StoreError> {
        let mut connection = self.database.connection().await?;
        workspaces::table
            .filter(workspaces::workspace_id.gt(after))
            .order(workspaces::workspace_id)
            .limit(1)
            .select(workspaces::workspace_id)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)
    }

    /// Walks over the next rows of a column. Returns the last one if there may be more.
    async fn step(
        &self,
        column: &'static Column,
        workspace: uuid::Uuid,
        after: uuid::Uuid,
        purpose: Purpose,
    ) -> Result<(WalkStep, Option<uuid::Uuid>), StoreError> {
        let rows = self.read(column, workspace, after, purpose).await?;
        let last = rows.last().filter(|_| rows.len() >= AT_ONCE).map(|row| row.id);
        let mut step = WalkStep { rows: count(rows.len()), ..nothing(column.name) };
        let mut fresh = Vec::new();
        for row in rows {
            let Some(was) = row.value else { continue };
            let place = || (column.place)(workspace.into(), row.id, row.part);
            if let Some(value) = self.sealed_anew(&mut step, &was, place, purpose)? {
                fresh.push(Fresh { id: row.id, at: row.at, was, value });
            }
        }
        if !fresh.is_empty() {
            step.resealed = self.replace(column, workspace, &fresh).await?;
        }
        Ok((step, last))
    }

    async fn read(
        &self,
        column: &'static Column,
        workspace: uuid::Uuid,
        after: uuid::Uuid,
        purpose: Purpose,
    ) -> Result<Vec<Row>, StoreError> {
        let mut connection = self.database.delivering().await?;
        statement(&column.read)
            .bind::<Uuid, _>("workspace", workspace)
            .bind::<Uuid, _>("after", after)
            .bind::<BigInt, _>("rows", i64::try_from(AT_ONCE).unwrap_or(i64::MAX))
            .bind::<Binary, _>("prefix", self.database.vault.sealed_prefix())
            .bind::<Bool, _>("whole", purpose == Purpose::Reseal)
            .load(&mut connection)
            .await
            .map_err(failed)
    }

    pub(super) async fn replace(
        &self,
        column: &'static Column,
        workspace: uuid::Uuid,
        fresh: &[Fresh<uuid::Uuid>],
    ) -> Result<u64, StoreError> {
        let mut connection = self.database.delivering().await?;
        let ids: Vec<_> = fresh.iter().map(|fresh| fresh.id).collect();
        let before: Vec<_> = fresh.iter().map(|fresh| fresh.was.as_slice()).collect();
        let after: Vec<_> = fresh.iter().map(|fresh| fresh.value.as_slice()).collect();
        let times: Vec<_> = fresh.iter().map(|fresh| fresh.at).collect();
        let replaced = statement(&column.reseal)
            .bind::<Uuid, _>("workspace", workspace)
            .bind::<Array<Uuid>, _>("ids", ids)
            .bind::<Array<Binary>, _>("before", before)
            .bind::<Array<Binary>, _>("after", after)
            .bind::<Array<Nullable<Timestamptz>>, _>("times", times)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(count(replaced))
    }

    /// Counts a value that another key has sealed, or that is not bound to its place, and reseals it if that
    /// is the walk's purpose. `None` if it is not, or the value cannot be opened.
    pub(super) fn sealed_anew(
        &self,
        step: &mut WalkStep,
        was: &[u8],
        place: impl FnOnce() -> SealContext,
        purpose: Purpose,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        step.others += 1;
        if purpose == Purpose::Count {
            return Ok(None);
        }
        let place = place();
        let Ok(plain) = self.database.vault.open(was, &place) else {
            step.unreadable += 1;
            return Ok(None);
        };
        self.database.vault.seal(&plain, &place).map(Some).map_err(locked)
    }
}

pub(super) fn nothing(column: &'static str) -> WalkStep {
    WalkStep { column, rows: 0, others: 0, resealed: 0, unreadable: 0 }
}

pub(super) fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
