//! Imports of lists of people of any length, in constant memory.

mod columns;
mod job;
mod jobs;
mod report;
mod row;
mod run;

pub use report::{ImportReport, People};

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{
    Contact, ContactSource,
    add::TRIES,
    name::ContactName,
    ports::{ContactStore, Naming},
};
use crate::{
    access::members::{Role, ports::MemberStore},
    audit::{Acting, Action, Actor, AuditStore},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::{ContactId, WorkspaceId},
    phone::{PhoneError, PhoneNumber, Region},
};

pub use columns::Columns;
pub use job::{ImportJob, ImportPart, ImportState, StagedRows};
pub use jobs::{ImportJobError, ImportJobs, MOST_REFUSALS};
pub(crate) use row::ReadNumber;
pub use row::{ImportColumn, RefusedRow, RowError, WrittenPerson, WrittenRow};
pub use run::{ImportStep, RunImports};

/// Rows written together.
const BATCH: usize = 500;

/// A parsed row: the line where it begins, and its person.
type ReadRow = (u64, Result<(PhoneNumber, Option<ContactName>), RowError>);

/// Reason why a list was not read to its end. What came before is written; importing it again writes nothing
/// twice.
#[derive(Debug, thiserror::Error)]
pub enum ImportError<E> {
    /// The list cannot be read, or the refused rows cannot be reported.
    #[error(transparent)]
    List(E),
    #[error("whoever gave the list may not take over lists any more")]
    NotAllowed,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that adds the people of a list by their numbers.
#[derive(Clone)]
pub struct ImportContacts {
    pub store: Arc<dyn ContactStore>,
    pub audit: Arc<dyn AuditStore>,
    pub members: Arc<dyn MemberStore>,
    pub deps: Deps,
}

#[derive(Default)]
struct Batch {
    people: People,
    rows: u64,
}

impl ImportContacts {
    /// Writes everybody whom the workspace does not know. A name is given to a new person, or to a known one
    /// who has none. Rejected rows go to `refuse` as they come. The beginning and, with the counts, the end
    /// are recorded in the audit log. A list may take long to come: an owner who is removed meanwhile, or no
    /// longer one, writes no more of it.
    pub async fn run<E>(
        &self,
        acting: Acting,
        region: Region,
        rows: impl Iterator<Item = Result<WrittenRow, E>>,
        mut refuse: impl FnMut(RefusedRow) -> Result<(), E>,
    ) -> Result<ImportReport, ImportError<E>> {
        let workspace = acting.workspace;
        let entry = |action| acting.does(action, self.deps.clock.now(), &*self.deps.ids);
        self.audit.add(workspace, &entry(Action::ContactsImportBegan)).await?;
        let (mut rows, mut report) = (rows, ImportReport::default());
        while let Some(batch) = self.batch(workspace, region, &mut rows, &mut report, &mut refuse).await? {
            self.still_allowed(acting).await?;
            self.write(workspace, batch, &mut report).await?;
        }
        let ImportReport { created, known, refused } = report;
        let imported = entry(Action::ContactsImported);
        let imported = imported.with("created", created).with("known", known).with("refused", refused);
        self.audit.add(workspace, &imported).await?;
        Ok(report)
    }

    /// Returns what [`Self::run`] would do, as far as that is known without doing it; nothing is written or
    /// logged. A number that stands twice in a long list may be counted twice.
    pub async fn preview<E>(
        &self,
        workspace: WorkspaceId,
        region: Region,
        rows: impl Iterator<Item = Result<WrittenRow, E>>,
        mut refuse: impl FnMut(RefusedRow) -> Result<(), E>,
    ) -> Result<ImportReport, ImportError<E>> {
        let (mut rows, mut report) = (rows, ImportReport::default());
        while let Some(batch) = self.batch(workspace, region, &mut rows, &mut report, &mut refuse).await? {
            self.look_up(workspace, batch, &mut report).await?;
        }
        Ok(report)
    }

    async fn batch<E>(
        &self,
        workspace: WorkspaceId,
        region: Region,
        rows: &mut impl Iterator<Item = Result<WrittenRow, E>>,
        report: &mut ImportReport,
        refuse: &mut impl FnMut(RefusedRow) -> Result<(), E>,
    ) -> Result<Option<Batch>, ImportError<E>> {
        let some = rows.take(BATCH).collect::<Result<Vec<_>, E>>().map_err(ImportError::List)?;
        if some.is_empty() {
            return Ok(None);
        }
        let mut batch = Batch::default();
        for (line, person) in self.read(workspace, region, some).await? {
            match person {
                Ok((phone, name)) => batch.add(phone, name),
                Err(why) => {
                    report.refused += 1;
                    refuse(RefusedRow { line, why }).map_err(ImportError::List)?;
                }
            }
        }
        Ok(Some(batch))
    }

