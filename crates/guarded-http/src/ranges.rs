//! Which addresses are on the public internet.
//!
//! Sources: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its updates), and the
//! RFC that each row names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Returns whether `address` is on the public internet under its own name; an IPv6 form that stands for an
/// IPv4 address is not.
pub fn is_public(address: IpAddr) -> bool {
    forbidden_range(address).is_none()
}

/// Returns the name of the non-public range that holds `address`; `None` for a public address. An IPv6 form
/// that stands for an IPv4 address is named by that address's range, or else by the form.
pub fn forbidden_range(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => forbidden_v4(address),
        IpAddr::V6(address) => forbidden_v6(address),
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(a: u16, b: u16, c: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

const FORBIDDEN_V4: [(Ipv4Net, &str); 18] = [
    (v4(0, 0, 0, 0, 8), "this network"),               // RFC 791, RFC 1122
    (v4(10, 0, 0, 0, 8), "private"),                   // RFC 1918
    (v4(100, 64, 0, 0, 10), "carrier-grade NAT"),      // RFC 6598
    (v4(127, 0, 0, 0, 8), "loopback"),                 // RFC 1122
    (v4(168, 63, 129, 16, 32), "cloud metadata"), // Azure's host agent, a public number that never leaves it
    (v4(169, 254, 0, 0, 16), "link-local"),       // RFC 3927; cloud metadata at .169.254
    (v4(172, 16, 0, 0, 12), "private"),           // RFC 1918
    (v4(192, 0, 0, 0, 24), "protocol assignments"), // RFC 6890
    (v4(192, 0, 2, 0, 24), "documentation"),      // RFC 5737
    (v4(192, 52, 193, 0, 24), "multicast tunnelling"), // RFC 7450
    (v4(192, 88, 99, 0, 24), "6to4 relay"),       // RFC 7526
    (v4(192, 168, 0, 0, 16), "private"),          // RFC 1918
    (v4(198, 18, 0, 0, 15), "benchmarking"),      // RFC 2544
    (v4(198, 51, 100, 0, 24), "documentation"),   // RFC 5737
    (v4(203, 0, 113, 0, 24), "documentation"),    // RFC 5737
    (v4(224, 0, 0, 0, 4), "multicast"),           // RFC 5771
    (v4(255, 255, 255, 255, 32), "broadcast"),    // RFC 919
    (v4(240, 0, 0, 0, 4), "reserved"),            // RFC 1112
];

/// Global unicast, RFC 4291; what lies outside is refused even where no row below has a name for it.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

const FORBIDDEN_V6: [(Ipv6Net, &str); 16] = [
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128), "unspecified"), // RFC 4291
    (Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128), "loopback"),      // RFC 4291
    (v6(0x64, 0xff9b, 1, 48), "local NAT64"),                         // RFC 8215
    (v6(0, 0, 0, 8), "reserved"), // RFC 4291; IPv4-compatible and IPv4-translated forms among it
    (v6(0x100, 0, 0, 64), "discard only"), // RFC 6666
    (v6(0x2001, 0, 0, 32), "Teredo"), // RFC 4380
    (v6(0x2001, 2, 0, 48), "benchmarking"), // RFC 5180
    (v6(0x2001, 0, 0, 23), "protocol assignments"), // RFC 2928; ORCHID (RFC 4843, RFC 7343) among it
    (v6(0x2001, 0xdb8, 0, 32), "documentation"), // RFC 3849
    (v6(0x3ffe, 0, 0, 16), "returned test range"), // RFC 3701
    (v6(0x3fff, 0, 0, 20), "documentation"), // RFC 9637
    (v6(0x5f00, 0, 0, 16), "segment routing"), // RFC 9602
    (v6(0xfc00, 0, 0, 7), "private"), // RFC 4193; cloud metadata at fd00:ec2::254
    (v6(0xfe80, 0, 0, 10), "link-local"), // RFC 4291
    (v6(0xfec0, 0, 0, 10), "site-local"), // RFC 3879
    (v6(0xff00, 0, 0, 8), "multicast"), // RFC 4291
];

fn forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    FORBIDDEN_V4.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name)
}

fn forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => return Some(embedded_v4(high, low, "IPv4-mapped")), // RFC 4291
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => return Some(embedded_v4(high, low, "NAT64")),    // RFC 6052
        [0x2002, high, low, ..] => return Some(embedded_v4(high, low, "6to4")),                   // RFC 3056
        _ => {}
    }
    let named = FORBIDDEN_V6.iter().find(|(range, _)| range.contains(&address)).map(|(_, name)| *name);
    named.or_else(|| (!GLOBAL_V6.contains(&address)).then_some("not global unicast")).or_else(|| {
        match address.segments() {
            // ISATAP (RFC 5214): the interface id is an IPv4 address behind 0000:5efe or 0200:5efe.
            [.., 0 | 0x200, 0x5efe, high, low] => Some(embedded_v4(high, low, "ISATAP")),
            _ => None,
        }
    })
}

