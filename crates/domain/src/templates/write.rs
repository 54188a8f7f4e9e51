//! Templates that owners create, change and delete at the network.

use std::sync::Arc;

use super::{
    Template,
    draft::{DraftHeader, MediaFormat, TemplateDraft, WrongDraft},
    label::LabelVariables,
    listed::TemplateFilter,
    ports::{NetworkTemplates, Sample, TemplateStore, WrittenTemplate},
    status::TemplateStatus,
    sync::SyncAccount,
    variable_label::TemplateKey,
};
use crate::{
    attachments::{AttachmentKind, StoredAttachment, UNUSED_FOR, ports::UploadStore},
    audit::{Acting, Action, AuditEntry, AuditStore},
    channels::{
        Account,
        ports::{AccountStore, NetworkError},
    },
    deps::Deps,
    errors::StoreError,
    ids::{AccountId, UploadId},
};

/// Largest example of a header's file, in bytes.
const LARGEST_SAMPLE: u64 = 16_000_000;

/// Reason why a template was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteTemplateError {
    #[error(transparent)]
    Draft(#[from] WrongDraft),
    #[error("there is no account with this id")]
    UnknownAccount,
    #[error("the account has no such template")]
    UnknownTemplate,
    #[error("the account has a template of this name in this language")]
    Exists,
    #[error("a template that is being reviewed cannot be changed")]
    Pending,
    #[error("the category of an approved template cannot be changed")]
    Category,
    #[error(
        "`header`: the example is a file that you have uploaded, of the header's kind and of at most 16 MB"
    )]
    Sample,
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// May come after the network has taken the change.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that creates, changes and deletes templates at the network.
pub struct WriteTemplates {
    pub accounts: Arc<dyn AccountStore>,
    pub templates: Arc<dyn TemplateStore>,
    pub network: Arc<dyn NetworkTemplates>,
    pub uploads: Arc<dyn UploadStore>,
    pub sync: Arc<SyncAccount>,
    pub label: LabelVariables,
    pub log: Arc<dyn AuditStore>,
    pub deps: Deps,
}

/// A template that was submitted to the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    pub network_id: String,
    /// Why it could not be read back yet, or its variables not be labelled; it is read within minutes.
    pub unread: Option<String>,
}

impl WriteTemplates {
    /// Submits a new template to the network, which reviews it.
    pub async fn create(
        &self,
        acting: Acting,
        account: AccountId,
        draft: &TemplateDraft,
    ) -> Result<Submitted, WriteTemplateError> {
        draft.check()?;
        let account = self.account(acting, account).await?;
        if self.find(acting, &key(&account, draft)).await?.is_some() {
            return Err(WriteTemplateError::Exists);
        }
        let sample = self.sample(acting, &account, draft).await?;
        let written = WrittenTemplate { draft: draft.clone(), sample };
        let network_id = match self.network.create(&account, &written).await {
            Ok(id) => id,
            // The network may have taken it all the same: reading the account tells.
            Err(error @ NetworkError::Unavailable(_)) => {
                let _ = self.sync.run(&account).await;
                match self.find(acting, &key(&account, draft)).await? {
                    Some(taken) => taken.network_id,
                    None => return Err(error.into()),
                }
            }
            Err(error) => return Err(error.into()),
        };
        let entry = self.entry(acting, Action::TemplateSubmitted, draft);
        self.wrote(acting, &account, draft, entry, network_id).await
    }

    /// Changes a template's parts at the network, which reviews it again. Name and language stay.
    pub async fn edit(
        &self,
        acting: Acting,
        account: AccountId,
        draft: &TemplateDraft,
    ) -> Result<Submitted, WriteTemplateError> {
        draft.check()?;
        let account = self.account(acting, account).await?;
        let known =
            self.find(acting, &key(&account, draft)).await?.ok_or(WriteTemplateError::UnknownTemplate)?;
        if known.status == TemplateStatus::Pending {
            return Err(WriteTemplateError::Pending);
        }
        if known.status == TemplateStatus::Approved && known.category != draft.category.as_str() {
            return Err(WriteTemplateError::Category);
        }
        let sample = self.sample(acting, &account, draft).await?;
        let written = WrittenTemplate { draft: draft.clone(), sample };
        let keeps_category = known.category == draft.category.as_str();
        self.network.edit(&account, &known.network_id, &written, keeps_category).await?;
        let entry = self.entry(acting, Action::TemplateChanged, draft);
        self.wrote(acting, &account, draft, entry, known.network_id).await
    }

