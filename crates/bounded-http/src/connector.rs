//! Bounded connections.

use std::{
    fmt, io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Uri, uri::Scheme};
use hyper_util::{
    client::legacy::connect::{HttpConnector, dns::Name},
    rt::TokioIo,
};
use reqwest::dns::{Addrs, Resolve};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio_rustls::TlsConnector;
use tower_service::Service;

use crate::wire::{Answers, Tally, Wire};

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Later<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// A host name has no address that may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("the host name could not be resolved")]
pub struct LookUpFailed(#[source] BoxError);

/// Resolver of names; `None` for the operating system.
#[derive(Clone)]
pub(crate) struct Names(pub(crate) Option<Arc<dyn Resolve>>);

impl Service<Name> for Names {
    type Response = Addrs;
    type Error = LookUpFailed;
    type Future = Pin<Box<dyn Future<Output = Result<Addrs, LookUpFailed>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), LookUpFailed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = self.0.clone();
        Box::pin(async move {
            let found = match resolver {
                Some(resolver) => resolver.resolve(parse(name.as_str())?).await,
                None => match tokio::net::lookup_host((name.as_str(), 0)).await {
                    Ok(found) => Ok(Box::new(found.collect::<Vec<SocketAddr>>().into_iter()) as Addrs),
                    Err(error) => Err(error.into()),
                },
            };
            found.map_err(LookUpFailed)
        })
    }
}

fn parse(name: &str) -> Result<reqwest::dns::Name, LookUpFailed> {
    name.parse().map_err(|_| LookUpFailed("it is no name of a host".into()))
}

/// Opener of connections for [`crate::Client`].
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) tcp: HttpConnector<Names>,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) https_only: bool,
    /// Deadline for look-up, connection and TLS together.
    pub(crate) within: Option<Duration>,
    pub(crate) answer_bytes: usize,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Answers>;
    type Error = BoxError;
    type Future = Later<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let opened = self.clone().open(address);
        match self.within {
            None => Box::pin(opened),
            Some(within) => Box::pin(async move {
                tokio::time::timeout(within, opened)
                    .await
                    .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
            }),
        }
    }
}

impl Connector {
    async fn open(mut self, address: Uri) -> Result<TokioIo<Answers>, BoxError> {
        let is_https = address.scheme() == Some(&Scheme::HTTPS);
        if self.https_only && !is_https {
            return Err("only https is spoken here".into());
        }
        let host = address.host().unwrap_or_default();
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned());
        let tcp = self.tcp.call(address).await?.into_inner();
        let wire = Wire::new(tcp, Tally::of_handshake());
        Ok(TokioIo::new(if is_https {
            let encrypted = TlsConnector::from(self.tls).connect(name?, wire).await?;
            Answers::encrypted(encrypted, self.answer_bytes)
        } else {
            Answers::plain(wire, self.answer_bytes)
        }))
    }
}
