//! Counting tries at passwords and codes, by member and by address.
//!
//! Passwords are counted by workspace and e-mail address, which in one workspace is one member: so tries at nobody
//! are counted like those at somebody. Codes are counted by themselves. What a session or a device of the member's comes
//! with is counted by that alone: strangers' tries keep nobody out there.

use std::{net::IpAddr, sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{Device, Session, Subscriber, ports::SessionStore};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    vault::Vault,
};

/// Tries at a member's password in a quarter of an hour, whoever makes them.
pub const TRIES_OF_PASSWORD: u32 = 10;

/// Tries at a member's codes in an hour, whoever makes them. No success elsewhere makes them more.
pub const TRIES_OF_CODE: u32 = 10;

/// So many links for another password are mailed to one address in an hour.
const MAILS_TO_ADDRESS: u32 = 3;

/// So many invitations of a workspace are mailed in an hour; to one address, as many as links.
const INVITATIONS_OF_WORKSPACE: u32 = 100;

/// From one address, so many tries are let through in a quarter of an hour, whatever the accounts.
pub const ATTEMPTS_OF_ADDRESS: u32 = 50;

const QUARTER: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);

/// A count is kept under it.
pub(super) type Key = [u8; 32];

/// Tries are counted in windows of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptWindow {
    pub start: OffsetDateTime,
    /// The next window starts after this; it is a second at least.
    pub resets_in: Duration,
}

impl AttemptWindow {
    /// Returns the window of `length` that holds `now`.
    pub fn of(length: Duration, now: OffsetDateTime) -> Self {
        let length_seconds = i64::try_from(length.as_secs()).unwrap_or(i64::MAX);
        let into = now.unix_timestamp().rem_euclid(length_seconds);
        let start =
            now - time::Duration::seconds(into) - time::Duration::nanoseconds(now.nanosecond().into());
        let left = Duration::try_from(start + length - now).unwrap_or_default();
        Self { start, resets_in: left.max(Duration::from_secs(1)) }
    }
}

/// There were too many tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many tries; wait")]
pub struct Throttled {
    /// More are let through after this.
    pub resets_in: Duration,
}

