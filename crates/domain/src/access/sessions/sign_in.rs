//! Signing in.

use std::sync::Arc;

use super::{
    NewSession, Origin,
    attempts::{
        AttemptWindow, Attempts, Key, MEMBERSHIPS_TRIED, NoTry, TRIES_OF_PASSWORD, Throttled, within,
    },
    device::{Device, Devices},
    password::Password,
    ports::{Credentials, Factor, OneTimePasswords, PasswordHasher, PasswordsBusy, Proof, SessionStore},
    refusals::{Refusal, RefusedCredential, RefusedTry},
    subscriber::Subscriber,
    token::SessionToken,
    totp::RecoveryCode,
};
use crate::{
    access::members::Member,
    audit::{Acting, Action, Actor},
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    ids::WorkspaceId,
    vault::Vault,
    workspaces::ports::WorkspaceStore,
};

/// What somebody types to sign in, and from where.
#[derive(Debug)]
pub struct SignInRequest {
    /// E-mail address as it was typed.
    pub email: String,
    pub password: Password,
    /// Code of their device, or a recovery code.
    pub code: Option<String>,
    /// Workspace to sign in to; `None` for the one whose password it is.
    pub workspace: Option<WorkspaceId>,
    pub devices: Devices,
}

/// Successful sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn<W> {
    /// Token for their browser to hold.
    pub token: SessionToken,
    pub who: W,
    /// Device by which their browser is known at later sign-ins.
    pub device: Device,
}

/// Workspace that a person may choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: WorkspaceId,
    pub name: String,
}

/// Reason why nobody is signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    /// The address is unknown, or the password wrong or tried too often; which of these stays untold.
    #[error(
        "the e-mail address and the password do not fit; after ten tries none fits for a quarter of an hour"
    )]
    Wrong,
    #[error("the password is right in several workspaces; name one of them")]
    Several(Vec<Choice>),
    #[error("a code of your second factor is needed")]
    CodeNeeded,
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

/// Outcome of a try, and what to keep of it once it was answered.
#[derive(Debug)]
pub struct Tried {
    pub outcome: Result<SignedIn<Member>, SignInError>,
    /// Refusals for [`super::Refusals::keep`].
    pub refusals: RefusedTry,
}

/// Signs members in.
pub struct SignIn {
    pub store: Arc<dyn SessionStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub attempts: Attempts,
    pub passwords: Arc<dyn PasswordHasher>,
    pub codes: Arc<dyn OneTimePasswords>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

/// Member as whom an address may sign in.
struct Candidate {
    known: Credentials,
    /// Key under which tries at the member are counted.
    key: Key,
    /// Device by which the browser is known for the member.
    device: Option<Device>,
    locked: bool,
}

/// Counts of tries, this one included.
#[derive(Debug, Clone, Copy)]
struct Counted {
    /// Tries at the address, known or not: those that name no workspace, and those that name this one.
    at_address: u32,
    /// Tries at the password in the workspace that is named; 0 without one.
    at_named: u32,
}

impl SignIn {
    /// Begins a session. A wrong address or password takes as long as a right one.
    pub async fn run(&self, asked: SignInRequest, origin: Origin) -> Tried {
        let mut refusals = RefusedTry::default();
        let outcome = self.try_in(asked, origin, &mut refusals).await;
        Tried { outcome, refusals }
    }

    async fn try_in(
        &self,
        asked: SignInRequest,
        origin: Origin,
        refusals: &mut RefusedTry,
    ) -> Result<SignedIn<Member>, SignInError> {
        let email = asked.email.trim().to_lowercase();
        let (window, workspace) = (self.attempts.quarter(), asked.workspace);
        let all = match self.known_here(&asked, &email, window).await? {
            Some(all) => all,
            None => self.in_crowd(&email, workspace, window, &origin, refusals).await?,
        };
        let refused = |one: &Candidate| {
            Refusal::of(&one.known.member, RefusedCredential::Password, one.locked, window, origin.address)
        };
        let known_here = all.iter().find(|one| one.device.is_some());
        let by = known_here.map_or_else(
            || Subscriber::of(origin.address),
            |one| Subscriber::known(one.known.member.id.uuid()),
        );
        let fits = self.fits(&all, &asked, by).await?;
        if !fits.contains(&true) {
            *refusals = RefusedTry::As(all.iter().map(refused).collect());
            return Err(SignInError::Wrong);
        }
        let fitting = all.into_iter().zip(fits).filter(|(_, fits)| *fits).map(|(one, _)| one);
        let (known, device) = self.chosen(fitting.collect(), &email).await?;
        self.enter(known, device, asked.code.as_deref(), origin, refusals).await
    }

