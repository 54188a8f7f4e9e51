//! What templates need from outside.

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{ListedTemplate, Template, TemplateDraft, TemplateFilter, TemplateKey, VariableLabels};
use crate::{
    access::audit::AuditEntry,
    attachments::{ContentType, ObjectKey},
    channels::{Account, ports::NetworkError},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// The templates of this account are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueAccount {
    pub workspace: WorkspaceId,
    pub account: AccountId,
}

/// A `TemplateStore` keeps templates as they were last read from the network.
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

    /// Makes the account's templates these, but for what their variables are called, in one transaction, and remembers that it was done at `now`, and in the
    /// log of changes where somebody asked for it. Stale when the account is connected no more.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        templates: &[Template],
        now: OffsetDateTime,
        asked: Option<AuditEntry>,
    ) -> Result<(), StoreError>;

    /// Keeps what the template's variables are called, in one transaction with the log of changes; `false` when there
    /// is no such template.
    async fn label(
        &self,
        workspace: WorkspaceId,
        key: &TemplateKey,
        labels: &VariableLabels,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists some accounts whose next reading is due at `now`, over all workspaces, the longest due first. It
    /// only reads.
    async fn due(&self, now: OffsetDateTime) -> Result<Vec<DueAccount>, StoreError>;

    /// Takes the account's reading until `next`; `false` when another node was first.
    async fn claim_due(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// The network is given the template so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTemplate {
    /// The owner wrote it, and it was checked.
    pub draft: TemplateDraft,
    /// It is the network's handle of the header's example, where the header is a file.
    pub sample: Option<String>,
}

/// It is an example of a header's file.
#[derive(Clone)]
pub struct Sample {
    /// It is kept there.
    pub key: ObjectKey,
    pub content_type: ContentType,
    /// It has so many bytes.
    pub size: u64,
    /// It is the file's name, where it has one.
    pub name: Option<String>,
}

/// It reads and writes templates as the network holds them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTemplates: Send + Sync {
    /// Returns all templates of the account, every page, without deleted ones. A row that cannot be read is
    /// left out.
    async fn templates(&self, account: &Account) -> Result<Vec<Template>, NetworkError>;

    /// Submits a new template, and returns its id.
    async fn create(&self, account: &Account, template: &WrittenTemplate) -> Result<String, NetworkError>;

    /// Replaces a template's parts, and its category unless it keeps that.
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

    /// Uploads an example, and returns the network's handle of it.
    async fn upload_sample(&self, account: &Account, sample: &Sample) -> Result<String, NetworkError>;

    /// Sets for how many seconds the network tries to deliver the template.
    async fn set_validity(
        &self,
        token: &SecretString,
        template_network_id: &str,
        seconds: i64,
    ) -> Result<(), NetworkError>;
}
