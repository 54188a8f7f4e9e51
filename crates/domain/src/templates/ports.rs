//! Ports of templates.

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Template,
    draft::TemplateDraft,
    listed::{ListedTemplate, TemplateFilter},
    variable_label::{TemplateKey, VariableLabels},
};
use crate::{
    attachments::{ContentType, ObjectKey},
    audit::AuditEntry,
    channels::{Account, ports::NetworkError},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// Account whose templates are due to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueAccount {
    pub workspace: WorkspaceId,
    pub account: AccountId,
}

/// Storage of templates as they were last read from the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TemplateStore: Send + Sync {
    /// Lists the workspace's templates that pass the filter, by name, language and account, each with the
    /// connected numbers of its account.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: TemplateFilter,
    ) -> Result<Vec<ListedTemplate>, StoreError>;

    /// Replaces the account's templates but for their labels, and records the reading at `now`, with its
    /// audit entry if somebody asked for it, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the account is no longer connected.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        templates: &[Template],
        now: OffsetDateTime,
        asked: Option<AuditEntry>,
    ) -> Result<(), StoreError>;

    /// Stores the labels of a template's variables, in one transaction with the audit log; returns `false` if
    /// there is no such template.
    async fn label(
        &self,
        workspace: WorkspaceId,
        key: &TemplateKey,
        labels: &VariableLabels,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists some accounts whose next reading is due at `now`, over all workspaces, the longest due first.
    /// Claims nothing.
    async fn due(&self, now: OffsetDateTime) -> Result<Vec<DueAccount>, StoreError>;

    /// Claims the account's reading until `next`; returns `false` if another node was first.
    async fn claim_due(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// A template as submitted to the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTemplate {
    /// Checked draft of the owner.
    pub draft: TemplateDraft,
    /// The network's handle of the header's example; `None` unless the header is a file.
    pub sample: Option<String>,
}

/// Example of a header's file.
#[derive(Clone)]
pub struct Sample {
    pub key: ObjectKey,
    pub content_type: ContentType,
    /// In bytes.
    pub size: u64,
    pub name: Option<String>,
}

/// Templates as the network holds them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTemplates: Send + Sync {
    /// Returns all templates of the account, from every page, without deleted ones. Rows that cannot be read
    /// are left out.
    async fn templates(&self, account: &Account) -> Result<Vec<Template>, NetworkError>;

    /// Submits a new template and returns its id.
    async fn create(&self, account: &Account, template: &WrittenTemplate) -> Result<String, NetworkError>;

    /// Replaces a template's parts, and its category unless `keeps_category` is set.
    async fn edit(
        &self,
        account: &Account,
        template_network_id: &str,
        template: &WrittenTemplate,
        keeps_category: bool,
    ) -> Result<(), NetworkError>;

    /// Deletes the template of this id, and none of the same name in another language.
    async fn delete(
        &self,
        account: &Account,
        name: &str,
        template_network_id: &str,
    ) -> Result<(), NetworkError>;

    /// Uploads an example and returns the network's handle of it.
    async fn upload_sample(&self, account: &Account, sample: &Sample) -> Result<String, NetworkError>;

    /// Sets the number of seconds for which the network tries to deliver the template.
    async fn set_validity(
        &self,
        token: &SecretString,
        template_network_id: &str,
        seconds: i64,
    ) -> Result<(), NetworkError>;
}
