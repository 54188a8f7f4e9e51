//! A system that does what it is told: one scripted reply after another.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What the next request is answered with.
#[derive(Clone)]
pub(crate) enum Reply {
    /// These bytes, head and body.
    Bytes(Vec<u8>),
    /// Nothing, and the connection stays open.
    Hang,
    /// A body of five megabytes but for this many bytes, which do not come.
    Lacks(usize),
    /// Nothing, and the connection is closed.
    Close,
    /// A body without end.
    Endless,
    /// One byte of a body at a time.
    Drip,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Gives the replies in turn, the last one for good.
    pub(crate) async fn replying(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let replies = Arc::new(Mutex::new(VecDeque::from(replies)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (turns, log) = (Arc::clone(&replies), Arc::clone(&log));
                tokio::spawn(async move { serve(stream, &turns, &log).await });
            }
        });
        Self { port, seen }
    }

    pub(crate) async fn answering(status: u16, body: &str) -> Self {
        Self::replying(vec![answer(status, "", body)]).await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// A reply with that status, headers (each line ended) and body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Reply {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    Reply::Bytes([head.as_bytes(), body.as_bytes()].concat())
}

/// Serves one connection until either side ends it.
async fn serve(
    mut stream: TcpStream,
    replies: &Mutex<VecDeque<Reply>>,
    seen: &Mutex<Vec<Seen>>,
) -> Option<()> {
    loop {
        let request = read(&mut stream).await?;
        seen.lock().unwrap().push(request);
        let reply = next(&mut replies.lock().unwrap());
        match reply {
            Reply::Bytes(bytes) => stream.write_all(&bytes).await.ok()?,
            Reply::Hang => std::future::pending().await,
            Reply::Lacks(bytes) => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000000\r\n\r\n").await.ok()?;
                stream.write_all(&vec![b' '; 5_000_000 - bytes]).await.ok()?;
                std::future::pending::<()>().await;
            }
            Reply::Close => return None,
            Reply::Endless => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await.ok()?;
                let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
                loop {
                    stream.write_all(chunk.as_bytes()).await.ok()?;
                }
            }
            Reply::Drip => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await.ok()?;
                let mut ticks = tokio::time::interval(Duration::from_millis(20));
                loop {
                    ticks.tick().await;
                    stream.write_all(b" ").await.ok()?;
                }
            }
        }
    }
}

fn next(replies: &mut VecDeque<Reply>) -> Reply {
    let reply = replies.front().cloned().unwrap();
    if replies.len() > 1 {
        replies.pop_front();
    }
    reply
}

/// Reads one request, whose body is as long as it says.
async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut lines = head.lines();
            let first = lines.next()?.to_owned();
            let headers: Vec<(String, String)> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(n, v)| (n.to_lowercase(), v.to_owned()))
                .collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
            if body.len() >= length {
                let mut parts = first.split(' ').map(str::to_owned);
                let (method, target) = (parts.next()?, parts.next()?);
                return Some(Seen { method, target, headers, body: body.to_owned() });
            }
        }
        drop(text);
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(chunk.get(..read)?);
    }
}
