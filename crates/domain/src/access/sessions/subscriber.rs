//! Who asks for what is scarce: somebody who is known, or whoever is behind an address.

use std::net::{IpAddr, Ipv6Addr};

use uuid::Uuid;

/// Whoever has an address, or somebody who is known by more than that. One subscriber has a whole /64 of IPv6; those
/// whose address is unknown are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscriber(Who);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Known(Uuid),
    At(Option<IpAddr>),
}

impl Subscriber {
    /// Returns who has `address`.
    pub fn of(address: Option<IpAddr>) -> Self {
        Self(Who::At(address.map(|address| match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) & !u128::from(u64::MAX)).into(),
            address @ IpAddr::V4(_) => address,
        })))
    }

    /// Returns whom a session, a link or a device has shown to be a member, or invited by a workspace, of this id.
    pub const fn known(id: Uuid) -> Self {
        Self(Who::Known(id))
    }

    /// Says whether it is somebody who is known.
    pub const fn is_known(self) -> bool {
        matches!(self.0, Who::Known(_))
    }

    /// Returns what tells addresses apart, or `None` where none is known.
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