    /// Returns the candidates if the browser is known for one of them and has tries left; `None` otherwise.
    /// The try is not counted with those of strangers, except at candidates for whom the browser is not
    /// known.
    async fn known_here(
        &self,
        asked: &SignInRequest,
        email: &str,
        window: AttemptWindow,
    ) -> Result<Option<Vec<Candidate>>, StoreError> {
        let devices = asked.devices.issued_to(email, self.deps.clock.now(), &*self.vault);
        let presented = EmailAddress::presented(email).filter(|_| !devices.is_empty());
        let Some(presented) = presented else { return Ok(None) };
        let (mut all, mut any) = (Vec::new(), false);
        for known in self.store.credentials(&presented, asked.workspace, MEMBERSHIPS_TRIED).await? {
            let current = devices.iter().find(|device| device.is_current(&known, &*self.vault));
            let device = match current {
                Some(device) if self.attempts.take_device(device, window).await? => Some((*device).clone()),
                _ => None,
            };
            any |= device.is_some();
            let key = match &device {
                Some(device) => self.attempts.device_key(device),
                None => self.attempts.password_key(known.member.workspace, email),
            };
            all.push(Candidate { known, key, device, locked: false });
        }
        if !any {
            return Ok(None);
        }
        let strangers: Vec<Key> = all.iter().filter(|one| one.device.is_none()).map(|one| one.key).collect();
        let used = self.attempts.take(&strangers, window).await?;
        for (one, used) in all.iter_mut().filter(|one| one.device.is_none()).zip(used) {
            one.locked = used > TRIES_OF_PASSWORD;
        }
        Ok(Some(all))
    }

    /// Returns the candidates of a try from an unknown browser, which is counted with everybody else's.
    async fn in_crowd(
        &self,
        email: &str,
        workspace: Option<WorkspaceId>,
        window: AttemptWindow,
        origin: &Origin,
        refusals: &mut RefusedTry,
    ) -> Result<Vec<Candidate>, SignInError> {
        self.attempts.take_from(origin.address).await?;
        let counted = self.count(email, workspace, window).await?;
        let presented = EmailAddress::presented(email);
        if let Err(throttled) = within(&[counted.at_address], TRIES_OF_PASSWORD, window) {
            // Whose it is, is looked up after the answer, so that the time tells nothing.
            if let Some(email) = presented {
                *refusals = RefusedTry::At { email, workspace, window, address: origin.address };
            }
            return Err(throttled.into());
        }
        Ok(self.candidates(email, presented.as_ref(), workspace, counted, window).await?)
    }

    /// Counts the try by its address; if it names a workspace, also at the address there, whether anybody has
    /// it or not.
    async fn count(
        &self,
        email: &str,
        workspace: Option<WorkspaceId>,
        window: AttemptWindow,
    ) -> Result<Counted, StoreError> {
        let account = self.attempts.account_key(email);
        let Some(workspace) = workspace else {
            let at_address = self.attempts.take(&[account], window).await?.into_iter().sum();
            return Ok(Counted { at_address, at_named: 0 });
        };
        let named = self.attempts.named_key(workspace, email);
        let keys = [named, self.attempts.password_key(workspace, email)];
        let used = self.attempts.take(&keys, window).await?;
        let [by_name, at_named] = <[u32; 2]>::try_from(used).unwrap_or([u32::MAX; 2]);
        // Tries that name no workspace count here, too.
        let unnamed = self.attempts.used(account, window).await?;
        Ok(Counted { at_address: by_name.saturating_add(unnamed), at_named })
    }

