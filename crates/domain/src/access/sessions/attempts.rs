//! Counting tries at passwords and codes, by account and by address.

use std::{net::IpAddr, sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::ports::SessionStore;
use crate::{clock::Clock, errors::StoreError, vault::Vault};

/// Tries for one account in a window, whoever makes them.
pub const ATTEMPTS_OF_ACCOUNT: u32 = 10;

/// Tries from one address in a window, whatever the accounts.
pub const ATTEMPTS_OF_ADDRESS: u32 = 50;

/// The length of a window.
const WINDOW: Duration = Duration::from_mins(15);

/// A window's bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptWindow {
    /// When it started.
    pub start: OffsetDateTime,
    /// Until the next one starts; at least a second.
    pub resets_in: Duration,
}

impl AttemptWindow {
    /// The window that holds `now`.
    pub fn of(now: OffsetDateTime) -> Self {
        let length = i64::try_from(WINDOW.as_secs()).unwrap_or(i64::MAX);
        let into = now.unix_timestamp().rem_euclid(length);
        let start =
            now - time::Duration::seconds(into) - time::Duration::nanoseconds(now.nanosecond().into());
        let left = Duration::try_from(start + WINDOW - now).unwrap_or_default();
        Self { start, resets_in: left.max(Duration::from_secs(1)) }
    }
}

/// Too many tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many tries; wait")]
pub struct Throttled {
    /// Until more are let through.
    pub resets_in: Duration,
}

/// Why a try is not let through.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoTry {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Counts tries. A try is counted before it is made, so that many at once are no way around.
#[derive(Clone)]
pub struct Attempts {
    /// Where they are counted, for all nodes.
    pub store: Arc<dyn SessionStore>,
    /// Hashes who tries.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl Attempts {
    /// Counts one more try at an account, which `account` names, from `address`.
    pub(super) async fn take(&self, account: &str, address: Option<IpAddr>) -> Result<(), NoTry> {
        // The address first: whoever is over the limit fills no more rows.
        if let Some(address) = address {
            self.take_one(address_key(&*self.vault, address), ATTEMPTS_OF_ADDRESS).await?;
        }
        self.take_one(account_key(&*self.vault, account), ATTEMPTS_OF_ACCOUNT).await
    }

    async fn take_one(&self, key: [u8; 32], limit: u32) -> Result<(), NoTry> {
        let window = AttemptWindow::of(self.clock.now());
        let used = self.store.take_attempt(key, window.start).await?;
        if used > limit { Err(Throttled { resets_in: window.resets_in }.into()) } else { Ok(()) }
    }
}

/// What the tries at an account are counted by.
pub(super) fn account_key(vault: &dyn Vault, account: &str) -> [u8; 32] {
    vault.keyed_hash("attempts-of-account", account.as_bytes())
}

/// One subscriber holds a whole /64 of IPv6.
fn address_key(vault: &dyn Vault, address: IpAddr) -> [u8; 32] {
    let bytes = match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().into_iter().take(8).collect(),
    };
    vault.keyed_hash("attempts-of-address", &bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::{AttemptWindow, address_key};

    #[test]
    fn windows_are_quarters_of_an_hour() {
        let window = AttemptWindow::of(datetime!(2026-11-21 10:16:30.5 UTC));
        assert_eq!(window.start, datetime!(2026-11-21 10:15 UTC));
        assert_eq!(window.resets_in, Duration::from_millis(13 * 60_000 + 29_500));
        assert_eq!(AttemptWindow::of(window.start).start, window.start);
    }

    #[test]
    fn a_subscriber_s_addresses_are_counted_together() {
        let vault = crate::testing::a_vault();
        let key = |text: &str| address_key(&vault, text.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_eq!(key("::ffff:192.0.2.1"), key("192.0.2.1"));
    }
}
