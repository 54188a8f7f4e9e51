//! Who is behind an address, as far as an address tells.

use std::net::{IpAddr, Ipv6Addr};

/// It is whoever has an address: one subscriber has a whole /64 of IPv6. Those whose address is unknown are
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscriber(Option<IpAddr>);

impl Subscriber {
    /// Returns who has `address`.
    pub fn of(address: Option<IpAddr>) -> Self {
        Self(address.map(|address| match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) & !u128::from(u64::MAX)).into(),
            address @ IpAddr::V4(_) => address,
        }))
    }

    /// Returns what tells them apart, or `None` for those whose address is unknown.
    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        self.0.map(|address| match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        })
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