    /// Deletes a template in one language at the network.
    pub async fn delete(&self, acting: Acting, key: &TemplateKey) -> Result<(), WriteTemplateError> {
        let account = self.account(acting, key.account).await?;
        let known = self.find(acting, key).await?.ok_or(WriteTemplateError::UnknownTemplate)?;
        self.network.delete(&account, &known.name, &known.network_id).await?;
        let entry = acting.does(Action::TemplateDeleted, self.deps.clock.now(), &*self.deps.ids);
        self.log.add(acting.workspace, &entry.to(&key.name).with("language", key.language.as_str())).await?;
        // On failure, the next regular reading follows within minutes.
        let _ = self.sync.run(&account).await;
        Ok(())
    }

    async fn account(&self, acting: Acting, account: AccountId) -> Result<Account, WriteTemplateError> {
        let account = self.accounts.find(acting.workspace, account).await?;
        account.ok_or(WriteTemplateError::UnknownAccount)
    }

    async fn find(&self, acting: Acting, key: &TemplateKey) -> Result<Option<Template>, StoreError> {
        let listed = self.templates.list(acting.workspace, TemplateFilter::default()).await?;
        Ok(listed.into_iter().map(|listed| listed.template).find(|template| key.names(template)))
    }

    /// Uploads the header's example and returns the network's handle; `None` unless the header is a file.
    async fn sample(
        &self,
        acting: Acting,
        account: &Account,
        draft: &TemplateDraft,
    ) -> Result<Option<String>, WriteTemplateError> {
        let Some(DraftHeader::Media { format, sample }) = &draft.header else { return Ok(None) };
        let file = self.uploaded(acting, *sample).await?.ok_or(WriteTemplateError::Sample)?;
        if file.kind != kind_of(*format) || file.bytes > LARGEST_SAMPLE {
            return Err(WriteTemplateError::Sample);
        }
        let sample =
            Sample { key: file.key, content_type: file.content_type, size: file.bytes, name: file.title };
        Ok(Some(self.network.upload_sample(account, &sample).await?))
    }

    async fn uploaded(&self, acting: Acting, id: UploadId) -> Result<Option<StoredAttachment>, StoreError> {
        let Some(member) = acting.actor.member() else { return Ok(None) };
        let since = self.deps.clock.now() - UNUSED_FOR;
        let found = self.uploads.find(acting.workspace, member, id, since).await?;
        Ok(found.map(|upload| upload.file))
    }

    fn entry(&self, acting: Acting, action: Action, draft: &TemplateDraft) -> AuditEntry {
        let entry = acting.does(action, self.deps.clock.now(), &*self.deps.ids).to(&draft.name);
        entry.with("language", draft.language.as_str()).with("category", draft.category.as_str())
    }

    /// Records a change that the network has taken, reads the account again and labels the variables. A
    /// failure to read or label only delays them.
    async fn wrote(
        &self,
        acting: Acting,
        account: &Account,
        draft: &TemplateDraft,
        entry: AuditEntry,
        network_id: String,
    ) -> Result<Submitted, WriteTemplateError> {
        self.log.add(acting.workspace, &entry).await?;
        let mut unread = self.sync.run(account).await.err().map(|error| error.to_string());
        if unread.is_none() && !draft.variables.is_empty() {
            let labels = draft.variables.iter().map(|variable| variable.label.clone()).collect();
            let labelled = self.label.run(acting, &key(account, draft), labels).await;
            unread = labelled.err().map(|error| error.to_string());
        }
        Ok(Submitted { network_id, unread })
    }
}

fn key(account: &Account, draft: &TemplateDraft) -> TemplateKey {
    TemplateKey { account: account.id, name: draft.name.clone(), language: draft.language.clone() }
}

const fn kind_of(format: MediaFormat) -> AttachmentKind {
    match format {
        MediaFormat::Image => AttachmentKind::Image,
        MediaFormat::Video => AttachmentKind::Video,
        MediaFormat::Document => AttachmentKind::Document,
    }
}
