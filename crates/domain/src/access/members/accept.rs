//! Accepting an invitation.

use std::sync::Arc;

use super::{
    InvalidMemberName, Member,
    invite::InvitationToken,
    language::Language,
    member_name,
    ports::{Acceptance, InvitationStore},
};
use crate::{
    access::sessions::{
        Device, NewSession, Origin, Password, PasswordError, SessionToken, SignedIn, Subscriber,
        ports::{Credentials, PasswordHasher, PasswordsBusy},
    },
    audit::{Acting, Action, Actor},
    deps::Deps,
    errors::StoreError,
    ids::MemberId,
    vault::Vault,
};

/// What somebody types to accept an invitation.
#[derive(Debug)]
pub struct AcceptRequest {
    pub token: InvitationToken,
    pub name: String,
    pub password: String,
    /// Language of their pages and mails; `None` leaves it to their browser.
    pub language: Option<Language>,
}

/// Reason why the invitation was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    #[error("this invitation is not valid, or no longer; ask for another")]
    NotValid,
    #[error(transparent)]
    Name(#[from] InvalidMemberName),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes the holder of a link a member, and signs them in.
pub struct AcceptInvitation {
    pub store: Arc<dyn InvitationStore>,
    pub passwords: Arc<dyn PasswordHasher>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl AcceptInvitation {
    /// Accepts an invitation; its link works once. A former member becomes a new one; one who was added
    /// without having joined keeps their id.
    pub async fn run(&self, asked: AcceptRequest, origin: Origin) -> Result<SignedIn<Member>, AcceptError> {
        let name = member_name(&asked.name)?;
        let password = Password::choose(asked.password)?;
        let invitation = asked.token.hash(&*self.vault);
        let open = self.store.find(invitation, self.deps.clock.now()).await?.ok_or(AcceptError::NotValid)?;
        let workspace = open.invitation.workspace;
        let password = self.passwords.hash(&password, Subscriber::known(workspace.uuid())).await?;
        let now = self.deps.clock.now();
        let token = SessionToken::generate(&*self.vault);
        let address = origin.address;
        let session = NewSession::new(&token, origin, now, &*self.vault, &*self.deps.ids);
        // The store fills in the actor: a member who had not joined keeps their id.
        let acting = Acting { workspace, actor: Actor::Operator, address };
        let entry = acting
            .does(Action::MemberJoined, now, &*self.deps.ids)
            .with("invitation", open.invitation.id.to_string());
        let acceptance = Acceptance {
            invitation,
            member_if_new: MemberId::new(&*self.deps.ids),
            name,
            password,
            language: asked.language,
            session,
            entry,
            now,
        };
        let member = self.store.accept(workspace, &acceptance).await?.ok_or(AcceptError::NotValid)?;
        let known = Credentials {
            member: member.clone(),
            password: acceptance.password,
            factor: None,
            device_generation: 0,
        };
        Ok(SignedIn { token, who: member, device: Device::issue(&known, now, &*self.vault) })
    }
}
