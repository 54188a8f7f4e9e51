//! Between the service and the coordinator: it passes everything on, and keeps what the coordinator says of
//! the commands that it sends to workers.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf},
};
use url::Url;

/// A command to a worker, and to which.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) command: String,
    pub(crate) node: String,
    /// The coordinator's connection to it, by its number in the session.
    connection: String,
    /// Which session of the service's it was for.
    session: u64,
}

impl Sent {
    /// Whether both went over one connection.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        (self.session, &self.connection) == (other.session, &other.connection)
    }
}

/// A relay on a port of its own.
pub(crate) struct Relay {
    /// The database, by way of the relay.
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Relay {
    pub(crate) async fn to(database_url: &str) -> Self {
        let mut url = Url::parse(database_url).unwrap();
        let target = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        // What is encrypted cannot be read on its way.
        url.set_query(Some("sslmode=disable"));
        let sent: Arc<Mutex<Vec<Sent>>> = Arc::default();
        let kept = Arc::clone(&sent);
        tokio::spawn(async move {
            let mut session = 0;
            while let Ok((client, _)) = listener.accept().await {
                session += 1;
                let Ok(server) = TcpStream::connect(&target).await else { continue };
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    let ((mut from_client, mut to_client), (from_server, mut to_server)) =
                        (client.into_split(), server.into_split());
                    let there = tokio::io::copy(&mut from_client, &mut to_server);
                    let back = pass_on(from_server, &mut to_client, session, &kept);
                    tokio::select! { _ = there => {}, _ = back => {} }
                });
            }
        });
        Self { url: url.into(), sent }
    }

    /// What was sent since the last time.
    pub(crate) fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }
}

async fn pass_on(
    mut from: OwnedReadHalf,
    to: &mut (impl AsyncWriteExt + Unpin),
    session: u64,
    kept: &Mutex<Vec<Sent>>,
) -> std::io::Result<()> {
    loop {
        let kind = from.read_u8().await?;
        let length = from.read_u32().await?;
        let mut body = vec![0; length.saturating_sub(4).try_into().unwrap()];
        from.read_exact(&mut body).await?;
        if kind == b'N' {
            kept.lock().unwrap().extend(sent(&body, session));
        }
        to.write_all(&[&[kind][..], &length.to_be_bytes(), &body].concat()).await?;
    }
}

/// What a notice says, whose fields are a letter and a text that ends with a zero.
fn sent(notice: &[u8], session: u64) -> Option<Sent> {
    let field = |letter: u8| {
        let field = notice.split(|byte| *byte == 0).find(|field| field.first() == Some(&letter))?;
        Some(String::from_utf8_lossy(&field[1..]).into_owned())
    };
    let command = field(b'M')?.strip_prefix("issuing ")?.to_owned();
    let detail = field(b'D')?;
    let mut words = detail.split_whitespace();
    let node = words.nth(2)?.to_owned();
    let connection = words.next_back()?.to_owned();
    Some(Sent { command, node, connection, session })
}
