//! Telling owners by mail of what has become of their channels.

use std::sync::Arc;

use url::Url;

use super::{ChannelAlert, ports::ChannelHealth};
use crate::{
    access::members::{
        EmailAddress, Role,
        ports::{MailFailed, Mailer, MemberStore},
    },
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    workspaces::ports::WorkspaceStore,
};

/// A mail about a channel.
#[derive(Debug, Clone)]
pub struct AlertMail {
    /// To whom.
    pub to: EmailAddress,
    /// Of which workspace.
    pub workspace_name: String,
    /// In which language.
    pub locale: String,
    /// About what.
    pub alert: ChannelAlert,
    /// Where the channels are shown.
    pub link: Url,
}

/// What a round came to.
#[derive(Debug, Default)]
pub struct Told {
    /// Mails that were taken.
    pub mails: usize,
    /// Why mails were not, for the log.
    pub failed: Vec<MailFailed>,
}

/// Tells owners.
#[derive(Clone)]
pub struct TellOwners {
    /// What there is to tell.
    pub health: Arc<dyn ChannelHealth>,
    /// Who the owners are.
    pub members: Arc<dyn MemberStore>,
    /// What the workspace is called, and its language.
    pub workspaces: Arc<dyn WorkspaceStore>,
    /// Takes the mails.
    pub mailer: Arc<dyn Mailer>,
    /// Where the dashboard is.
    pub public_url: Url,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl TellOwners {
    /// Workspaces whose owners are to be told something.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.health.workspaces_to_tell().await
    }

    /// Tells each owner who has joined. What was taken up is told once: it stands on the page as well.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Told, StoreError> {
        let mut told = Told::default();
        let Some(known) = self.workspaces.find(workspace).await? else { return Ok(told) };
        let team = self.members.team(workspace).await?;
        let alerts = self.health.take_alerts(workspace, self.clock.now()).await?;
        let Ok(link) = self.public_url.join("dashboard/settings/channels") else { return Ok(told) };
        let owners = || team.iter().filter(|member| member.role == Role::Owner && member.joined);
        for alert in &alerts {
            for owner in owners() {
                let mail = AlertMail {
                    to: owner.email.clone(),
                    workspace_name: known.name.clone(),
                    locale: known.locale.clone(),
                    alert: alert.clone(),
                    link: link.clone(),
                };
                match self.mailer.alert(&mail).await {
                    Ok(()) => told.mails += 1,
                    Err(error) => told.failed.push(error),
                }
            }
        }
        Ok(told)
    }
}
