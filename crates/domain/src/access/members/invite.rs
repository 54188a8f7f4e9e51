//! Inviting somebody by a link that works once.

use std::{fmt, sync::Arc, time::Duration};

use url::Url;

use super::{
    invitation::{Invitation, InviteError, OpenInvitation},
    language::Language,
    ports::{InvitationHash, InvitationMail, InvitationStore, Mailer},
    role::Role,
};
use crate::{
    access::sessions::Attempts,
    audit::{Acting, Action, Actor},
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    hex::hex,
    ids::{InvitationId, WorkspaceId},
    vault::Vault,
};

/// Time for which a link works.
const VALID: Duration = Duration::from_hours(7 * 24);

/// Secret in an invitation's link: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct InvitationToken(String);

impl InvitationToken {
    /// Generates a token from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Takes a presented token, without the blanks around it.
    pub fn presented(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the hash by which the token is stored and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> InvitationHash {
        InvitationHash(vault.keyed_hash("invitation", self.0.as_bytes()))
    }
}

impl fmt::Debug for InvitationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InvitationToken(…)")
    }
}

/// Invitation that was just made.
#[derive(Debug)]
pub struct Invited {
    pub invitation: Invitation,
    pub way: Way,
}

/// Way by which a link reaches the invited person.
#[derive(Debug, PartialEq, Eq)]
pub enum Way {
    Mailed,
    /// Handed over by whoever invited; shown once.
    Link(Url),
}

/// Makes, opens, lists and withdraws invitations.
pub struct Invitations {
    pub store: Arc<dyn InvitationStore>,
    pub attempts: Attempts,
    pub vault: Arc<dyn Vault>,
    /// `None` if no mail is set up.
    pub mailer: Option<Arc<dyn Mailer>>,
    pub public_url: Url,
    pub deps: Deps,
}

impl Invitations {
    /// Invites `email`, in place of an earlier invitation. Mails are limited by the hour, since they go to
    /// any address that an owner writes, by a server that everybody's mail goes by. Only an operator may
    /// invite a member, and only until they have joined: an owner could otherwise act in another's name.
    pub async fn invite(
        &self,
        acting: Acting,
        email: EmailAddress,
        role: Role,
    ) -> Result<Invited, InviteError> {
        // Operators hand over the links that they ask for.
        let mailer = self.mailer.as_ref().filter(|_| acting.actor != Actor::Operator);
        if mailer.is_some() {
            self.attempts.take_invitation(acting.workspace, email.as_str()).await?;
        }
        let now = self.deps.clock.now();
        let id = InvitationId::new(&*self.deps.ids);
        let invitation = Invitation {
            id,
            workspace: acting.workspace,
            email,
            role,
            created_at: now,
            expires_at: now + VALID,
        };
        let token = InvitationToken::generate(&*self.vault);
        let entry = acting.does(Action::MemberInvited, now, &*self.deps.ids).to(id);
        let entry = entry.with("email", invitation.email.as_str()).with("role", role.as_str());
        let hash = token.hash(&*self.vault);
        let open = self.store.add(acting.workspace, &invitation, hash, mailer.is_some(), &entry).await?;
        let link = self.link(&token);
        let way = match mailer {
            Some(mailer) => {
                let mail = InvitationMail {
                    to: open.invitation,
                    workspace_name: open.workspace_name,
                    language: Language::of_locale(&open.locale),
                    link,
                };
                mailer.invite(&mail).await.map_err(|failed| InviteError::Mail(failed.0))?;
                Way::Mailed
            }
            None => Way::Link(link),
        };
        Ok(Invited { invitation, way })
    }

    /// Returns the link, with the token behind `#`: browsers send that part to nobody.
    fn link(&self, token: &InvitationToken) -> Url {
        let mut link = self.public_url.clone();
        link.set_path("/dashboard/invitation");
        link.set_fragment(Some(&token.0));
        link
    }

    /// Returns what a link is for; `None` if it does not work, or no longer.
    pub async fn open(&self, token: &InvitationToken) -> Result<Option<OpenInvitation>, StoreError> {
        self.store.find(token.hash(&*self.vault), self.deps.clock.now()).await
    }

    /// Lists the invitations that nobody has accepted yet and whose links work, newest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<Invitation>, StoreError> {
        self.store.list(workspace, self.deps.clock.now()).await
    }

    /// Withdraws an invitation; `false` if the workspace has no such invitation.
    pub async fn withdraw(&self, acting: Acting, id: InvitationId) -> Result<bool, StoreError> {
        let entry = acting.does(Action::InvitationWithdrawn, self.deps.clock.now(), &*self.deps.ids).to(id);
        self.store.withdraw(acting.workspace, id, &entry).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Invitations, Way};
    use crate::access::members::invitation::{InviteError, OpenInvitation};
    use crate::{
        access::{
            members::{
                Role,
                ports::{MockInvitationStore, MockMailer},
            },
            sessions::{Attempts, ports::MockSessionStore},
        },
        audit::Acting,
        testing::{ManualClock, SequentialIds, a_member, a_moment, a_session, a_vault, a_workspace, deps_of},
    };

    /// Returns invitations with mail, of which these numbers have been counted already.
    fn invitations(of_workspace: u32, to_address: u32) -> Invitations {
        let mut counts = [of_workspace, to_address].into_iter();
        let mut sessions = MockSessionStore::new();
        sessions.expect_take_attempts().returning(move |_, _| Ok(counts.next().into_iter().collect()));
        let mut store = MockInvitationStore::new();
        store.expect_add().returning(|_, invitation, _, _, _| {
            let workspace = a_workspace();
            let (workspace_name, locale) = (workspace.name, workspace.locale);
            Ok(OpenInvitation { invitation: invitation.clone(), workspace_name, locale })
        });
        let mut mailer = MockMailer::new();
        mailer.expect_invite().returning(|_| Ok(()));
        let (clock, vault) = (Arc::new(ManualClock::at(a_moment())), Arc::new(a_vault()));
        let attempts = Attempts { store: Arc::new(sessions), vault: vault.clone(), clock: clock.clone() };
        Invitations {
            store: Arc::new(store),
            attempts,
            vault,
            mailer: Some(Arc::new(mailer)),
            public_url: "https://messages.example/".parse().unwrap(),
            deps: deps_of(clock, Arc::new(SequentialIds::default())),
        }
    }

    #[pollster::test]
    async fn so_many_invitations_are_mailed_within_an_hour() {
        let owner = a_session(&a_member(1)).acting(None);
        for (of_workspace, to_address, is_mailed) in
            [(1, 1, true), (100, 3, true), (101, 1, false), (4, 4, false)]
        {
            let email = "omar@palm.example".parse().unwrap();
            match invitations(of_workspace, to_address).invite(owner, email, Role::Agent).await {
                Ok(invited) => assert!(is_mailed && invited.way == Way::Mailed),
                Err(InviteError::Throttled(_)) => assert!(!is_mailed, "{of_workspace} {to_address}"),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[pollster::test]
    async fn a_link_that_is_handed_over_is_no_mail() {
        let email = "omar@palm.example".parse().unwrap();
        let operator = Acting::operator(a_workspace().id);
        let invited = invitations(101, 4).invite(operator, email, Role::Agent).await.unwrap();
        assert!(matches!(invited.way, Way::Link(_)));
    }
}
