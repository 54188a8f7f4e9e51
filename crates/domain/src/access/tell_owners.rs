//! Mails to owners about alerts.

use std::sync::Arc;

use url::Url;

use super::alert_mail::AlertMail;
use crate::{
    access::members::{
        Language, Role,
        ports::{MailFailed, Mailer, MemberStore},
    },
    channels::{AlertKind, ports::ChannelHealth},
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    workspaces::ports::WorkspaceStore,
};

/// Result of mailing the alerts of a workspace.
#[derive(Debug, Default)]
pub struct TellOutcome {
    /// Number of mails that were accepted.
    pub mails: usize,
    /// Reasons that mails were not accepted, for the log.
    pub failed: Vec<MailFailed>,
}

/// Use case that mails alerts to owners.
#[derive(Clone)]
pub struct TellOwners {
    pub health: Arc<dyn ChannelHealth>,
    pub members: Arc<dyn MemberStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub mailer: Arc<dyn Mailer>,
    pub public_url: Url,
    pub clock: Arc<dyn Clock>,
}

impl TellOwners {
    /// Lists the workspaces whose owners have alerts to be told.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.health.workspaces_to_tell().await
    }

    /// Mails the alerts to each owner who has joined. Each alert is mailed once, even if that fails: the page
    /// shows it as well.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<TellOutcome, StoreError> {
        let mut told = TellOutcome::default();
        let Some(known) = self.workspaces.find(workspace).await? else { return Ok(told) };
        let team = self.members.team(workspace).await?;
        let alerts = self.health.take_alerts(workspace, self.clock.now()).await?;
        let owners = || team.iter().filter(|member| member.role == Role::Owner && member.joined);
        for alert in &alerts {
            let page = match alert.kind {
                AlertKind::AssistantTokens => "dashboard/settings/assistant",
                _ => "dashboard/settings/channels",
            };
            let Ok(link) = self.public_url.join(page) else { continue };
            for owner in owners() {
                let mail = AlertMail {
                    to: owner.email.clone(),
                    workspace_name: known.name.clone(),
                    language: owner.language.unwrap_or_else(|| Language::of_locale(&known.locale)),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mockall::predicate::eq;

    use super::TellOwners;
    use crate::{
        access::members::{
            Language, Member, Role,
            ports::{MockMailer, MockMemberStore},
        },
        channels::{AlertKind, ChannelAlert, ports::MockChannelHealth},
        testing::{ManualClock, a_member, a_moment, a_workspace},
        workspaces::ports::MockWorkspaceStore,
    };

    #[pollster::test]
    async fn each_owner_is_told_in_the_language_that_they_have_chosen_or_else_in_the_workspace_s() {
        let workspace = a_workspace().id;
        let alert = ChannelAlert {
            account_network_id: "waba-0".to_owned(),
            phone: None,
            kind: AlertKind::TokenRefused,
            detail: None,
        };
        let team = vec![
            Member { language: Some(Language::English), ..a_member(1) },
            a_member(2),
            Member { role: Role::Agent, ..a_member(3) },
        ];
        let mut health = MockChannelHealth::new();
        health.expect_take_alerts().return_once(move |_, _| Ok(vec![alert]));
        let mut members = MockMemberStore::new();
        members.expect_team().with(eq(workspace)).return_once(move |_| Ok(team));
        let mut workspaces = MockWorkspaceStore::new();
        workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
        let mut mailer = MockMailer::new();
        for (index, language) in [(1, Language::English), (2, Language::Arabic)] {
            let to = a_member(index).email;
            let is_theirs = move |mail: &super::AlertMail| mail.to == to && mail.language == language;
            mailer.expect_alert().withf(is_theirs).once().returning(|_| Ok(()));
        }
        let tell = TellOwners {
            health: Arc::new(health),
            members: Arc::new(members),
            workspaces: Arc::new(workspaces),
            mailer: Arc::new(mailer),
            public_url: "https://messages.example/".parse().unwrap(),
            clock: Arc::new(ManualClock::at(a_moment())),
        };
        assert_eq!(tell.run(workspace).await.unwrap().mails, 2);
    }
}