/// It says why a try is not let through.
#[derive(Debug, thiserror::Error)]
pub(in crate::access) enum NoTry {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It counts tries. A try is counted before it is made, so that many at once are no way around.
#[derive(Clone)]
pub struct Attempts {
    /// It counts for all nodes.
    pub store: Arc<dyn SessionStore>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl Attempts {
    /// Counts one more try from `address`. Before all others: whoever is over the limit fills no more rows.
    pub(in crate::access) async fn take_from(&self, address: Option<IpAddr>) -> Result<(), NoTry> {
        let Some(bytes) = Subscriber::of(address).bytes() else { return Ok(()) };
        let key = self.vault.keyed_hash("attempts-of-address", &bytes);
        let window = self.quarter();
        let used = self.take(&[key], window).await?;
        Ok(within(&used, ATTEMPTS_OF_ADDRESS, window)?)
    }

    /// Counts one more try at each of `keys`; how many it are then, in their order.
    pub(super) async fn take(&self, keys: &[Key], window: AttemptWindow) -> Result<Vec<u32>, StoreError> {
        self.store.take_attempts(keys, window.start).await
    }

    /// Returns how many tries `key` has had.
    pub(super) async fn used(&self, key: Key, window: AttemptWindow) -> Result<u32, StoreError> {
        self.store.attempts_of(key, window.start).await
    }

    /// Counts a try of somebody signed in at their own password.
    pub(super) async fn take_own_password(&self, by: &Session) -> Result<Key, NoTry> {
        let key = self.vault.keyed_hash("attempts-in-session", by.id.uuid().as_bytes());
        let window = self.quarter();
        let used = self.take(&[key], window).await?;
        within(&used, TRIES_OF_PASSWORD, window)?;
        Ok(key)
    }

    /// Counts a try at a password with a device, and says whether it is one of those that it has.
    pub(super) async fn take_device(
        &self,
        device: &Device,
        window: AttemptWindow,
    ) -> Result<bool, StoreError> {
        let used = self.take(&[self.device_key(device)], window).await?;
        Ok(within(&used, TRIES_OF_PASSWORD, window).is_ok())
    }

    /// Counts a try at a member's codes, by the device that it comes with as long as that has tries left.
    pub(super) async fn take_code(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        device: Option<&Device>,
    ) -> Result<Key, NoTry> {
        if let Some(device) = device {
            let (key, window) = (self.vault.keyed_hash("codes-of-device", device.nonce()), self.hour());
            if within(&self.take(&[key], window).await?, TRIES_OF_CODE, window).is_ok() {
                return Ok(key);
            }
        }
        let (key, window) = (self.code_key(workspace, member), self.hour());
        let used = self.take(&[key], window).await?;
        within(&used, TRIES_OF_CODE, window)?;
        Ok(key)
    }

    /// Counts one more mail to `email`, and says whether it may be sent.
    pub(in crate::access) async fn may_mail(&self, email: &str) -> Result<bool, StoreError> {
        let (key, window) = (self.vault.keyed_hash("mails-to-address", email.as_bytes()), self.hour());
        let used = self.take(&[key], window).await?;
        Ok(within(&used, MAILS_TO_ADDRESS, window).is_ok())
    }

    /// Counts one more invitation that a workspace has mailed to `email`. It takes nothing from others who mail there.
    pub(in crate::access) async fn take_invitation(
        &self,
        workspace: WorkspaceId,
        email: &str,
    ) -> Result<(), NoTry> {
        let (window, mut named) = (self.hour(), workspace.uuid().as_bytes().to_vec());
        let of_workspace = self.vault.keyed_hash("invitations-of-workspace", &named);
        named.extend_from_slice(email.as_bytes());
        let to_address = self.vault.keyed_hash("invitations-to-address", &named);
        within(&self.take(&[of_workspace], window).await?, INVITATIONS_OF_WORKSPACE, window)?;
        within(&self.take(&[to_address], window).await?, MAILS_TO_ADDRESS, window)?;
        Ok(())
    }

    /// Forgets the tries at a member's password, which has become another.
    pub(in crate::access) async fn forgive_password(
        &self,
        workspace: WorkspaceId,
        email: &str,
    ) -> Result<(), StoreError> {
        let keys =
            [self.password_key(workspace, email), self.named_key(workspace, email), self.account_key(email)];
        self.forgive(&keys).await
    }

    /// Forgets the tries at a member's codes, which only an operator's link does.
    pub(in crate::access) async fn forgive_codes(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<(), StoreError> {
        self.forgive(&[self.code_key(workspace, member)]).await
    }

    /// Forgets the tries at `keys`: who they were for has shown that they know the password.
    pub(super) async fn forgive(&self, keys: &[Key]) -> Result<(), StoreError> {
        self.store.forgive_attempts(keys).await
    }

    /// Takes one try back: it was none at guessing. What it was for is done, and stands: a try that stays counted is gone
    /// with its hour.
    pub(super) async fn give_back(&self, key: Key) {
        let _ = self.store.give_back_attempt(key).await;
    }

    /// Returns what tries at the password of a workspace's member are counted by.
    pub(super) fn password_key(&self, workspace: WorkspaceId, email: &str) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(email.as_bytes());
        self.vault.keyed_hash("attempts-at-password", &named)
    }

    /// Returns what tries at passwords with a device are counted by.
    pub(super) fn device_key(&self, device: &Device) -> Key {
        self.vault.keyed_hash("attempts-of-device", device.nonce())
    }

    fn code_key(&self, workspace: WorkspaceId, member: MemberId) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(member.uuid().as_bytes());
        self.vault.keyed_hash("attempts-at-codes", &named)
    }

    /// Returns what tries that name a workspace are counted by, besides.
    pub(super) fn named_key(&self, workspace: WorkspaceId, email: &str) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(email.as_bytes());
        self.vault.keyed_hash("attempts-by-name", &named)
    }

    /// Returns what is counted in place of a membership that there is not.
    pub(super) fn nobody_s_key(&self, place: usize, email: &str) -> Key {
        self.vault.keyed_hash("attempts-at-nobody", format!("{place}:{email}").as_bytes())
    }

    /// Returns what tries that name no workspace are counted by, besides.
    pub(super) fn account_key(&self, email: &str) -> Key {
        self.vault.keyed_hash("attempts-of-account", email.as_bytes())
    }

    /// Returns the window of passwords and addresses.
    pub(super) fn quarter(&self) -> AttemptWindow {
        AttemptWindow::of(QUARTER, self.clock.now())
    }

    /// Returns the window of codes.
    pub(super) fn hour(&self) -> AttemptWindow {
        AttemptWindow::of(HOUR, self.clock.now())
    }
}

