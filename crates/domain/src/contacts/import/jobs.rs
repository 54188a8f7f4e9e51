//! Lists that are imported in the background: how they arrive, and their history.

use std::{mem, sync::Arc};

use super::{
    Batch, ContactName, ImportContacts, ImportError,
    job::{ImportJob, ImportPart, ImportState, STALE_AFTER, StagedRows},
    report::ImportReport,
    row::{RefusedRow, RowError, WrittenRow},
};
use crate::{
    audit::{Acting, Action},
    contacts::ports::ImportJobStore,
    errors::StoreError,
    ids::{ImportJobId, WorkspaceId},
    phone::{PhoneNumber, Region},
};

/// Rows staged together.
const TOGETHER: usize = 500;
/// Most refused rows of a job that are kept one by one; more are only counted.
pub const MOST_REFUSALS: usize = 1_000;
/// Jobs shown in the history.
const MOST_JOBS: u32 = 50;
/// Most bytes of kept titles of unread columns and sheets: as many as the longest row has.
const MOST_OF_TITLES: usize = 16 * 1024;
/// Most characters of a file's name.
const LONGEST_IMPORT_NAME: usize = 255;
/// Reason why a list was not taken. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
pub enum ImportJobError<E> {
    #[error("`name` has at most {LONGEST_IMPORT_NAME} characters")]
    Name,
    #[error("another list of this workspace is being imported")]
    Running,
    #[error("the list has no rows")]
    Empty,
    #[error("the list came too slowly and was forgotten; send it again")]
    Forgotten,
    #[error(transparent)]
    Import(#[from] ImportError<E>),
}

impl<E> From<StoreError> for ImportJobError<E> {
    fn from(error: StoreError) -> Self {
        Self::Import(ImportError::Store(error))
    }
}

/// Use case that takes lists to be imported in the background, and shows them.
pub struct ImportJobs {
    pub store: Arc<dyn ImportJobStore>,
    /// Checks the permission; its clock and ids are used, too.
    pub import: ImportContacts,
}

impl ImportJobs {
    /// Lists the newest jobs, newest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<ImportJob>, StoreError> {
        let mut jobs = self.store.jobs(workspace, MOST_JOBS).await?;
        let now = self.import.deps.clock.now();
        jobs.retain(|job| !job.has_broken_off(now));
        Ok(jobs)
    }

    /// Returns a job with its refused rows, up to [`MOST_REFUSALS`].
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<(ImportJob, Vec<RefusedRow>)>, StoreError> {
        let found = self.store.job(workspace, id).await?;
        let now = self.import.deps.clock.now();
        Ok(found.filter(|(job, _)| !job.has_broken_off(now)))
    }

    /// Takes a whole list, row by row. None of its people is written before all of it has arrived; a list
    /// that breaks off is forgotten. `not_read` is called after the last row.
    pub async fn take<E, I: Iterator<Item = Result<WrittenRow, E>>>(
        &self,
        acting: Acting,
        region: Region,
        name: &str,
        rows: I,
        not_read: impl FnOnce(&I) -> Vec<String>,
    ) -> Result<ImportJob, ImportJobError<E>> {
        let name = name.trim().replace('\0', "");
        if name.chars().nth(LONGEST_IMPORT_NAME).is_some() {
            return Err(ImportJobError::Name);
        }
        let Some(member) = acting.actor.member() else { return Err(ImportError::NotAllowed.into()) };
        let deps = &self.import.deps;
        let now = deps.clock.now();
        let job = ImportJob {
            id: ImportJobId::new(&*deps.ids),
            member,
            name,
            state: ImportState::Arriving,
            people: 0,
            report: ImportReport::default(),
            not_read: Vec::new(),
            created_at: now,
            changed_at: now,
        };
        let (id, workspace) = (job.id, acting.workspace);
        let entry = acting.does(Action::ContactsImportBegan, now, &*deps.ids).to(id);
        if !self.store.begin(workspace, &job, now - STALE_AFTER, &entry).await? {
            return Err(ImportJobError::Running);
        }
        let taken = self.fill(acting, region, job, rows, not_read).await;
        if taken.is_err() {
            // After a crash here the list never starts; the next `begin` removes it.
            self.store.forget(workspace, id).await?;
        }
        taken
    }

