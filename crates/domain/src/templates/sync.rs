//! Keeping an account's numbers and templates in step with the network.

use std::{sync::Arc, time::Duration};

use super::{
    Template,
    ports::{DueAccount, NetworkTemplates, TemplateStore},
    validity::wanted_validity,
};
use crate::{
    audit::{Acting, Action, AuditEntry},
    channels::{
        Account, ChannelError, ConnectError, SyncNumbers,
        ports::{AccountStore, ChannelHealth, NetworkError},
    },
    deps::Deps,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// Interval between readings of an account.
const INTERVAL: Duration = Duration::from_mins(15);

/// Result of a reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncReport {
    pub templates: usize,
    /// Name, language and problem of each template whose codes could arrive after they have expired.
    pub validity_problems: Vec<(String, String, String)>,
}

/// Use case that reads an account's numbers and templates from the network.
pub struct SyncAccount {
    pub accounts: Arc<dyn AccountStore>,
    pub templates: Arc<dyn TemplateStore>,
    pub network: Arc<dyn NetworkTemplates>,
    pub health: Arc<dyn ChannelHealth>,
    pub numbers: SyncNumbers,
    pub deps: Deps,
}

impl SyncAccount {
    /// Reads numbers and templates, and corrects at the network each one-time-code template whose message
    /// would outlive its code.
    ///
    /// # Errors
    /// If the network or the store fails; what was known before stays.
    pub async fn run(&self, account: &Account) -> Result<SyncReport, ConnectError> {
        self.read(account, None).await
    }

    /// Reads an account because somebody asks for it, and notes that in the audit log; `None` if the
    /// workspace has connected no such account.
    pub async fn run_by(
        &self,
        acting: Acting,
        account: AccountId,
    ) -> Result<Option<SyncReport>, ConnectError> {
        let Some(account) = self.accounts.find(acting.workspace, account).await? else { return Ok(None) };
        let entry = acting
            .does(Action::AccountSynced, self.deps.clock.now(), &*self.deps.ids)
            .to(&account.network_id);
        self.read(&account, Some(entry)).await.map(Some)
    }

    async fn read(&self, account: &Account, asked: Option<AuditEntry>) -> Result<SyncReport, ConnectError> {
        let read = self.read_all(account, asked).await;
        if let Err(ConnectError::Network(NetworkError::Refused { code, message })) = &read {
            let problem = ChannelError { code: *code, message: message.clone(), at: self.deps.clock.now() };
            self.health.note_problem(account.workspace, account.id, &problem).await?;
        }
        read
    }

    async fn read_all(
        &self,
        account: &Account,
        asked: Option<AuditEntry>,
    ) -> Result<SyncReport, ConnectError> {
        self.numbers.run(account).await?;
        let mut templates = self.network.templates(account).await?;
        for template in &mut templates {
            self.hold_to_its_code(account, template).await;
        }
        self.templates.replace(account.workspace, account, &templates, self.deps.clock.now(), asked).await?;
        let validity_problems = templates
            .iter()
            .filter_map(|template| {
                let problem = template.validity_problem.clone()?;
                Some((template.name.clone(), template.language.clone(), problem))
            })
            .collect();
        Ok(SyncReport { templates: templates.len(), validity_problems })
    }

    async fn hold_to_its_code(&self, account: &Account, template: &mut Template) {
        let Some(seconds) = wanted_validity(template) else { return };
        match self.network.set_validity(&account.token, &template.network_id, seconds).await {
            Ok(()) => template.send_ttl_seconds = Some(seconds),
            Err(error) => template.validity_problem = Some(error.to_string()),
        }
    }

    /// Reads the account of that id at the network; `None` if the workspace has no such account.
    pub async fn run_for(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<SyncReport>, ConnectError> {
        match self.accounts.find_by_network_id(workspace, network_id).await? {
            Some(account) => Ok(Some(self.run(&account).await?)),
            None => Ok(None),
        }
    }

    /// Returns accounts whose reading is due now, over all workspaces.
    pub async fn due(&self) -> Result<Vec<DueAccount>, StoreError> {
        self.templates.due(self.deps.clock.now()).await
    }

    /// Reads a due account; `None` if another node has claimed it or the account is gone. A failed reading is
    /// due again after the usual interval.
    pub async fn run_due(&self, due: DueAccount) -> Result<Option<SyncReport>, ConnectError> {
        let now = self.deps.clock.now();
        if !self.templates.claim_due(due.workspace, due.account, now, now + INTERVAL).await? {
            return Ok(None);
        }
        match self.accounts.find(due.workspace, due.account).await? {
            Some(account) => Ok(Some(self.run(&account).await?)),
            None => Ok(None),
        }
    }
}