/// Says whether nothing has `used` more than `limit`.
pub(super) fn within(used: &[u32], limit: u32, window: AttemptWindow) -> Result<(), Throttled> {
    if used.iter().any(|used| *used > limit) {
        Err(Throttled { resets_in: window.resets_in })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use time::macros::datetime;

    use super::{AttemptWindow, Attempts, HOUR, QUARTER};
    use crate::{
        access::sessions::{
            Devices, Origin, Password, PasswordHash, SecondFactor, SignIn, SignInRequest, TotpSecret,
            ports::{Credentials, Factor, MockOneTimePasswords, MockPasswordHasher, MockSessionStore},
        },
        errors::StoreError,
        testing::{ManualClock, SequentialIds, a_member, a_moment, a_session, a_vault, deps_of},
        workspaces::ports::MockWorkspaceStore,
    };

    /// A store that takes no try back, of a member with a second factor.
    fn forgetful(confirmed: bool) -> Arc<MockSessionStore> {
        let known = move || {
            let secret = TotpSecret::from_bytes(vec![7; 20]);
            let factor = Some(Factor { secret, confirmed, last_step: None });
            let password = PasswordHash("hash".to_owned());
            Credentials { member: a_member(1), password, factor, device_generation: 0 }
        };
        let mut store = MockSessionStore::new();
        store.expect_credentials().returning(move |_, _, _| Ok(vec![known()]));
        store.expect_credentials_of().returning(move |_, _| Ok(Some(known())));
        store.expect_take_attempts().returning(|keys, _| Ok(vec![1; keys.len()]));
        store.expect_attempts_of().returning(|_, _| Ok(0));
        store.expect_forgive_attempts().returning(|_| Ok(()));
        store.expect_begin().returning(|_, _, _, _, _, _| Ok(true));
        store.expect_confirm_factor().returning(|_, _, _, _, _| Ok(true));
        store
            .expect_give_back_attempt()
            .times(1)
            .returning(|_| Err(StoreError::Unavailable("not now".to_owned())));
        Arc::new(store)
    }

    fn codes() -> Arc<MockOneTimePasswords> {
        let mut codes = MockOneTimePasswords::new();
        codes.expect_code().return_const(7_u32);
        Arc::new(codes)
    }

    #[pollster::test]
    async fn what_a_right_code_has_opened_stands_though_its_try_stays_counted() {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let deps = || deps_of(clock.clone(), Arc::new(SequentialIds::default()));
        let attempts = |store| Attempts { store, vault: Arc::new(a_vault()), clock: clock.clone() };
        let store = forgetful(false);
        let factor = SecondFactor {
            store: store.clone(),
            attempts: attempts(store),
            passwords: Arc::new(MockPasswordHasher::new()),
            codes: codes(),
            vault: Arc::new(a_vault()),
            deps: deps(),
        };
        let recovery = factor.confirm(&a_session(&a_member(1)), "000007", None).await.unwrap();
        assert!(!recovery.is_empty(), "they are shown once");

        let store = forgetful(true);
        let mut passwords = MockPasswordHasher::new();
        passwords.expect_verify().returning(|_, hashes, _| Ok(hashes.iter().map(Option::is_some).collect()));
        let sign_in = SignIn {
            store: store.clone(),
            workspaces: Arc::new(MockWorkspaceStore::new()),
            attempts: attempts(store),
            passwords: Arc::new(passwords),
            codes: codes(),
            vault: Arc::new(a_vault()),
            deps: deps(),
        };
        let asked = SignInRequest {
            email: "member1@shop.example".to_owned(),
            password: Password::presented("correct horse".to_owned()),
            code: Some("000007".to_owned()),
            workspace: None,
            devices: Devices::default(),
        };
        let tried = sign_in.run(asked, Origin::default()).await;
        assert_eq!(tried.outcome.unwrap().who, a_member(1));
    }

    #[test]
    fn windows_are_quarters_of_an_hour_and_hours() {
        let now = datetime!(2026-11-21 10:16:30.5 UTC);
        let window = AttemptWindow::of(QUARTER, now);
        assert_eq!(window.start, datetime!(2026-11-21 10:15 UTC));
        assert_eq!(window.resets_in, Duration::from_millis(13 * 60_000 + 29_500));
        assert_eq!(AttemptWindow::of(QUARTER, window.start).start, window.start);
        assert_eq!(AttemptWindow::of(HOUR, now).start, datetime!(2026-11-21 10:00 UTC));
    }
}
