//! Signing in.

use std::sync::Arc;

use super::{
    Attempts, NewSession, Origin, Password, RecoveryCode, SessionToken, Throttled,
    attempts::{NoTry, account_key},
    ports::{Credentials, OneTimePasswords, PasswordHasher, PasswordsBusy, Proof, SessionStore},
};
use crate::{
    access::{
        audit::{Acting, Action, Actor},
        members::{EmailAddress, Member},
    },
    clock::Clock,
    errors::StoreError,
    ids::{IdSource, WorkspaceId},
    vault::Vault,
};

/// What somebody presents.
#[derive(Debug)]
pub struct SignInRequest {
    /// Their e-mail address, as they wrote it.
    pub email: String,
    /// Their password.
    pub password: Password,
    /// A code of their device, or a recovery code.
    pub code: Option<String>,
    /// Into which workspace; needed by who belongs to several.
    pub workspace: Option<WorkspaceId>,
}

/// Somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn<W> {
    /// What their browser holds from now on.
    pub token: SessionToken,
    /// Who.
    pub who: W,
}

/// Nobody is signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Too many tries.
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The address is unknown, the password wrong, or which workspace is not said. Which it is stays untold.
    #[error("the e-mail address and the password do not fit; who belongs to several workspaces names one")]
    Wrong,
    /// The password is right, and a code is asked for.
    #[error("a code of your second factor is needed")]
    CodeNeeded,
    /// The code is wrong, or was used.
    #[error("the code is wrong, or was used before")]
    WrongCode,
    /// Too many passwords are being checked.
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NoTry> for SignInError {
    fn from(error: NoTry) -> Self {
        match error {
            NoTry::Throttled(throttled) => Self::Throttled(throttled),
            NoTry::Store(error) => Self::Store(error),
        }
    }
}

/// Signs members in.
pub struct SignIn {
    /// Where sessions are kept.
    pub store: Arc<dyn SessionStore>,
    /// Counts tries.
    pub attempts: Attempts,
    /// Checks passwords.
    pub passwords: Arc<dyn PasswordHasher>,
    /// Makes codes to compare with.
    pub codes: Arc<dyn OneTimePasswords>,
    /// For the session's bits.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl SignIn {
    /// Begins a session. However it fails for a wrong address or password, it takes as long as for a right one.
    ///
    /// # Errors
    /// See [`SignInError`].
    pub async fn run(&self, asked: SignInRequest, origin: Origin) -> Result<SignedIn<Member>, SignInError> {
        let account = asked.email.trim().to_lowercase();
        self.attempts.take(&account, origin.address).await?;
        let known = match account.parse::<EmailAddress>() {
            Ok(email) => self.store.credentials(&email, asked.workspace).await?,
            Err(_) => Vec::new(),
        };
        // Whoever belongs to several workspaces must say which: checking each would tell that they do.
        let known = <[Credentials; 1]>::try_from(known).ok().map(|[one]| one);
        let hash = known.as_ref().map(|known| known.password.clone());
        let fits = self.passwords.verify(&asked.password, hash).await?;
        let known = known.filter(|_| fits).ok_or(SignInError::Wrong)?;
        let proof = self.proof(&known, asked.code.as_deref())?;
        self.begin(known.member, proof, &account, origin).await
    }

    fn proof(&self, known: &Credentials, code: Option<&str>) -> Result<Proof, SignInError> {
        let Some(factor) = known.factor.as_ref().filter(|factor| factor.confirmed) else {
            return Ok(Proof::NotAsked);
        };
        let code = code.filter(|code| !code.trim().is_empty()).ok_or(SignInError::CodeNeeded)?;
        if let Some(recovery) = RecoveryCode::presented(code) {
            return Ok(Proof::Recovery(recovery.hash(&*self.vault)));
        }
        let step = factor.secret.step_of(code, self.clock.now(), factor.last_step, &*self.codes);
        step.map(Proof::Step).ok_or(SignInError::WrongCode)
    }

    async fn begin(
        &self,
        member: Member,
        proof: Proof,
        account: &str,
        origin: Origin,
    ) -> Result<SignedIn<Member>, SignInError> {
        let now = self.clock.now();
        let token = SessionToken::generate(&*self.vault);
        let acting =
            Acting { workspace: member.workspace, actor: Actor::Member(member.id), address: origin.address };
        let session = NewSession::new(&token, origin, now, &*self.vault, &*self.ids);
        let entry = acting.does(Action::SignedIn, now, &*self.ids).to(session.id);
        let attempts = account_key(&*self.vault, account);
        let begun = self.store.begin(member.id, proof, &session, attempts, &entry).await?;
        if begun { Ok(SignedIn { token, who: member }) } else { Err(SignInError::WrongCode) }
    }
}
