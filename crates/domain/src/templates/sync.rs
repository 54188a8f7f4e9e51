//! Keeping an account's numbers and templates as the network has them.

use std::{sync::Arc, time::Duration};

use super::{
    Template,
    ports::{DueAccount, NetworkTemplates, TemplateStore},
    wanted_validity,
};
use crate::{
    access::audit::{Acting, Action, AuditEntry},
    channels::{
        Account, ChannelError, ConnectError, SyncNumbers,
        ports::{AccountStore, ChannelHealth, NetworkError},
    },
    deps::Deps,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// A reading is good for so long.
const INTERVAL: Duration = Duration::from_mins(15);

/// It says what a reading found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// The account has so many templates.
    pub templates: usize,
    pub validity_problems: Vec<(String, String, String)>,
}

/// It reads an account's numbers and templates from the network.
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
    /// When the network or the store fails; what was known before stays.
    pub async fn run(&self, account: &Account) -> Result<SyncReport, ConnectError> {
        self.read(account, None).await
    }

    /// Does the same because somebody asks for it; `None` when the workspace has connected no such account.
    ///
    /// # Errors
    /// As [`SyncAccount::run`].
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

    /// Returns the account of that id at the network, read now; `None` when the workspace has no such
    /// account.
    ///
    /// # Errors
    /// As [`SyncAccount::run`].
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

    /// Accounts whose reading is due now, over all workspaces.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<DueAccount>, StoreError> {
        self.templates.due(self.deps.clock.now()).await
    }

    /// Reads a due account, unless another node has taken it. A failed reading is due again after the usual
    /// interval.
    ///
    /// # Errors
    /// As [`SyncAccount::run`].
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
