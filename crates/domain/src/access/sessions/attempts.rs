//! Counts of tries at passwords and codes, by member and by address.
//!
//! Passwords are counted by workspace and e-mail address, which in one workspace is one member, so tries at
//! nobody are counted like those at somebody. Codes are counted by themselves. Tries from a member's own
//! session or device are counted by that alone, so strangers' tries lock no member out there.

use std::{net::IpAddr, sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{Session, device::Device, ports::SessionStore, subscriber::Subscriber};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    vault::Vault,
};

/// Most tries at a member's password in a quarter of an hour, whoever makes them.
pub(super) const TRIES_OF_PASSWORD: u32 = 10;

/// Most tries at a member's codes in an hour, whoever makes them. No success elsewhere allows more.
const TRIES_OF_CODE: u32 = 10;

/// Most reset links mailed to one address in an hour; also, most invitations of one workspace to it.
const MAILS_TO_ADDRESS: u32 = 3;

/// Most invitations mailed by one workspace in an hour.
const INVITATIONS_OF_WORKSPACE: u32 = 100;

/// Most tries from one IP address in a quarter of an hour, whatever the accounts.
const ATTEMPTS_OF_ADDRESS: u32 = 50;

const QUARTER: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);

/// Key under which tries are counted.
pub(super) type Key = [u8; 32];

/// Window of time in which tries are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptWindow {
    pub start: OffsetDateTime,
    /// Time until the next window, at least a second.
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

/// Refusal after too many tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many tries; wait")]
pub struct Throttled {
    /// Time after which more are let through.
    pub resets_in: Duration,
}

/// Reason why a try is not let through.
#[derive(Debug, thiserror::Error)]
pub(in crate::access) enum NoTry {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Counter of tries. A try is counted before it is made, so that many at once are no way around.
#[derive(Clone)]
pub struct Attempts {
    /// Shared by all nodes.
    pub store: Arc<dyn SessionStore>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl Attempts {
    /// Counts a try from `address`, before anything else: whoever is over the limit fills no more rows.
    pub(in crate::access) async fn take_from(&self, address: Option<IpAddr>) -> Result<(), NoTry> {
        let Some(bytes) = Subscriber::of(address).bytes() else { return Ok(()) };
        let key = self.vault.keyed_hash("attempts-of-address", &bytes);
        let window = self.quarter();
        let used = self.take(&[key], window).await?;
        Ok(within(&used, ATTEMPTS_OF_ADDRESS, window)?)
    }

    /// Counts a try at each of `keys`; returns the counts, in their order.
    pub(super) async fn take(&self, keys: &[Key], window: AttemptWindow) -> Result<Vec<u32>, StoreError> {
        self.store.take_attempts(keys, window.start).await
    }

    /// Returns the tries counted under `key`.
    pub(super) async fn used(&self, key: Key, window: AttemptWindow) -> Result<u32, StoreError> {
        self.store.attempts_of(key, window.start).await
    }

    /// Counts a try of a signed-in member at their own password.
    pub(super) async fn take_own_password(&self, by: &Session) -> Result<Key, NoTry> {
        let key = self.vault.keyed_hash("attempts-in-session", by.id.uuid().as_bytes());
        let window = self.quarter();
        let used = self.take(&[key], window).await?;
        within(&used, TRIES_OF_PASSWORD, window)?;
        Ok(key)
    }

    /// Counts a try at a password with a device; returns whether the device had tries left.
    pub(super) async fn take_device(
        &self,
        device: &Device,
        window: AttemptWindow,
    ) -> Result<bool, StoreError> {
        let used = self.take(&[self.device_key(device)], window).await?;
        Ok(within(&used, TRIES_OF_PASSWORD, window).is_ok())
    }

    /// Counts a try at a member's codes: by the device that it comes with while that has tries left, else by
    /// the member.
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

    /// Counts a mail to `email`; returns whether it may be sent.
    pub(in crate::access) async fn may_mail(&self, email: &str) -> Result<bool, StoreError> {
        let (key, window) = (self.vault.keyed_hash("mails-to-address", email.as_bytes()), self.hour());
        let used = self.take(&[key], window).await?;
        Ok(within(&used, MAILS_TO_ADDRESS, window).is_ok())
    }

    /// Counts an invitation that a workspace mails to `email`. Others who mail there have their own counts.
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

    /// Forgets the tries at a member's password, which was changed.
    pub(in crate::access) async fn forgive_password(
        &self,
        workspace: WorkspaceId,
        email: &str,
    ) -> Result<(), StoreError> {
        let keys =
            [self.password_key(workspace, email), self.named_key(workspace, email), self.account_key(email)];
        self.forgive(&keys).await
    }

    /// Forgets the tries at a member's codes. Only an operator's link does so.
    pub(in crate::access) async fn forgive_codes(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<(), StoreError> {
        self.forgive(&[self.code_key(workspace, member)]).await
    }

    /// Forgets the tries at `keys`, since the member has shown that they know the password.
    pub(super) async fn forgive(&self, keys: &[Key]) -> Result<(), StoreError> {
        self.store.forgive_attempts(keys).await
    }

    /// Takes back a try that was no guess. Errors are ignored: what the try was for is done and stands, and a
    /// try that stays counted is gone with its hour.
    pub(super) async fn give_back(&self, key: Key) {
        let _ = self.store.give_back_attempt(key).await;
    }

    /// Returns the key of tries at the password of a workspace's member.
    pub(super) fn password_key(&self, workspace: WorkspaceId, email: &str) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(email.as_bytes());
        self.vault.keyed_hash("attempts-at-password", &named)
    }

    /// Returns the key of tries at passwords with a device.
    pub(super) fn device_key(&self, device: &Device) -> Key {
        self.vault.keyed_hash("attempts-of-device", device.nonce())
    }

    fn code_key(&self, workspace: WorkspaceId, member: MemberId) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(member.uuid().as_bytes());
        self.vault.keyed_hash("attempts-at-codes", &named)
    }

    /// Returns the further key of tries that name a workspace.
    pub(super) fn named_key(&self, workspace: WorkspaceId, email: &str) -> Key {
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(email.as_bytes());
        self.vault.keyed_hash("attempts-by-name", &named)
    }

    /// Returns the key counted in place of a membership that does not exist.
    pub(super) fn nobody_s_key(&self, place: usize, email: &str) -> Key {
        self.vault.keyed_hash("attempts-at-nobody", format!("{place}:{email}").as_bytes())
    }

    /// Returns the further key of tries that name no workspace.
    pub(super) fn account_key(&self, email: &str) -> Key {
        self.vault.keyed_hash("attempts-of-account", email.as_bytes())
    }

    /// Returns the present window of passwords and addresses.
    pub(super) fn quarter(&self) -> AttemptWindow {
        AttemptWindow::of(QUARTER, self.clock.now())
    }

    /// Returns the present window of codes and mails.
    pub(super) fn hour(&self) -> AttemptWindow {
        AttemptWindow::of(HOUR, self.clock.now())
    }
}

/// Returns an error if any of `used` exceeds `limit`.
pub(super) fn within(used: &[u32], limit: u32, window: AttemptWindow) -> Result<(), Throttled> {
    if used.iter().any(|used| *used > limit) {
        Err(Throttled { resets_in: window.resets_in })
    } else {
        Ok(())
    }
}

/// Most memberships that a password is tried against if no workspace is named. Members who have shown that
/// the mailbox is theirs come first, then the oldest.
pub const MEMBERSHIPS_TRIED: usize = 4;

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

    /// Returns a store that fails to take a try back, of a member with a second factor.
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
