//! What templates need from outside.

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{ListedTemplate, Template, TemplateFilter, TemplateKey, VariableLabels};
use crate::{
    access::audit::AuditEntry,
    channels::{Account, ports::NetworkError},
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// An account whose templates are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueAccount {
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The account.
    pub account: AccountId,
}

/// Templates as they were last read from the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TemplateStore: Send + Sync {
    /// The workspace's templates that pass the filter, by name, language and account, each with the connected
    /// numbers of its account.
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

    /// Some accounts whose next reading is due at `now`, over all workspaces, the longest due first. Only reads.
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

/// Templates as the network holds them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTemplates: Send + Sync {
    /// All templates of the account, every page, without deleted ones. A row that cannot be read is left out.
    async fn templates(&self, account: &Account) -> Result<Vec<Template>, NetworkError>;

    /// Sets for how many seconds the network tries to deliver the template.
    async fn set_validity(
        &self,
        token: &SecretString,
        template_network_id: &str,
        seconds: i64,
    ) -> Result<(), NetworkError>;
}
