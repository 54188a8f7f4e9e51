//! Imports of lists of people in the background.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, PgJsonbExpressionMethods, QueryDsl, Queryable, Selectable,
    SelectableHelper, dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    contacts::{
        Contact, ContactName, ImportJob, ImportPart, ImportReport, ImportState, People, RefusedRow, RowError,
        StagedRows, ports::ImportJobStore,
    },
    errors::StoreError,
    ids::{ImportJobId, WorkspaceId},
    live::LiveKind,
    phone::PhoneNumber,
};
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{PgContacts, store};
use crate::{
    audit::audit,
    error::{failed, is_duplicate, unreadable},
    live::tell,
    schema::{import_job_parts, import_jobs, workspaces},
    sql::{RunQueryDsl, storable, word},
    transaction::{Flight, Transaction},
};

const ARRIVING: &str = ImportState::Arriving.as_str();
const RUNNING: &str = ImportState::Running.as_str();

#[derive(Queryable, Selectable)]
#[diesel(table_name = import_jobs)]
struct JobRow {
    id: uuid::Uuid,
    member_id: uuid::Uuid,
    name: String,
    state: String,
    people: i64,
    created: i64,
    known: i64,
    refused: i64,
    not_read: Vec<String>,
    created_at: OffsetDateTime,
    changed_at: OffsetDateTime,
}

impl JobRow {
    fn read(self) -> Result<ImportJob, StoreError> {
        Ok(ImportJob {
            id: self.id.into(),
            member: self.member_id.into(),
            name: self.name,
            state: ImportState::read(&self.state).ok_or_else(|| unreadable("state of an import"))?,
            people: count(self.people)?,
            report: ImportReport {
                created: count(self.created)?,
                known: count(self.known)?,
                refused: count(self.refused)?,
            },
            not_read: self.not_read,
            created_at: self.created_at,
            changed_at: self.changed_at,
        })
    }
}

fn count(kept: i64) -> Result<u64, StoreError> {
    u64::try_from(kept).map_err(|_| unreadable("count"))
}

fn kept(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[derive(Serialize, Deserialize)]
struct KeptRefusal {
    line: u64,
    why: String,
}

impl From<&RefusedRow> for KeptRefusal {
    fn from(RefusedRow { line, why }: &RefusedRow) -> Self {
        Self { line: *line, why: why.as_str().to_owned() }
    }
}

impl KeptRefusal {
    fn read(self) -> Result<RefusedRow, StoreError> {
        let why = RowError::read(&self.why).ok_or_else(|| unreadable("reason of a refused row"))?;
        Ok(RefusedRow { line: self.line, why })
    }
}

#[derive(Serialize, Deserialize)]
struct KeptPerson {
    phone: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl KeptPerson {
    fn read(self) -> Result<(PhoneNumber, Option<ContactName>), StoreError> {
        let phone = PhoneNumber::from_e164(&self.phone).map_err(|_| unreadable("number"))?;
        let name = self.name.as_deref().map(ContactName::read).transpose();
        Ok((phone, name.map_err(|_| unreadable("name"))?))
    }
}

fn people_of(people: &People) -> serde_json::Value {
    let person = |(phone, name): (&PhoneNumber, &Option<ContactName>)| KeptPerson {
        phone: phone.as_str().to_owned(),
        name: name.as_ref().map(|name| name.as_str().to_owned()),
    };
    serde_json::json!(people.iter().map(person).collect::<Vec<_>>())
}

fn read_people(kept: serde_json::Value) -> Result<People, StoreError> {
    let people: Vec<KeptPerson> =
        serde_json::from_value(kept).map_err(|_| unreadable("part of an import"))?;
    people.into_iter().map(KeptPerson::read).collect()
}

fn tell_of_imports(flight: &mut Flight<'_>, workspace: WorkspaceId) {
    tell(flight, workspace, LiveKind::ImportsChanged, &[(None, None)]);
}

fn remove(flight: &mut Flight<'_>, workspace: WorkspaceId, job: uuid::Uuid) {
    remove_parts(flight, workspace, job);
    flight.add(
        diesel::delete(import_jobs::table)
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::id.eq(job)),
    );
}

fn remove_parts(flight: &mut Flight<'_>, workspace: WorkspaceId, job: uuid::Uuid) {
    flight.add(
        diesel::delete(import_job_parts::table)
            .filter(import_job_parts::workspace_id.eq(workspace.uuid()))
            .filter(import_job_parts::job_id.eq(job)),
    );
}

/// Locks the job while it is in this state. Everybody who changes one of its parts locks it first.
fn locked<'t>(
    transaction: &'t Transaction,
    workspace: WorkspaceId,
    id: ImportJobId,
    state: &'static str,
) -> impl Future<Output = diesel::QueryResult<Option<uuid::Uuid>>> + Send + 't {
    let connection: &AsyncPgConnection = transaction;
    let locked = import_jobs::table
        .filter(import_jobs::workspace_id.eq(workspace.uuid()))
        .filter(import_jobs::id.eq(id.uuid()))
        .filter(import_jobs::state.eq(state))
        .select(import_jobs::id)
        .for_no_key_update()
        .get_result::<uuid::Uuid>(&mut { connection });
    async { locked.await.optional() }
}

