//! Writing of imported lists, part by part, by any process.

use std::sync::Arc;

use super::{
    ImportContacts,
    job::{ImportJob, ImportPart, ImportState},
    report::ImportReport,
};
use crate::{
    audit::{Acting, Action, Actor},
    contacts::{add::TRIES, ports::ImportJobStore},
    errors::{StoreError, retry_stale},
    ids::{ImportJobId, WorkspaceId},
};

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportStep {
    /// No list of the workspace is to be written.
    Nothing,
    /// A part was written, here or by another process.
    WentOn,
    Finished(ImportJobId),
    /// The rest of the list was abandoned.
    Stopped(ImportJobId),
}

/// Use case that writes lists that have arrived.
#[derive(Clone)]
pub struct RunImports {
    pub store: Arc<dyn ImportJobStore>,
    /// Checks the permission; its clock and ids are used, too.
    pub import: ImportContacts,
}

impl RunImports {
    /// Lists the workspaces with a list to be written.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_with_imports().await
    }

    /// Writes the next part of the workspace's list, or ends the list. After a crash in between, the next
    /// process writes the part; of two processes with the same part, one counts it.
    pub async fn step(&self, workspace: WorkspaceId) -> Result<ImportStep, StoreError> {
        let Some(job) = self.store.running(workspace).await? else { return Ok(ImportStep::Nothing) };
        let by = Acting { workspace, actor: Actor::Member(job.member), address: None };
        if !self.import.is_allowed(by).await? {
            return self.stop(workspace, job.id).await;
        }
        let Some(part) = self.store.next_part(workspace, job.id).await? else {
            return self.finish(by, job.id).await;
        };
        self.write(workspace, job.id, &part).await?;
        Ok(ImportStep::WentOn)
    }

    /// Writes a part. Known people are named before the part is removed, so that a crash in between repeats
    /// it.
    async fn write(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        part: &ImportPart,
    ) -> Result<(), StoreError> {
        let has_name = part.people.iter().filter_map(|(phone, name)| Some((phone.clone(), name.clone()?)));
        self.import.name_the_nameless(workspace, &has_name.collect()).await?;
        let contacts = self.import.contacts_of(&part.people);
        let now = self.import.deps.clock.now();
        let written = || self.store.write_part(workspace, id, part.number, &contacts, now);
        retry_stale(TRIES, written).await.map(drop)
    }

    /// Ends the list. Its counts are read after no part was found, when all of them are committed.
    async fn finish(&self, by: Acting, id: ImportJobId) -> Result<ImportStep, StoreError> {
        let workspace = by.workspace;
        let Some((ImportJob { report, .. }, _)) = self.store.job(workspace, id).await? else {
            return Ok(ImportStep::Nothing);
        };
        let ImportReport { created, known, refused } = report;
        let now = self.import.deps.clock.now();
        let entry = by.does(Action::ContactsImported, now, &*self.import.deps.ids).to(id);
        let entry = entry.with("created", created).with("known", known).with("refused", refused);
        let ended = self.store.end(workspace, id, ImportState::Finished, now, &entry).await?;
        Ok(if ended { ImportStep::Finished(id) } else { ImportStep::WentOn })
    }

    async fn stop(&self, workspace: WorkspaceId, id: ImportJobId) -> Result<ImportStep, StoreError> {
        let (now, service) = (self.import.deps.clock.now(), Acting::service(workspace));
        let entry = service.does(Action::ContactsImportStopped, now, &*self.import.deps.ids).to(id);
        let ended = self.store.end(workspace, id, ImportState::Stopped, now, &entry).await?;
        Ok(if ended { ImportStep::Stopped(id) } else { ImportStep::WentOn })
    }
}
