//! Look-up of host names, with every address vetted.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::TcpSocket;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::is_exhausted;
use crate::policy::{Policy, Scheme};

/// Look-up of host names.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Lists the addresses of `host`, the preferred first; an error if there is none.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Largest number of look-ups at once in a process. Each holds a thread for as long as the operating system
/// tries, whether anybody still waits or not, and other blocking work such as password hashing shares the
/// threads.
const AT_ONCE: usize = 64;
/// Largest number of look-ups of one host at once.
const OF_ONE_HOST: usize = 4;
/// Number of hosts kept before those that nobody looks up are forgotten.
const HOSTS_KEPT: usize = 1_024;

/// Look-ups of this process, shared by all clients.
static LOOK_UPS: LazyLock<LookUps> = LazyLock::new(|| LookUps::of(AT_ONCE, OF_ONE_HOST));

/// The operating system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = LOOK_UPS.run(host, addresses).await?;
        // The system reports a look-up that could open no socket under other names.
        found.map_err(|error| TcpSocket::new_v4().err().filter(is_exhausted).unwrap_or(error))
    }
}

/// Asks the operating system, which may take half a minute.
fn addresses(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

/// Bound on the threads that look up names, in all and for one host, so that a slow host leaves room for
/// others.
#[derive(Debug)]
struct LookUps {
    all: Arc<Semaphore>,
    of_one_host: usize,
    by_host: Mutex<HashMap<String, Weak<Semaphore>>>,
}

/// Permit of one look-up, held by its thread: callers may give up before it ends.
struct Slot {
    _of_host: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl LookUps {
    fn of(all: usize, of_one_host: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), of_one_host, by_host: Mutex::default() }
    }

    /// Runs `look_up` on a blocking thread, once there is a slot for it.
    async fn run<T: Send + 'static>(
        &self,
        host: &str,
        look_up: impl FnOnce(&str) -> T + Send + 'static,
    ) -> io::Result<T> {
        let slot = self.slot(host).await?;
        let host = host.to_owned();
        let looked_up = tokio::task::spawn_blocking(move || {
            let found = look_up(&host);
            drop(slot);
            found
        });
        looked_up.await.map_err(io::Error::other)
    }

    async fn slot(&self, host: &str) -> io::Result<Slot> {
        // The host's slot first: whoever waits for it holds no slot of others.
        let of_host = self.host(host).acquire_owned().await.map_err(io::Error::other)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.map_err(io::Error::other)?;
        Ok(Slot { _of_host: of_host, _of_all: of_all })
    }

    fn host(&self, host: &str) -> Arc<Semaphore> {
        let mut by_host = self.by_host.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slots) = by_host.get(host).and_then(Weak::upgrade) {
            return slots;
        }
        if by_host.len() >= HOSTS_KEPT {
            by_host.retain(|_, slots| slots.strong_count() > 0);
        }
        let slots = Arc::new(Semaphore::new(self.of_one_host));
        by_host.insert(host.to_owned(), Arc::downgrade(&slots));
        slots
    }
}

/// Resolver that gives the connector only what the policy accepts. One refused address condemns the name: a
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
            // The connector replaces port 0 by the address's own or its scheme's.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        time::Duration,
    };

    use super::LookUps;

    const SOON: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn look_ups_that_hang_hold_a_bounded_number_of_threads_though_nobody_waits_for_them() {
        let look_ups = LookUps::of(4, 2);
        let begun = Arc::new(AtomicUsize::new(0));
        let mut held = Vec::new();
        let mut hangs = async |host: &str| {
            let (end, ended) = mpsc::channel::<()>();
            held.push(end);
            let begun = Arc::clone(&begun);
            let hanging = look_ups.run(host, move |_| {
                begun.fetch_add(1, Ordering::SeqCst);
                let _ = ended.recv();
            });
            assert!(tokio::time::timeout(SOON, hanging).await.is_err());
        };
        for _ in 0..4 {
            hangs("slow.example").await;
        }
        assert_eq!(begun.load(Ordering::SeqCst), 2, "one host's are fewer than all");
        assert_eq!(look_ups.run("other.example", str::len).await.unwrap(), 13);
        for host in ["a.example", "b.example", "c.example"] {
            hangs(host).await;
        }
        assert_eq!(begun.load(Ordering::SeqCst), 4);
        assert!(tokio::time::timeout(SOON, look_ups.run("other.example", str::len)).await.is_err());

        // Once they end, there is room again.
        held.clear();
        assert_eq!(look_ups.run("other.example", str::len).await.unwrap(), 13);
    }
}