#[async_trait]
impl ImportJobStore for PgContacts {
    async fn begin(
        &self,
        workspace: WorkspaceId,
        job: &ImportJob,
        stale: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let broken_off = import_jobs::table
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::state.eq(word(ARRIVING)))
            .filter(import_jobs::changed_at.lt(stale))
            .select(import_jobs::id)
            .for_update()
            .get_result::<uuid::Uuid>(&mut connection);
        let broken_off = transaction.begin_with(broken_off).await.optional().map_err(failed)?;
        let mut flight = transaction.flight();
        if let Some(broken_off) = broken_off {
            remove(&mut flight, workspace, broken_off);
        }
        flight.add(diesel::insert_into(import_jobs::table).values((
            import_jobs::workspace_id.eq(workspace.uuid()),
            import_jobs::id.eq(job.id.uuid()),
            import_jobs::member_id.eq(job.member.uuid()),
            import_jobs::name.eq(storable(&job.name)),
            import_jobs::state.eq(job.state.as_str()),
            import_jobs::people.eq(0_i64),
            import_jobs::created.eq(0_i64),
            import_jobs::known.eq(0_i64),
            import_jobs::refused.eq(0_i64),
            import_jobs::refusals.eq(serde_json::json!([])),
            import_jobs::created_at.eq(job.created_at),
            import_jobs::changed_at.eq(job.changed_at),
        )));
        audit(&mut flight, workspace, entry);
        tell_of_imports(&mut flight, workspace);
        match transaction.commit_with(flight.counts()).await {
            Ok(_) => Ok(true),
            Err(error) if is_duplicate(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    async fn stage(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        staged: &StagedRows,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let arriving = locked(&transaction, workspace, id, ARRIVING);
        if transaction.begin_with(arriving).await.map_err(failed)?.is_none() {
            return Ok(false);
        }
        let refusals: Vec<KeptRefusal> = staged.refusals.iter().map(KeptRefusal::from).collect();
        let people = staged.part.as_ref().map_or(0, |part| part.rows);
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(import_jobs::table)
                .filter(import_jobs::workspace_id.eq(workspace.uuid()))
                .filter(import_jobs::id.eq(id.uuid()))
                .set((
                    import_jobs::people.eq(import_jobs::people + kept(people)),
                    import_jobs::refused.eq(import_jobs::refused + kept(staged.refused)),
                    import_jobs::refusals.eq(import_jobs::refusals.concat(serde_json::json!(refusals))),
                    import_jobs::changed_at.eq(at),
                )),
        );
        if let Some(part) = &staged.part {
            flight.add(diesel::insert_into(import_job_parts::table).values((
                import_job_parts::workspace_id.eq(workspace.uuid()),
                import_job_parts::job_id.eq(id.uuid()),
                import_job_parts::number.eq(i32::try_from(part.number).unwrap_or(i32::MAX)),
                import_job_parts::row_count.eq(kept(part.rows)),
                import_job_parts::people.eq(people_of(&part.people)),
            )));
        }
        tell_of_imports(&mut flight, workspace);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn start(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        not_read: &[String],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let started = diesel::update(import_jobs::table)
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::id.eq(id.uuid()))
            .filter(import_jobs::state.eq(ARRIVING))
            .set((
                import_jobs::state.eq(RUNNING),
                import_jobs::not_read.eq(not_read),
                import_jobs::changed_at.eq(at),
            ))
            .execute(&mut connection);
        if transaction.begin_with(started).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        tell_of_imports(&mut flight, workspace);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn forget(&self, workspace: WorkspaceId, id: ImportJobId) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let arriving = locked(&transaction, workspace, id, ARRIVING);
        if transaction.begin_with(arriving).await.map_err(failed)?.is_none() {
            return Ok(());
        }
        let mut flight = transaction.flight();
        remove(&mut flight, workspace, id.uuid());
        tell_of_imports(&mut flight, workspace);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn jobs(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<ImportJob>, StoreError> {
        let mut connection = self.database.connection().await?;
        // Ids are in the order of the jobs' beginning.
        let rows = import_jobs::table
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .order(import_jobs::id.desc())
            .limit(i64::from(most))
            .select(JobRow::as_select())
            .load::<JobRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(JobRow::read).collect()
    }

    async fn job(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<(ImportJob, Vec<RefusedRow>)>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(JobRow, serde_json::Value)> = import_jobs::table
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::id.eq(id.uuid()))
            .select((JobRow::as_select(), import_jobs::refusals))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((row, refusals)) = row else { return Ok(None) };
        let refusals: Vec<KeptRefusal> =
            serde_json::from_value(refusals).map_err(|_| unreadable("refused rows"))?;
        let refusals = refusals.into_iter().map(KeptRefusal::read).collect::<Result<_, _>>()?;
        Ok(Some((row.read()?, refusals)))
    }

    async fn workspaces_with_imports(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        let running = import_jobs::table
            .filter(import_jobs::workspace_id.eq(workspaces::workspace_id))
            .filter(import_jobs::state.eq(word(RUNNING)))
            .select(import_jobs::id);
        self.database.workspaces(exists(running)).await
    }

    async fn running(&self, workspace: WorkspaceId) -> Result<Option<ImportJob>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = import_jobs::table
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::state.eq(word(RUNNING)))
            .select(JobRow::as_select())
            .get_result::<JobRow>(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(JobRow::read).transpose()
    }

    async fn next_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<ImportPart>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(i32, i64, serde_json::Value)> = import_job_parts::table
            .filter(import_job_parts::workspace_id.eq(workspace.uuid()))
            .filter(import_job_parts::job_id.eq(id.uuid()))
            .order(import_job_parts::number)
            .limit(1)
            .select((import_job_parts::number, import_job_parts::row_count, import_job_parts::people))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let read = |(number, rows, people)| {
            let number = u32::try_from(number).map_err(|_| unreadable("number of a part"))?;
            Ok(ImportPart { number, rows: count(rows)?, people: read_people(people)? })
        };
        row.map(read).transpose()
    }

