//! Rate limit of unknown keys, by the address they come from.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Mutex, PoisonError},
};

use domain::access::RateWindow;
use time::OffsetDateTime;

/// Most addresses counted apart in one minute (some 4 MB); later ones share one count.
const MAX_ADDRESSES: usize = 65_536;

/// Unknown keys of this minute. Windows and limit are those of a valid key.
#[derive(Default)]
pub(crate) struct FailedKeys(Mutex<Minute>);

#[derive(Default)]
struct Minute {
    start: Option<OffsetDateTime>,
    counts: HashMap<IpAddr, u32>,
    crowd: u32,
}

impl FailedKeys {
    /// Counts one more and returns the window of its address.
    pub(crate) fn count(&self, address: Option<IpAddr>, now: OffsetDateTime) -> RateWindow {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = RateWindow::start(now);
        if minute.start != Some(start) {
            *minute = Minute { start: Some(start), ..Minute::default() };
        }
        let has_room = minute.counts.len() < MAX_ADDRESSES;
        let count = match address.map(network_of) {
            Some(address) if has_room || minute.counts.contains_key(&address) => {
                minute.counts.entry(address).or_default()
            }
            _ => &mut minute.crowd,
        };
        *count = count.saturating_add(1);
        RateWindow::after(*count, now)
    }
}

/// Returns the address by which a client is counted; for IPv6 its /64, since one subscriber holds all of it.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    const NETWORK: u128 = u128::MAX << 64;
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK)),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use domain::access::RATE_LIMIT;
    use time::{Duration, macros::datetime};

    use super::{FailedKeys, MAX_ADDRESSES};

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_over_the_limit_waits_for_the_next_minute_and_no_other_does() {
        let failed = FailedKeys::default();
        let now = datetime!(2026-11-21 10:00:30 UTC);
        for _ in 0..RATE_LIMIT {
            assert!(!failed.count(Some(address("2001:db8::1")), now).exceeded);
        }
        let over = failed.count(Some(address("2001:db8::2")), now);
        assert!(over.exceeded);
        assert_eq!(over.resets_in, std::time::Duration::from_secs(30));
        assert!(!failed.count(Some(address("2001:db8:0:1::1")), now).exceeded);
        assert!(!failed.count(Some(address("2001:db8::1")), now + Duration::seconds(30)).exceeded);
    }

    #[test]
    fn a_crowd_of_addresses_takes_bounded_memory() {
        let failed = FailedKeys::default();
        let now = datetime!(2026-11-21 10:00 UTC);
        for bits in 0..u32::try_from(MAX_ADDRESSES).unwrap() + 1_000 {
            failed.count(Some(Ipv4Addr::from_bits(bits).into()), now);
        }
        let minute = failed.0.lock().unwrap();
        assert_eq!((minute.counts.len(), minute.crowd), (MAX_ADDRESSES, 1_000));
    }
}
