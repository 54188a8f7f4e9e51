//! Bounds the connections of a library that makes its own.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy, split},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use crate::wire::{Tally, Wire};

/// Bytes passed on to the server at once.
const PIECE: usize = 16 * 1024;
/// Fewest bytes by which a client asks for another answer: what TLS says of itself is shorter.
const LEAST_ASKED: usize = 128;
/// The reply of a SOCKS proxy that has connected.
const CONNECTED: u8 = 0;
/// The reply of a SOCKS proxy that cannot.
const REFUSED: u8 = 5;

/// A SOCKS proxy (RFC 1928) on loopback whose every connection leads to one server, below its encryption: whoever else on
/// this machine finds it gets no further than there. It counts what comes as [`crate::Client`] does, and lets others have
/// their turn. Ends where it is dropped, with the connections that it passes on.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    accepting: AbortHandle,
}

/// Where connections lead, and what they bear.
#[derive(Debug)]
struct Target {
    host: String,
    port: u16,
    within: Duration,
    answer_bytes: usize,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Relay {
    /// Begins to listen for connections to `host`, on the runtime that it is called on. To be made, each may take `within`;
    /// of one answer come at most `answer_bytes` on the wire.
    ///
    /// # Errors
    /// When this machine has no room for a listener.
    pub fn start(host: &str, port: u16, within: Duration, answer_bytes: usize) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let target = Arc::new(Target { host, port, within, answer_bytes });
        let accepting = tokio::spawn(accept(listener, target)).abort_handle();
        Ok(Self { address, accepting })
    }

    /// The address that a client is given for its proxy.
    pub fn proxy(&self) -> String {
        format!("socks5h://{}", self.address)
    }
}

async fn accept(listener: TcpListener, target: Arc<Target>) {
    let mut passing = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((client, _)) => {
                let target = Arc::clone(&target);
                // It broke, on one side or the other, and both see that.
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
    timeout(target.within, greet(&mut client)).await??;
    let server = timeout(target.within, TcpStream::connect((target.host.as_str(), target.port))).await;
    let Ok(Ok(server)) = server else {
        return client.write_all(&reply(REFUSED)).await;
    };
    server.set_nodelay(true)?;
    client.write_all(&reply(CONNECTED)).await?;
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

/// Reads where a client wants to; it leads to the one server in any case.
async fn greet(client: &mut TcpStream) -> io::Result<()> {
    let [_, methods] = read(client).await?;
    client.read_exact(&mut vec![0; methods.into()]).await?;
    client.write_all(&[5, 0]).await?;
    let [.., kind] = read::<4>(client).await?;
    let host = match kind {
        1 => 4,
        4 => 16,
        _ => client.read_u8().await?.into(),
    };
    client.read_exact(&mut vec![0; host]).await?;
    let [_, _] = read(client).await?;
    Ok(())
}

async fn read<const BYTES: usize>(client: &mut TcpStream) -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

const fn reply(outcome: u8) -> [u8; 10] {
    [5, outcome, 0, 1, 0, 0, 0, 0, 0, 0]
}
