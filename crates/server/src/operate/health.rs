//! Asks a running service how it is, where nothing else on the machine can: in an image without a shell.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context, bail};

const PATIENCE: Duration = Duration::from_secs(4);

/// Asks the admin port of the service that runs with the same settings; with `ready`, also whether it can
/// serve.
///
/// # Errors
/// When it does not answer, or says that it is not well.
pub async fn ask(admin: SocketAddr, ready: bool) -> anyhow::Result<String> {
    let path = if ready { "readyz" } else { "healthz" };
    let client = reqwest::Client::builder().no_proxy().no_gzip().timeout(PATIENCE).build()?;
    let url = format!("http://{}/{path}", reached(admin));
    let answer = client.get(url).send().await.context("the service does not answer")?;
    let status = answer.status();
    let text = answer.text().await.unwrap_or_default();
    let text = text.trim_end();
    if status.is_success() { Ok(text.to_owned()) } else { bail!("the service answers {status}: {text}") }
}

/// Returns the address of a listener from its own machine: one that listens everywhere has none of its own.
fn reached(admin: SocketAddr) -> SocketAddr {
    let ip = match admin.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, admin.port())
}

#[cfg(test)]
mod tests {
    use super::reached;

    #[test]
    fn a_listener_everywhere_is_reached_at_home() {
        for (admin, wanted) in [
            ("0.0.0.0:9090", "127.0.0.1:9090"),
            ("[::]:9090", "[::1]:9090"),
            ("10.0.0.7:9090", "10.0.0.7:9090"),
        ] {
            assert_eq!(reached(admin.parse().unwrap()).to_string(), wanted);
        }
    }
}
