//! Addresses on this machine.

use std::net::{Ipv4Addr, SocketAddr};

use ipnet::IpNet;
use url::Url;

pub(super) fn url_of(address: SocketAddr) -> anyhow::Result<Url> {
    Ok(format!("http://{address}").parse()?)
}

/// Returns the ranges that a sandbox may call besides public addresses.
pub(super) fn loopback() -> Vec<IpNet> {
    [IpNet::from(ipnet::Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8))]
        .into_iter()
        .chain([IpNet::from(ipnet::Ipv6Net::new_assert(std::net::Ipv6Addr::LOCALHOST, 128))])
        .collect()
}
