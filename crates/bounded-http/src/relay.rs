//! Bounds for the connections of a library that makes its own.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Url;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy, split},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use crate::{
    error::TooMuch,
    wire::{Tally, Wire},
};

/// Largest piece, in bytes, passed on to the server.
const PIECE: usize = 16 * 1024;
/// Fewest bytes from a client that count as another request; what TLS says of itself is shorter.
const LEAST_ASKED: usize = 128;
/// Largest `CONNECT` head of a client, in bytes.
const CONNECT_BYTES: usize = 4 * 1024;

/// Relay on loopback between one server and a client that makes its own connections. Works below the
/// encryption, and leads only to that server, whoever on this machine finds it. Counts what comes and yields
/// to others as [`crate::Client`] does. Dropping it ends the connections that it passes on.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    target: Arc<Target>,
    accepting: AbortHandle,
}

/// Server that connections lead to, with their bounds.
#[derive(Debug)]
struct Target {
    host: String,
    port: u16,
    is_https: bool,
    within: Duration,
    answer_bytes: usize,
    is_reached: AtomicBool,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Relay {
    /// Listens for connections to the server of `url`, on the current runtime. Each has `within` to be made;
    /// of one answer at most `answer_bytes` come on the wire.
    ///
    /// # Errors
    /// If `url` names no server, or this machine has no room for a listener.
    pub fn start(url: &Url, within: Duration, answer_bytes: usize) -> io::Result<Self> {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let target = Arc::new(Target {
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            is_https: url.scheme() == "https",
            within,
            answer_bytes,
            is_reached: AtomicBool::new(true),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&target))).abort_handle();
        Ok(Self { address, target, accepting })
    }

    /// Returns the address of the proxy to give to a client of a server with TLS.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address that a client calls in place of `url` (with the host of `url` as its `Host`);
    /// `url` itself if the server has TLS.
    pub fn in_place_of(&self, url: &Url) -> Url {
        let mut relayed = url.clone();
        let is_set = self.target.is_https
            || relayed.set_ip_host(self.address.ip()).is_ok()
                && relayed.set_port(Some(self.address.port())).is_ok();
        if is_set { relayed } else { url.clone() }
    }

    /// Returns whether the last connection to the server could be made.
    pub fn is_reached(&self) -> bool {
        self.target.is_reached.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, target: Arc<Target>) {
    let mut passing = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((client, _)) => {
                let target = Arc::clone(&target);
                // Whichever side broke, both see it.
                passing.spawn(async move { pass(client, &target).await.ok() });
            }
            // This machine has no room for a connection.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
        while passing.try_join_next().is_some() {}
    }
}

async fn pass(mut client: TcpStream, target: &Target) -> io::Result<()> {
    client.set_nodelay(true)?;
    if target.is_https {
        timeout(target.within, skip_connect(&mut client)).await??;
    }
    let connected = timeout(target.within, TcpStream::connect((target.host.as_str(), target.port))).await;
    target.is_reached.store(matches!(connected, Ok(Ok(_))), Ordering::Relaxed);
    let server = connected??;
    server.set_nodelay(true)?;
    if target.is_https {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    }
    let tally = Tally::new(target.answer_bytes);
    let (mut from_server, mut to_server) = split(Wire::new(server, Arc::clone(&tally)));
    let (mut from_client, mut to_client) = client.split();
    let asks = async {
        let mut piece = vec![0; PIECE];
        loop {
            let asked = from_client.read(&mut piece).await?;
            if asked >= LEAST_ASKED {
                tally.restart(target.answer_bytes);
            }
            match piece.get(..asked) {
                Some(bytes) if asked > 0 => to_server.write_all(bytes).await?,
                _ => return Ok(()),
            }
        }
    };
    tokio::select! {
        asked = asks => asked,
        answered = copy(&mut from_server, &mut to_client) => answered.map(|_| ()),
    }
}

/// Reads the `CONNECT` of a client; its target is ignored.
async fn skip_connect(client: &mut TcpStream) -> io::Result<()> {
    let mut said = Vec::new();
    while !said.ends_with(b"\r\n\r\n") {
        if said.len() == CONNECT_BYTES {
            return Err(TooMuch.into());
        }
        said.push(client.read_u8().await?);
    }
    Ok(())
}
