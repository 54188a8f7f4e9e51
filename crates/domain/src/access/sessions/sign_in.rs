//! Signing in.

use std::sync::Arc;

use super::{
    Attempts, NewSession, Origin, Password, PasswordHash, RecoveryCode, Refusal, RefusedCredential,
    SessionToken, Subscriber, Throttled,
    attempts::{AttemptWindow, Key, NoTry, TRIES_OF_PASSWORD},
    ports::{Credentials, Factor, OneTimePasswords, PasswordHasher, PasswordsBusy, Proof, SessionStore},
};
use crate::{
    access::{
        audit::{Acting, Action, Actor},
        members::{EmailAddress, Member},
    },
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
    vault::Vault,
    workspaces::ports::WorkspaceStore,
};

/// A password is tried against so many memberships where no workspace is named. Those whose members have
/// shown that the mailbox is theirs come first, then the oldest.
pub const MEMBERSHIPS_TRIED: usize = 4;

#[derive(Debug)]
pub struct SignInRequest {
    /// It is their address as they wrote it.
    pub email: String,
    pub password: Password,
    /// It is a code of their device, or a recovery code.
    pub code: Option<String>,
    /// They sign in to this workspace; without it, to the one whose password it is.
    pub workspace: Option<WorkspaceId>,
}

/// Somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn<W> {
    /// Their browser holds it from now on.
    pub token: SessionToken,
    pub who: W,
}

/// A person chooses among such workspaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: WorkspaceId,
    pub name: String,
}