    /// Parses rows. A number that no numbering plan of today has counts if the workspace knows somebody by
    /// it.
    async fn read(
        &self,
        workspace: WorkspaceId,
        region: Region,
        rows: Vec<WrittenRow>,
    ) -> Result<Vec<ReadRow>, StoreError> {
        let rows = rows
            .into_iter()
            .map(|WrittenRow { line, person }| (line, person.and_then(|person| person.read(region))));
        let rows: Vec<_> = rows.collect();
        let numbers = rows.iter().filter_map(|(_, person)| person.as_ref().ok());
        let unplanned = numbers.filter(|(number, _)| !number.is_planned);
        let known =
            known_by(&*self.store, workspace, unplanned.map(|(number, _)| number.phone.clone())).await?;
        let judged = |(number, name): (ReadNumber, _)| {
            let counts = number.is_planned || known.contains(&number.phone);
            if counts { Ok((number.phone, name)) } else { Err(PhoneError::Impossible.into()) }
        };
        Ok(rows.into_iter().map(|(line, person)| (line, person.and_then(judged))).collect())
    }

    /// Counts the batch's known and new people, without writing.
    async fn look_up(
        &self,
        workspace: WorkspaceId,
        batch: Batch,
        report: &mut ImportReport,
    ) -> Result<(), StoreError> {
        if batch.people.is_empty() {
            return Ok(());
        }
        let phones: Vec<PhoneNumber> = batch.people.keys().cloned().collect();
        let known = known_by(&*self.store, workspace, phones.iter().cloned()).await?;
        let created = phones.iter().filter(|phone| !known.contains(*phone)).count();
        let created = u64::try_from(created).unwrap_or(u64::MAX);
        report.created += created;
        report.known += batch.rows.saturating_sub(created);
        Ok(())
    }

    async fn still_allowed<E>(&self, acting: Acting) -> Result<(), ImportError<E>> {
        if self.is_allowed(acting).await? { Ok(()) } else { Err(ImportError::NotAllowed) }
    }

    /// Returns whether the caller may import: members while they are owners, all others always.
    async fn is_allowed(&self, acting: Acting) -> Result<bool, StoreError> {
        let Actor::Member(id) = acting.actor else { return Ok(true) };
        let team = self.members.team(acting.workspace).await?;
        Ok(team.iter().any(|member| member.id == id && member.role == Role::Owner))
    }

    async fn write(
        &self,
        workspace: WorkspaceId,
        batch: Batch,
        report: &mut ImportReport,
    ) -> Result<(), StoreError> {
        if batch.people.is_empty() {
            return Ok(());
        }
        let created = self.create(workspace, &batch).await?;
        let count = u64::try_from(created.len()).unwrap_or(u64::MAX);
        report.created += count;
        report.known += batch.rows.saturating_sub(count);
        let known = batch.people.into_iter().filter(|(phone, _)| !created.contains(phone));
        let named = known.filter_map(|(phone, name)| Some((phone, name?))).collect();
        self.name_the_nameless(workspace, &named).await
    }

    /// Adds those who are not known, and returns their numbers.
    async fn create(
        &self,
        workspace: WorkspaceId,
        batch: &Batch,
    ) -> Result<HashSet<PhoneNumber>, StoreError> {
        let contacts = self.contacts_of(&batch.people);
        let added = retry_stale(TRIES, || self.store.add_unknown(workspace, &contacts)).await?;
        Ok(added.into_iter().collect())
    }

    fn contacts_of(&self, people: &People) -> Vec<Contact> {
        let now = self.deps.clock.now();
        let contacts = people.iter().map(|(phone, name)| Contact {
            id: ContactId::new(&*self.deps.ids),
            name: name.as_ref().map(|name| name.as_str().to_owned()),
            phone: Some(phone.clone()),
            source: ContactSource::Import,
            created_at: now,
        });
        contacts.collect()
    }

    /// Gives names to known people who have none, and looks again afterwards, since somebody else may have
    /// been faster.
    async fn name_the_nameless(
        &self,
        workspace: WorkspaceId,
        named: &BTreeMap<PhoneNumber, ContactName>,
    ) -> Result<(), StoreError> {
        let phones: Vec<PhoneNumber> = named.keys().cloned().collect();
        if phones.is_empty() {
            return Ok(());
        }
        retry_stale(TRIES, || self.name_those(workspace, &phones, named)).await
    }

    async fn name_those(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
        named: &BTreeMap<PhoneNumber, ContactName>,
    ) -> Result<(), StoreError> {
        let mut known = self.store.find_all_by_phone(workspace, phones).await?;
        known.retain(Contact::is_nameless);
        if known.is_empty() {
            return Ok(());
        }
        for contact in known {
            let Some(name) = contact.phone.as_ref().and_then(|phone| named.get(phone)).cloned() else {
                continue;
            };
            let naming = Naming { contact, name, only_if_unchanged: true, entry: None };
            self.store.name(workspace, &naming).await?;
        }
        Err(StoreError::Stale)
    }
}

/// Returns those of the numbers by which the workspace knows somebody.
pub(crate) async fn known_by(
    store: &dyn ContactStore,
    workspace: WorkspaceId,
    numbers: impl Iterator<Item = PhoneNumber>,
) -> Result<HashSet<PhoneNumber>, StoreError> {
    let numbers: Vec<PhoneNumber> = numbers.collect();
    if numbers.is_empty() {
        return Ok(HashSet::new());
    }
    let known = store.find_all_by_phone(workspace, &numbers).await?;
    Ok(known.into_iter().filter_map(|contact| contact.phone).collect())
}

impl Batch {
    /// Adds a person; the first name of a number stays.
    fn add(&mut self, phone: PhoneNumber, name: Option<ContactName>) {
        self.rows += 1;
        let known = self.people.entry(phone).or_default();
        *known = known.take().or(name);
    }
}
