//! Which addresses may be called, judged by their text.

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

use crate::ranges::forbidden_range;

/// Non-public addresses that the operator allows; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Ranges that may be called although they are not public; plain `http` is accepted only there.
    pub allowed: Vec<IpNet>,
}

impl Policy {
    /// Returns whether the operator named a range that holds `address`. An IPv4-mapped address counts as the
    /// IPv4 one.
    pub fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allowed.iter().any(|range| range.contains(&address))
    }

    /// Judges one address that is about to be connected to.
    pub(crate) fn check_address(&self, address: IpAddr, scheme: Scheme) -> Result<(), Forbidden> {
        match (self.allows(address), scheme, forbidden_range(address)) {
            (true, ..) | (false, Scheme::Https, None) => Ok(()),
            (false, _, Some(range)) => Err(Forbidden::Address { range }),
            (false, Scheme::Http, None) => Err(Forbidden::Scheme),
        }
    }
}

/// Reason why an address may not be called, in words for its owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// Neither `https`, nor `http` to a range that the operator allows.
    #[error(
        "the address must use https; an operator may allow http to networks that they name (`allow_networks`)"
    )]
    Scheme,
    #[error("the address has no host")]
    NoHost,
    /// The address holds a user name or password.
    #[error("the address must not hold a user name or password")]
    UserInfo,
    #[error("port 0 cannot be called")]
    Port,
    /// A name whose form is never public.
    #[error("the host name is a local one")]
    LocalName,
    /// The host is, or resolves to, an address outside the public internet.
    #[error("the host is not on the public internet ({range} address)")]
    Address {
        /// Name of the range, such as `private` or `loopback`.
        range: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// Judges `url` without a look-up: enough to refuse most bad addresses where they are typed. A host name that
/// passes is judged again, by what it resolves to, on every call.
pub fn check_url(url: &Url, policy: &Policy) -> Result<(), Forbidden> {
    scheme_of(url, policy).map(|_| ())
}

/// Judges `url` as [`check_url`] does and returns its scheme.
pub(crate) fn scheme_of(url: &Url, policy: &Policy) -> Result<Scheme, Forbidden> {
    let scheme = match url.scheme() {
        "https" => Scheme::Https,
        "http" if !policy.allowed.is_empty() => Scheme::Http,
        _ => return Err(Forbidden::Scheme),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Forbidden::UserInfo);
    }
    if url.port() == Some(0) {
        return Err(Forbidden::Port);
    }
    match url.host().ok_or(Forbidden::NoHost)? {
        Host::Ipv4(address) => policy.check_address(address.into(), scheme)?,
        Host::Ipv6(address) => policy.check_address(address.into(), scheme)?,
        // Where the operator allows ranges, the look-up decides whether a local name leads into one.
        Host::Domain(name) if policy.allowed.is_empty() && is_local(name) => {
            return Err(Forbidden::LocalName);
        }
        Host::Domain(_) => {}
    }
    Ok(scheme)
}

/// Returns whether `name` is reserved for local use: RFC 6761 (`localhost`), RFC 6762 (`local`), RFC 8375
/// (`home.arpa`), ICANN's reservation of `internal`, and names of one label, which only a local resolver
/// knows.
fn is_local(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let top = name.rsplit('.').next().unwrap_or(name);
    !name.contains('.')
        || ["localhost", "local", "internal", "localdomain"].contains(&top)
        || name == "home.arpa"
        || name.ends_with(".home.arpa")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, allowed: &[&str]) -> Result<(), Forbidden> {
        let policy = Policy { allowed: allowed.iter().map(|range| range.parse().unwrap()).collect() };
        check_url(&Url::parse(url).unwrap(), &policy)
    }

    #[test]
    fn public_hosts_over_https_pass() {
        for url in [
            "https://example.com/hook?x=1#part",
            "https://example.com:8443/",
            "https://8.8.8.8/",
            "https://[2606:4700:4700::1111]/",
            "https://xn--mgbaam7a8h.example/",
            "https://local.example.com/",
        ] {
            assert_eq!(check(url, &[]), Ok(()), "{url}");
        }
    }

    #[test]
    fn each_fault_of_an_address_has_its_name() {
        let table = [
            ("http://example.com/", Forbidden::Scheme),
            ("http://8.8.8.8/", Forbidden::Scheme),
            ("ftp://example.com/", Forbidden::Scheme),
            ("file:///etc/passwd", Forbidden::Scheme),
            ("https://user@example.com/", Forbidden::UserInfo),
            ("https://:secret@example.com/", Forbidden::UserInfo),
            ("https://example.com:0/", Forbidden::Port),
            ("https://localhost/", Forbidden::LocalName),
            ("https://LOCALHOST./", Forbidden::LocalName),
            ("https://ｌｏｃａｌｈｏｓｔ/", Forbidden::LocalName),
            ("https://a.localhost/", Forbidden::LocalName),
            ("https://printer.local/", Forbidden::LocalName),
            ("https://metadata.google.internal/", Forbidden::LocalName),
            ("https://router.home.arpa/", Forbidden::LocalName),
            ("https://intranet/", Forbidden::LocalName),
        ];
        for (url, fault) in table {
            assert_eq!(check(url, &[]), Err(fault), "{url}");
        }
    }

    #[test]
    fn loopback_is_seen_through_every_spelling_of_a_number() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "１２７.０.０.１",
            "①②⑦.⓪.⓪.①",
            "127。0。0。1",
            "%31%32%37.0.0.1",
            "[::ffff:127.0.0.1]",
            "[0:0:0:0:0:ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[::1]",
        ] {
            let refused = check(&format!("https://{host}/"), &[]);
            assert_eq!(refused, Err(Forbidden::Address { range: "loopback" }), "{host}");
        }
    }

    #[test]
    fn a_public_number_is_refused_where_another_form_stands_for_it() {
        for (host, range) in [
            ("[::ffff:8.8.8.8]", "IPv4-mapped"),
            ("[64:ff9b::808:808]", "NAT64"),
            ("[2002:808:808::1]", "6to4"),
            ("[2001:0:808:808::]", "Teredo"),
        ] {
            let refused = check(&format!("https://{host}/"), &[]);
            assert_eq!(refused, Err(Forbidden::Address { range }), "{host}");
        }
    }

    #[test]
    fn an_allowed_range_opens_itself_only() {
        let allowed = ["127.0.0.0/8", "fd00::/8"];
        for url in [
            "https://127.0.0.1/",
            "http://127.0.0.1:9000/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fd00::1]/",
        ] {
            assert_eq!(check(url, &allowed), Ok(()), "{url}");
        }
        assert_eq!(check("http://10.0.0.1/", &allowed), Err(Forbidden::Address { range: "private" }));
        assert_eq!(check("https://[::1]/", &allowed), Err(Forbidden::Address { range: "loopback" }));
        assert_eq!(check("http://8.8.8.8/", &allowed), Err(Forbidden::Scheme));
        assert_eq!(check("http://user@127.0.0.1/", &allowed), Err(Forbidden::UserInfo));
    }
}