    async fn fill<E, I: Iterator<Item = Result<WrittenRow, E>>>(
        &self,
        acting: Acting,
        region: Region,
        mut job: ImportJob,
        rows: I,
        not_read: impl FnOnce(&I) -> Vec<String>,
    ) -> Result<ImportJob, ImportJobError<E>> {
        let (mut rows, mut arriving) = (rows, Arriving::default());
        loop {
            let some =
                rows.by_ref().take(TOGETHER).collect::<Result<Vec<_>, E>>().map_err(ImportError::List)?;
            if some.is_empty() {
                break;
            }
            for (line, person) in self.import.read(acting.workspace, region, some).await? {
                arriving.add(line, person);
            }
            self.stage(acting, &mut job, &mut arriving).await?;
        }
        if job.people + job.report.refused == 0 {
            return Err(ImportJobError::Empty);
        }
        job.not_read = first_of(not_read(&rows));
        job.changed_at = self.import.deps.clock.now();
        if !self.store.start(acting.workspace, job.id, &job.not_read, job.changed_at).await? {
            return Err(ImportJobError::Forgotten);
        }
        job.state = ImportState::Running;
        Ok(job)
    }

    async fn stage<E>(
        &self,
        acting: Acting,
        job: &mut ImportJob,
        arriving: &mut Arriving,
    ) -> Result<(), ImportJobError<E>> {
        self.import.still_allowed::<E>(acting).await?;
        let staged = arriving.take();
        let now = self.import.deps.clock.now();
        if !self.store.stage(acting.workspace, job.id, &staged, now).await? {
            return Err(ImportJobError::Forgotten);
        }
        job.people += staged.part.map_or(0, |part| part.rows);
        job.report.refused += staged.refused;
        Ok(())
    }
}

/// Returns the first of the titles, up to [`MOST_OF_TITLES`] bytes, without NUL characters.
fn first_of(titles: Vec<String>) -> Vec<String> {
    let mut room = MOST_OF_TITLES;
    let fitting = titles.into_iter().map_while(|title| {
        room = room.checked_sub(title.len() + 1)?;
        Some(title.replace('\0', ""))
    });
    fitting.collect()
}

/// Rows that have been read and are not staged yet.
#[derive(Default)]
struct Arriving {
    batch: Batch,
    refused: u64,
    refusals: Vec<RefusedRow>,
    /// Numbers of parts, and of refused rows kept one by one, that were staged before.
    parts: u32,
    told: usize,
}

impl Arriving {
    fn add(&mut self, line: u64, person: Result<(PhoneNumber, Option<ContactName>), RowError>) {
        match person {
            Ok((phone, name)) => self.batch.add(phone, name),
            Err(why) => {
                self.refused += 1;
                if self.told < MOST_REFUSALS {
                    self.told += 1;
                    self.refusals.push(RefusedRow { line, why });
                }
            }
        }
    }

    fn take(&mut self) -> StagedRows {
        let Batch { people, rows } = mem::take(&mut self.batch);
        let part = (rows > 0).then(|| {
            self.parts += 1;
            ImportPart { number: self.parts, rows, people }
        });
        StagedRows { part, refused: mem::take(&mut self.refused), refusals: mem::take(&mut self.refusals) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arriving, MOST_OF_TITLES, MOST_REFUSALS, first_of};
    use crate::contacts::import::job::ImportState;
    use crate::{contacts::RowError, phone::PhoneNumber};

    #[test]
    fn a_state_is_read_by_its_name() {
        for state in ImportState::ALL {
            assert_eq!(ImportState::read(state.as_str()), Some(state));
        }
        assert_eq!(ImportState::read("lost"), None);
    }

    #[test]
    fn titles_are_kept_as_far_as_there_is_room() {
        let titles = |title: &str, count: usize| vec![title.to_owned(); count];
        assert_eq!(first_of(titles("city", 256)), titles("city", 256));
        assert_eq!(first_of(titles("", 2 * MOST_OF_TITLES)), titles("", MOST_OF_TITLES));
        assert_eq!(first_of(titles(&"a".repeat(MOST_OF_TITLES), 1)), titles("", 0));
    }

    #[test]
    fn rows_are_counted_whole_and_told_up_to_a_number() {
        let mut arriving = Arriving::default();
        let sara = || Ok((PhoneNumber::from_e164("+9647701234567").unwrap(), None));
        for line in 1..3 {
            arriving.add(line, sara());
        }
        let first = arriving.take();
        let part = first.part.unwrap();
        assert_eq!((part.number, part.rows, part.people.len(), first.refused), (1, 2, 1, 0));
        let (mut refused, mut told) = (0, 0);
        for _ in 0..3 {
            for line in 3..503 {
                arriving.add(line, Err(RowError::NotText));
            }
            let staged = arriving.take();
            assert_eq!(staged.part, None);
            refused += staged.refused;
            told += staged.refusals.len();
        }
        assert_eq!((refused, told), (1_500, MOST_REFUSALS));
        arriving.add(503, sara());
        assert_eq!(arriving.take().part.unwrap().number, 2, "parts stand in a row");
    }
}
