//! Accepting an invitation.

use std::sync::Arc;

use super::{
    InvalidMemberName, InvitationToken, Language, Member, member_name,
    ports::{Acceptance, InvitationStore},
};
use crate::{
    access::{
        audit::{Acting, Action, Actor},
        sessions::{
            NewSession, Origin, Password, PasswordError, SessionToken, SignedIn, Subscriber,
            ports::{PasswordHasher, PasswordsBusy},
        },
    },
    deps::Deps,
    errors::StoreError,
    ids::MemberId,
    vault::Vault,
};

/// What accepting needs.
#[derive(Debug)]
pub struct AcceptRequest {
    /// What the link carries.
    pub token: InvitationToken,
    /// What the person is called.
    pub name: String,
    /// Their password from now on.
    pub password: String,
    /// What they are told things in from now on; `None` leaves that to their browser.
    pub language: Option<Language>,
}

/// The invitation was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The link does not work, or no longer.
    #[error("this invitation is not valid, or no longer; ask for another")]
    NotValid,
    /// The name is none.
    #[error(transparent)]
    Name(#[from] InvalidMemberName),
    /// The password is too weak.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// Too many passwords are being checked.
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes whoever holds a link a member, and signs them in.
pub struct AcceptInvitation {
    /// Where invitations are kept.
    pub store: Arc<dyn InvitationStore>,
    /// Hashes the password.
    pub passwords: Arc<dyn PasswordHasher>,
    /// For the session's bits.
    pub vault: Arc<dyn Vault>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl AcceptInvitation {
    /// The link works once. Who was a member earlier is a new one; who was added without having joined is the same.
    ///
    /// # Errors
    /// See [`AcceptError`].
    pub async fn run(&self, asked: AcceptRequest, origin: Origin) -> Result<SignedIn<Member>, AcceptError> {
        let name = member_name(&asked.name)?;
        let password = Password::choose(asked.password)?;
        let invitation = asked.token.hash(&*self.vault);
        let open = self.store.find(invitation, self.deps.clock.now()).await?.ok_or(AcceptError::NotValid)?;
        let password = self.passwords.hash(&password, Subscriber::of(origin.address)).await?;
        let now = self.deps.clock.now();
        let token = SessionToken::generate(&*self.vault);
        let address = origin.address;
        let session = NewSession::new(&token, origin, now, &*self.vault, &*self.deps.ids);
        let workspace = open.invitation.workspace;
        // The store says who it was: a member who had not joined keeps their id.
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
        Ok(SignedIn { token, who: member })
    }
}
