//! Names to addresses, every one of them vetted.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::TcpSocket;

use crate::error::is_exhausted;
use crate::policy::{Policy, Scheme};

/// Finds the addresses of a host name.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Every address of `host`, the preferred first.
    ///
    /// # Errors
    /// When the name has none or cannot be looked up.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match tokio::net::lookup_host((host, 0)).await {
            Ok(found) => Ok(found.map(|address| address.ip()).collect()),
            // A look-up that could open no socket calls that by other names.
            Err(error) => Err(TcpSocket::new_v4().err().filter(is_exhausted).unwrap_or(error)),
        }
    }
}

/// Gives the connector only what the policy accepts. One address that it does not accept condemns the name: a
/// name that mixes public and private addresses is a trap or a mistake.
#[derive(Clone)]
pub(crate) struct VettedResolver {
    pub(crate) inner: Arc<dyn Resolver>,
    pub(crate) policy: Arc<Policy>,
    pub(crate) scheme: Scheme,
}

impl VettedResolver {
    pub(crate) async fn resolve_host(
        &self,
        host: &str,
    ) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.inner.resolve(host).await?;
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address").into());
        }
        for address in &found {
            self.policy.check_address(*address, self.scheme)?;
        }
        Ok(found)
    }
}

impl Resolve for VettedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let found = resolver.resolve_host(name.as_str()).await?;
            // Port 0 is replaced by the address's own or its scheme's.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