    /// Returns the candidates, and counts the try at each of them unless it was. For an unknown address as
    /// many are counted.
    async fn candidates(
        &self,
        email: &str,
        presented: Option<&EmailAddress>,
        workspace: Option<WorkspaceId>,
        counted: Counted,
        window: AttemptWindow,
    ) -> Result<Vec<Candidate>, StoreError> {
        let known = match presented {
            Some(email) => self.store.credentials(email, workspace, MEMBERSHIPS_TRIED).await?,
            None => Vec::new(),
        };
        let mut keys: Vec<Key> =
            known.iter().map(|known| self.attempts.password_key(known.member.workspace, email)).collect();
        let used = if workspace.is_some() {
            vec![counted.at_named; keys.len()]
        } else {
            keys.extend(
                (keys.len()..MEMBERSHIPS_TRIED).map(|place| self.attempts.nobody_s_key(place, email)),
            );
            self.attempts.take(&keys, window).await?
        };
        let candidate =
            |((known, key), used)| Candidate { known, key, device: None, locked: used > TRIES_OF_PASSWORD };
        Ok(known.into_iter().zip(keys).zip(used).map(candidate).collect())
    }

    /// Returns whether the password fits, for each candidate. As many hashes are compared whether there is
    /// anybody or not.
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

    /// Forgives the tries at all candidates that fit, and returns the only one; an error with the choices if
    /// there are several.
    async fn chosen(
        &self,
        fitting: Vec<Candidate>,
        email: &str,
    ) -> Result<(Credentials, Option<Device>), SignInError> {
        let keys_of = |one: &Candidate| {
            let workspace = one.known.member.workspace;
            let keys =
                [self.attempts.password_key(workspace, email), self.attempts.named_key(workspace, email)];
            [one.key].into_iter().chain(keys)
        };
        let mut keys: Vec<Key> = fitting.iter().flat_map(keys_of).collect();
        keys.push(self.attempts.account_key(email));
        self.attempts.forgive(&keys).await?;
        match <[Candidate; 1]>::try_from(fitting) {
            Ok([one]) => Ok((one.known, one.device)),
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

    /// Asks for the second factor, if there is one, and begins the session.
    async fn enter(
        &self,
        known: Credentials,
        device: Option<Device>,
        code: Option<&str>,
        origin: Origin,
        refusals: &mut RefusedTry,
    ) -> Result<SignedIn<Member>, SignInError> {
        let member = &known.member;
        let Some(factor) = known.factor.as_ref().filter(|factor| factor.confirmed) else {
            let begun = self.begin(&known, Proof::NotAsked, origin).await?;
            return begun.ok_or(SignInError::Wrong);
        };
        let code = code.filter(|code| !code.trim().is_empty()).ok_or(SignInError::CodeNeeded)?;
        let address = origin.address;
        let refused =
            |locked| Refusal::of(member, RefusedCredential::Code, locked, self.attempts.hour(), address);
        let tried = match self.attempts.take_code(member.workspace, member.id, device.as_ref()).await {
            Err(NoTry::Throttled(throttled)) => {
                *refusals = RefusedTry::As(vec![refused(true)]);
                return Err(throttled.into());
            }
            tried => tried?,
        };
        let begun = match self.proof(factor, code) {
            Some(proof) => self.begin(&known, proof, origin).await?,
            None => None,
        };
        let Some(begun) = begun else {
            *refusals = RefusedTry::As(vec![refused(false)]);
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

    /// Begins the session; `None` if the proof was used before or is wrong, or if what the member proves
    /// themselves by has changed meanwhile.
    async fn begin(
        &self,
        known: &Credentials,
        proof: Proof,
        origin: Origin,
    ) -> Result<Option<SignedIn<Member>>, StoreError> {
        let Credentials { member, password, .. } = known;
        let now = self.deps.clock.now();
        let token = SessionToken::generate(&*self.vault);
        let acting =
            Acting { workspace: member.workspace, actor: Actor::Member(member.id), address: origin.address };
        let session = NewSession::new(&token, origin, now, &*self.vault, &*self.deps.ids);
        let entry = acting.does(Action::SignedIn, now, &*self.deps.ids).to(session.id);
        let begun = self.store.begin(member.workspace, member.id, password, proof, &session, &entry).await?;
        let device = Device::issue(known, now, &*self.vault);
        Ok(begun.then(|| SignedIn { token, who: member.clone(), device }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{
        access::sessions::{
            PasswordHash, Refusals,
            ports::{MockOneTimePasswords, MockPasswordHasher, MockSessionStore},
        },
        testing::{a_member, a_vault, some_deps},
        workspaces::ports::MockWorkspaceStore,
    };

    fn deps() -> Deps {
        some_deps()
    }

    /// Signs in where no password fits.
    async fn tried(store: MockSessionStore, workspace: Option<WorkspaceId>) -> Tried {
        let mut passwords = MockPasswordHasher::new();
        passwords.expect_verify().returning(|_, hashes, _| Ok(vec![false; hashes.len()]));
        let (store, vault, deps) = (Arc::new(store), Arc::new(a_vault()), deps());
        let sign_in = SignIn {
            store: store.clone(),
            workspaces: Arc::new(MockWorkspaceStore::new()),
            attempts: Attempts { store, vault: vault.clone(), clock: deps.clock.clone() },
            passwords: Arc::new(passwords),
            codes: Arc::new(MockOneTimePasswords::new()),
            vault,
            deps,
        };
        let (email, password) = ("member1@shop.example".to_owned(), Password::presented("x".to_owned()));
        let asked = SignInRequest { email, password, code: None, workspace, devices: Devices::default() };
        sign_in.run(asked, Origin::default()).await
    }

    fn known() -> Credentials {
        let password = PasswordHash("hash".to_owned());
        Credentials { member: a_member(1), password, factor: None, device_generation: 0 }
    }

    #[pollster::test]
    async fn whose_an_address_is_is_looked_up_only_after_it_was_refused_for_too_many_tries() {
        let workspace = a_member(1).workspace;
        for (named, used, unnamed) in [(None, 11, 0), (Some(workspace), 11, 0), (Some(workspace), 5, 6)] {
            let mut store = MockSessionStore::new();
            store.expect_take_attempts().returning(move |keys, _| Ok(vec![used; keys.len()]));
            store.expect_attempts_of().returning(move |_, _| Ok(unnamed));
            let Tried { outcome, refusals } = tried(store, named).await;
            assert!(matches!(outcome, Err(SignInError::Throttled(_))), "{outcome:?}");

            // Then the member concerned is told of it.
            let mut store = MockSessionStore::new();
            store
                .expect_credentials()
                .withf(move |_, workspace, _| *workspace == named)
                .returning(|_, _, _| Ok(vec![known()]));
            store.expect_count_refusal().once().returning(|_, _| Ok(()));
            let kept = Refusals { store: Arc::new(store), vault: Arc::new(a_vault()), deps: deps() };
            kept.keep(&refusals).await.unwrap();
        }
    }

    #[pollster::test]
    async fn as_many_tries_are_counted_at_members_as_at_nobody() {
        for named in [None, Some(a_member(1).workspace)] {
            let mut counted = Vec::new();
            for known in [vec![], vec![known()]] {
                let taken = Arc::new(Mutex::new(Vec::new()));
                let mut store = MockSessionStore::new();
                let seen = Arc::clone(&taken);
                store.expect_take_attempts().returning(move |keys, _| {
                    seen.lock().unwrap().push(keys.len());
                    Ok(vec![1; keys.len()])
                });
                store.expect_attempts_of().returning(|_, _| Ok(0));
                store.expect_credentials().return_once(move |_, _, _| Ok(known));
                let Tried { outcome, .. } = tried(store, named).await;
                assert!(matches!(outcome, Err(SignInError::Wrong)), "{outcome:?}");
                counted.push(taken.lock().unwrap().clone());
            }
            assert_eq!(counted[0], counted[1], "{named:?}");
        }
    }
}