    async fn write_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        number: u32,
        contacts: &[Contact],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let taken = diesel::delete(import_job_parts::table)
            .filter(import_job_parts::workspace_id.eq(workspace.uuid()))
            .filter(import_job_parts::job_id.eq(id.uuid()))
            .filter(import_job_parts::number.eq(i32::try_from(number).unwrap_or(i32::MAX)))
            .returning(import_job_parts::row_count)
            .get_result::<i64>(&mut connection);
        let taken = async { taken.await.optional() };
        let first = try_join(locked(&transaction, workspace, id, RUNNING), taken);
        let (Some(_), Some(rows)) = transaction.begin_with(first).await.map_err(failed)? else {
            return Ok(false);
        };
        let added = store::insert_unknown(&transaction, workspace, contacts).await.map_err(failed)?;
        let created = i64::try_from(added.len()).unwrap_or(i64::MAX);
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(import_jobs::table)
                .filter(import_jobs::workspace_id.eq(workspace.uuid()))
                .filter(import_jobs::id.eq(id.uuid()))
                .set((
                    import_jobs::created.eq(import_jobs::created + created),
                    import_jobs::known.eq(import_jobs::known + rows.saturating_sub(created)),
                    import_jobs::changed_at.eq(at),
                )),
        );
        tell_of_imports(&mut flight, workspace);
        store::count_added(&mut flight, workspace, &added);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn end(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        state: ImportState,
        at: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let ended = diesel::update(import_jobs::table)
            .filter(import_jobs::workspace_id.eq(workspace.uuid()))
            .filter(import_jobs::id.eq(id.uuid()))
            .filter(import_jobs::state.eq(RUNNING))
            .set((import_jobs::state.eq(state.as_str()), import_jobs::changed_at.eq(at)))
            .execute(&mut connection);
        if transaction.begin_with(ended).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        remove_parts(&mut flight, workspace, id.uuid());
        audit(&mut flight, workspace, entry);
        tell_of_imports(&mut flight, workspace);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}
