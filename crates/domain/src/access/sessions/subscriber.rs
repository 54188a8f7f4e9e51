//! Subscribers: those among whom scarce work is shared, whether known or behind an address.

use std::net::{IpAddr, Ipv6Addr};

use uuid::Uuid;

/// Somebody known, or else whoever has an address. A whole /64 of IPv6 is one subscriber; those whose address
/// is unknown are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscriber(Who);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Known(Uuid),
    At(Option<IpAddr>),
}

impl Subscriber {
    /// Returns the subscriber at `address`.
    pub fn of(address: Option<IpAddr>) -> Self {
        Self(Who::At(address.map(|address| match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) & !u128::from(u64::MAX)).into(),
            address @ IpAddr::V4(_) => address,
        })))
    }

    /// Returns the subscriber with this id: of a member shown by a session, a link or a device, or of the
    /// workspace that invited somebody.
    pub const fn known(id: Uuid) -> Self {
        Self(Who::Known(id))
    }

    /// Returns whether the subscriber is known.
    pub const fn is_known(self) -> bool {
        matches!(self.0, Who::Known(_))
    }

    /// Returns the bytes that tell addresses apart; `None` without an address, and for somebody known.
    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        match self.0 {
            Who::At(Some(IpAddr::V4(address))) => Some(address.octets().to_vec()),
            Who::At(Some(IpAddr::V6(address))) => Some(address.octets().to_vec()),
            Who::At(None) | Who::Known(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Subscriber;

    #[test]
    fn a_subscriber_s_addresses_are_one() {
        let of = |text: &str| Subscriber::of(Some(text.parse().unwrap()));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:0:0:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_ne!(of("192.0.2.1"), Subscriber::of(None));
    }
}