/// Names why an address that stands for an IPv4 one is refused: that one's range, or else `form`. A public
/// host needs no such detour, and its network decides where it ends.
fn embedded_v4(high: u16, low: u16, form: &'static str) -> &'static str {
    forbidden_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))).unwrap_or(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last address of each range, and its neighbours outside where those are public.
    #[test]
    fn every_ipv4_range_is_refused_from_end_to_end() {
        for (range, name) in FORBIDDEN_V4 {
            for inside in [range.network(), range.broadcast()] {
                assert!(forbidden_v4(inside).is_some(), "{inside} in {name}");
            }
        }
        let neighbours = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "191.255.255.255",
            "192.0.1.0",
            "192.0.3.0",
            "192.52.194.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "8.8.8.8",
            "1.1.1.1",
        ];
        for outside in neighbours {
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }

    #[test]
    fn every_ipv6_range_is_refused_from_end_to_end() {
        for (range, name) in FORBIDDEN_V6 {
            let first = range.network();
            assert!(forbidden_v6(first).is_some(), "{first} in {name}");
            assert!(forbidden_v6(range.broadcast()).is_some(), "{} in {name}", range.broadcast());
        }
        for outside in
            ["2001:200::", "2606:4700:4700::1111", "2a00:1450::", "2620:4f:8000::", "2003::1", "3ffd::1"]
        {
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }

    /// The addresses that server-side request forgery aims at.
    #[test]
    fn refused_addresses_are_named() {
        let table = [
            ("0.0.0.0", "this network"),
            ("0.255.255.255", "this network"),
            ("10.1.2.3", "private"),
            ("100.64.0.1", "carrier-grade NAT"),
            ("100.100.100.200", "carrier-grade NAT"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("168.63.129.16", "cloud metadata"),
            ("169.254.169.254", "link-local"),
            ("169.254.170.2", "link-local"),
            ("172.16.0.1", "private"),
            ("192.0.0.192", "protocol assignments"),
            ("192.0.2.1", "documentation"),
            ("192.52.193.1", "multicast tunnelling"),
            ("192.88.99.1", "6to4 relay"),
            ("192.168.0.1", "private"),
            ("198.18.0.1", "benchmarking"),
            ("198.19.255.255", "benchmarking"),
            ("198.51.100.1", "documentation"),
            ("203.0.113.1", "documentation"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.250", "multicast"),
            ("250.0.0.1", "reserved"),
            ("255.255.255.255", "broadcast"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::7f00:1", "reserved"),
            ("::ffff:0:7f00:1", "reserved"),
            ("64:ff9b:1::8.8.8.8", "local NAT64"),
            ("100::1", "discard only"),
            ("100:0:0:1::1", "not global unicast"),
            ("2001::1", "Teredo"),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
            ("2001:2::1", "benchmarking"),
            ("2001:4:112::1", "protocol assignments"),
            ("2001:10::1", "protocol assignments"),
            ("2001:20::1", "protocol assignments"),
            ("2001:db8::1", "documentation"),
            ("3ffe::1", "returned test range"),
            ("3fff:fff::1", "documentation"),
            ("4000::1", "not global unicast"),
            ("5f00::1", "segment routing"),
            ("fc00::1", "private"),
            ("fd00:ec2::254", "private"),
            ("fe80::1", "link-local"),
            ("fe80::a9fe:a9fe", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
        ];
        for (address, name) in table {
            assert_eq!(forbidden_range(address.parse().unwrap()), Some(name), "{address}");
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_one_is_refused_for_its_own_range_or_for_the_form() {
        let forms = [
            ("IPv4-mapped", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "loopback"),
            ("NAT64", "64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1", "private"),
            ("6to4", "2002:808:808::1", "2002:a9fe:a9fe::1", "link-local"),
            ("ISATAP", "2a00::5efe:8.8.8.8", "2a00::5efe:192.168.0.1", "private"),
            ("ISATAP", "2a00::200:5efe:8.8.8.8", "2a00::200:5efe:100.64.0.1", "carrier-grade NAT"),
        ];
        for (form, public, private, range) in forms {
            assert_eq!(forbidden_range(public.parse().unwrap()), Some(form), "{public}");
            assert_eq!(forbidden_range(private.parse().unwrap()), Some(range), "{private}");
        }
    }
}