/// It says why nobody is signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The address is unknown, or the password wrong, or was tried too often. Which it is stays untold.
    #[error(
        "the e-mail address and the password do not fit; after ten tries none fits for a quarter of an hour"
    )]
    Wrong,
    /// The password is that of several memberships.
    #[error("the password is right in several workspaces; name one of them")]
    Several(Vec<Choice>),
    /// The password is right, and a code is asked for.
    #[error("a code of your second factor is needed")]
    CodeNeeded,
    /// The code is wrong, or was used.
    #[error("the code is wrong, or was used before")]
    WrongCode,
    #[error(transparent)]
    Busy(#[from] PasswordsBusy),
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

/// It is what came of a try, and what is to be kept of it once it was answered.
#[derive(Debug)]
pub struct Tried {
    pub outcome: Result<SignedIn<Member>, SignInError>,
    /// [`super::Refusals::keep`] takes them.
    pub refusals: Vec<Refusal>,
}

/// It signs members in.
pub struct SignIn {
    pub store: Arc<dyn SessionStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub codes: Arc<dyn OneTimePasswords>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

/// An address may sign in as this member.
struct Candidate {
    known: Credentials,
    /// Tries at them are counted by it.
    key: Key,
    /// It is true after too many tries.
    locked: bool,
}

/// They are all of them, and whether there were too many tries at the address itself, known or not.
struct Candidates {
    all: Vec<Candidate>,
    throttled: bool,
}

impl SignIn {
    /// Begins a session. However it fails for a wrong address or password, it takes as long as for a right one.
    pub async fn run(&self, asked: SignInRequest, origin: Origin) -> Tried {
        let mut refusals = Vec::new();
        let outcome = self.try_in(asked, origin, &mut refusals).await;
        Tried { outcome, refusals }
    }

    async fn try_in(
        &self,
        asked: SignInRequest,
        origin: Origin,
        refusals: &mut Vec<Refusal>,
    ) -> Result<SignedIn<Member>, SignInError> {
        let email = asked.email.trim().to_lowercase();
        self.attempts.take_from(origin.address).await?;
        let window = self.attempts.quarter();
        let Candidates { all, throttled } = self.candidates(&email, asked.workspace, window).await?;
        let refused = |one: &Candidate, locked| {
            Refusal::of(&one.known.member, RefusedCredential::Password, locked, window, origin.address)
        };
        if throttled {
            refusals.extend(all.iter().map(|one| refused(one, true)));
            return Err(Throttled { resets_in: window.resets_in }.into());
        }
        let fits = self.fits(&all, &asked, Subscriber::of(origin.address)).await?;
        if !fits.contains(&true) {
            refusals.extend(all.iter().map(|one| refused(one, one.locked)));
            return Err(SignInError::Wrong);
        }
        let fitting = all.into_iter().zip(fits).filter(|(_, fits)| *fits).map(|(one, _)| one);
        let known = self.chosen(fitting.collect(), &email).await?;
        self.enter(known, asked.code.as_deref(), origin, refusals).await
    }

    /// Counts the try, at somebody and at nobody alike, and finds whom it may be.
    async fn candidates(
        &self,
        email: &str,
        workspace: Option<WorkspaceId>,
        window: AttemptWindow,
    ) -> Result<Candidates, StoreError> {
        let account = self.attempts.account_key(email);
        let named = workspace.map(|workspace| self.attempts.password_key(workspace, email));
        let used = self.attempts.take(&[named.unwrap_or(account)], window).await?.into_iter().sum::<u32>();
        let unnamed = self.attempts.used(account, window).await?;
        let known = match EmailAddress::presented(email) {
            Some(email) => self.store.credentials(&email, workspace, MEMBERSHIPS_TRIED).await?,
            None => Vec::new(),
        };
        let keys: Vec<Key> =
            known.iter().map(|known| self.attempts.password_key(known.member.workspace, email)).collect();
        // Who is named was counted above.
        let counted = match named {
            Some(_) => keys.iter().map(|_| used).collect(),
            None => self.attempts.take(&keys, window).await?,
        };
        // Tries that name no workspace count at whoever is known. Nobody is to be told apart by their not counting.
        let at_address =
            if named.is_some() && known.is_empty() { used.saturating_add(unnamed) } else { used };
        let candidate = |((known, key), used)| Candidate { known, key, locked: used > TRIES_OF_PASSWORD };
        Ok(Candidates {
            all: known.into_iter().zip(keys).zip(counted).map(candidate).collect(),
            throttled: at_address > TRIES_OF_PASSWORD,
        })
    }

    /// Says whose password it is, in their order. As many are compared whether there is anybody or not.
    async fn fits(
        &self,
        all: &[Candidate],
        asked: &SignInRequest,
        by: Subscriber,
    ) -> Result<Vec<bool>, PasswordsBusy> {
        let places = if asked.workspace.is_some() { 1 } else { MEMBERSHIPS_TRIED };
        let hash =
            |place: usize| all.get(place).filter(|one| !one.locked).map(|one| one.known.password.clone());
        let hashes = (0..places).map(hash).collect();
        self.passwords.verify(&asked.password, hashes, by).await
    }

    /// Returns the one that fits, whose tries are forgiven.
    async fn chosen(&self, fitting: Vec<Candidate>, email: &str) -> Result<Credentials, SignInError> {
        let mut keys: Vec<Key> = fitting.iter().map(|one| one.key).collect();
        keys.push(self.attempts.account_key(email));
        self.attempts.forgive(&keys).await?;
        match <[Candidate; 1]>::try_from(fitting) {
            Ok([one]) => Ok(one.known),
            Err(several) => {
                let mut choices = Vec::new();
                for one in several {
                    let found = self.workspaces.find(one.known.member.workspace).await?;
                    choices.extend(found.map(|found| Choice { id: found.id, name: found.name }));
                }
                Err(SignInError::Several(choices))
            }
        }
    }

    /// Asks for the second factor, where there is one.
    async fn enter(
        &self,
        known: Credentials,
        code: Option<&str>,
        origin: Origin,
        refusals: &mut Vec<Refusal>,
    ) -> Result<SignedIn<Member>, SignInError> {
        let Credentials { member, password, factor } = known;
        let Some(factor) = factor.filter(|factor| factor.confirmed) else {
            let begun = self.begin(&member, &password, Proof::NotAsked, origin).await?;
            return begun.ok_or(SignInError::Wrong);
        };
        let code = code.filter(|code| !code.trim().is_empty()).ok_or(SignInError::CodeNeeded)?;
        let address = origin.address;
        let refused =
            |locked| Refusal::of(&member, RefusedCredential::Code, locked, self.attempts.hour(), address);
        let tried = match self.attempts.take_code(member.workspace, member.id).await {
            Err(NoTry::Throttled(throttled)) => {
                refusals.push(refused(true));
                return Err(throttled.into());
            }
            tried => tried?,
        };
        let begun = match self.proof(&factor, code) {
            Some(proof) => self.begin(&member, &password, proof, origin).await?,
            None => None,
        };
        let Some(begun) = begun else {
            refusals.push(refused(false));
            return Err(SignInError::WrongCode);
        };
        self.attempts.give_back(tried).await;
        Ok(begun)
    }

    fn proof(&self, factor: &Factor, code: &str) -> Option<Proof> {
        if let Some(recovery) = RecoveryCode::presented(code) {
            return Some(Proof::Recovery(recovery.hash(&*self.vault)));
        }
        let step = factor.secret.step_of(code, self.deps.clock.now(), factor.last_step, &*self.codes);
        step.map(Proof::Step)
    }

    /// Returns `None` where the proof was used before or is none, or where the member has come to prove themselves
    /// otherwise meanwhile.
    async fn begin(
        &self,
        member: &Member,
        password: &PasswordHash,
        proof: Proof,
        origin: Origin,
    ) -> Result<Option<SignedIn<Member>>, StoreError> {
        let now = self.deps.clock.now();
        let token = SessionToken::generate(&*self.vault);
        let acting =
            Acting { workspace: member.workspace, actor: Actor::Member(member.id), address: origin.address };
        let session = NewSession::new(&token, origin, now, &*self.vault, &*self.deps.ids);
        let entry = acting.does(Action::SignedIn, now, &*self.deps.ids).to(session.id);
        let begun = self.store.begin(member.workspace, member.id, password, proof, &session, &entry).await?;
        Ok(begun.then(|| SignedIn { token, who: member.clone() }))
    }
}
