//! A TCP relay that can be cut.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

#[derive(Debug)]
struct Way {
    /// Targets; connections go to each in turn.
    targets: Mutex<Vec<SocketAddr>>,
    turn: AtomicUsize,
    /// Number of cuts; connections end at the next one.
    cuts: watch::Sender<u64>,
}

/// A relay with an address of its own that passes connections on, as a load balancer does.
#[derive(Debug, Clone)]
pub(crate) struct Relay {
    address: SocketAddr,
    way: Arc<Way>,
}

impl Relay {
    /// Starts a relay without targets, which closes every connection.
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let way =
            Arc::new(Way { targets: Mutex::default(), turn: AtomicUsize::new(0), cuts: watch::channel(0).0 });
        let passing = Arc::clone(&way);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, Arc::clone(&passing)));
            }
        });
        Ok(Self { address, way })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the targets. Existing connections stay.
    pub(crate) fn lead_to(&self, targets: Vec<SocketAddr>) {
        *self.way.targets.lock().unwrap_or_else(PoisonError::into_inner) = targets;
    }

    /// Ends every connection.
    pub(crate) fn cut(&self) {
        self.way.cuts.send_modify(|cuts| *cuts += 1);
    }
}

async fn pass(mut client: TcpStream, way: Arc<Way>) {
    let mut cuts = way.cuts.subscribe();
    let Some(mut target) = connect(&way).await else { return };
    let _ = (client.set_nodelay(true), target.set_nodelay(true));
    // Whether it ended or was cut, both sides are closed when this returns.
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut target) => {}
        _ = cuts.changed() => {}
    }
}

/// Connects to the next target that accepts.
async fn connect(way: &Way) -> Option<TcpStream> {
    let targets = way.targets.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let turn = way.turn.fetch_add(1, Ordering::Relaxed);
    for target in targets.iter().cycle().skip(turn % targets.len().max(1)).take(targets.len()) {
        if let Ok(stream) = TcpStream::connect(target).await {
            return Some(stream);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// A server that greets whoever comes by a letter, and then holds the connection.
    async fn greeter(letter: u8) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                stream.write_all(&[letter]).await.unwrap();
                held.push(stream);
            }
        });
        address
    }

    async fn greeting(relay: &Relay) -> (TcpStream, Option<u8>) {
        let mut stream = TcpStream::connect(relay.address()).await.unwrap();
        let letter = stream.read_u8().await.ok();
        (stream, letter)
    }

    #[tokio::test]
    async fn it_takes_targets_in_turn_and_passes_over_one_that_is_gone() {
        let relay = Relay::start().await.unwrap();
        assert_eq!(greeting(&relay).await.1, None, "it leads nowhere");
        let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap();
        relay.lead_to(vec![greeter(b'a').await, gone, greeter(b'b').await]);
        let mut letters = Vec::new();
        for _ in 0..6 {
            letters.extend(greeting(&relay).await.1);
        }
        letters.sort_unstable();
        assert_eq!(letters.len(), 6);
        assert!(letters.starts_with(b"a") && letters.ends_with(b"b"), "{letters:?}");
    }

    #[tokio::test]
    async fn a_cut_ends_what_is_connected_and_nothing_that_comes_later() {
        let relay = Relay::start().await.unwrap();
        relay.lead_to(vec![greeter(b'a').await]);
        let (mut before, _) = greeting(&relay).await;
        relay.cut();
        assert!(before.read_u8().await.is_err());
        assert_eq!(greeting(&relay).await.1, Some(b'a'));
    }
}
