//! A receiver that keeps books on everything that comes, and misbehaves as it is told.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use adapter_webhooks::signature::{self, SignatureProblem};
use domain::{clock::Clock, webhooks::WebhookSecret};
use server::system::SystemClock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// How the receiver answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// With this status.
    Status(u16),
    /// Cuts the connection before it has read the body.
    CutRequest,
    /// Cuts the connection in the middle of its answer's head: behind that, the status is the answer.
    CutAnswer,
    /// Cuts the connection without a word.
    NoAnswer,
    /// With 200, once it is told to.
    WhenTold,
    /// With 200 what is signed with the secret it trusts, with 401 everything else.
    Genuine,
}

/// A delivery as it came.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) signature: String,
    pub(super) body: Vec<u8>,
}

struct Shared {
    manner: Mutex<Manner>,
    trusted: Mutex<Option<WebhookSecret>>,
    told: watch::Sender<bool>,
    posts: Mutex<Vec<Post>>,
    /// Ids of attempts that wait for their answer.
    under_way: Mutex<BTreeMap<String, usize>>,
    overlaps: Mutex<BTreeSet<String>>,
}

/// A server of its own address, so that nobody takes its port while it is down.
pub(super) struct Books {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

impl Books {
    pub(super) async fn open(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.77.1:0").await.unwrap();
        let shared = Arc::new(Shared {
            manner: Mutex::new(manner),
            trusted: Mutex::default(),
            told: watch::channel(false).0,
            posts: Mutex::default(),
            under_way: Mutex::default(),
            overlaps: Mutex::default(),
        });
        let address = listener.local_addr().unwrap();
        let listening = Some(listen(listener, Arc::clone(&shared)));
        Self { address, shared, listening }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(super) fn behave(&self, manner: Manner) {
        *locked(&self.shared.manner) = manner;
    }

    /// From now on takes what is signed with this secret, and nothing else.
    pub(super) fn trust(&self, secret: &WebhookSecret) {
        *locked(&self.shared.trusted) = Some(secret.clone());
        self.behave(Manner::Genuine);
    }

    /// Lets all attempts have their answer, those that wait and those that come.
    pub(super) fn answer_all(&self) {
        self.shared.told.send_replace(true);
    }

    /// Refuses connections from now on.
    pub(super) async fn go_down(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
            // It listens until the task is gone.
            let _ = listening.await;
        }
    }

    pub(super) async fn come_up(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.listening = Some(listen(listener, Arc::clone(&self.shared)));
    }

    /// Counts the deliveries that came whole.
    pub(super) fn posts(&self) -> usize {
        locked(&self.shared.posts).len()
    }

    /// All that came whole, by id.
    pub(super) fn by_id(&self) -> BTreeMap<String, Vec<Post>> {
        let mut by_id: BTreeMap<String, Vec<Post>> = BTreeMap::new();
        for post in locked(&self.shared.posts).iter() {
            by_id.entry(post.id.clone()).or_default().push(post.clone());
        }
        by_id
    }

    pub(super) fn ids(&self) -> BTreeSet<String> {
        locked(&self.shared.posts).iter().map(|post| post.id.clone()).collect()
    }

    /// Attempts that wait for their answer.
    pub(super) fn under_way(&self) -> usize {
        locked(&self.shared.under_way).values().sum()
    }

    /// Ids that were under way twice at the same time.
    pub(super) fn overlaps(&self) -> BTreeSet<String> {
        locked(&self.shared.overlaps).clone()
    }
}

impl Drop for Books {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

fn listen(listener: TcpListener, shared: Arc<Shared>) -> JoinHandle<()> {
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&shared)));
        }
    })
}

/// Serves one connection until either side leaves.
async fn serve(mut stream: TcpStream, shared: Arc<Shared>) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = read.split_off(end + 4);
                break String::from_utf8(std::mem::replace(&mut read, rest)).unwrap();
            }
            more(&mut stream, &mut read).await?;
        };
        let manner = *locked(&shared.manner);
        if manner == Manner::CutRequest {
            return None;
        }
        let length = header(&head, "content-length").parse().unwrap();
        while read.len() < length {
            more(&mut stream, &mut read).await?;
        }
        let rest = read.split_off(length);
        let body = std::mem::replace(&mut read, rest);
        let id = header(&head, "x-service-delivery").to_owned();
        let path = head.split(' ').nth(1).unwrap().trim_start_matches('/').to_owned();
        let signature = header(&head, "x-service-signature").to_owned();
        let manner = if manner == Manner::Genuine { judged(&shared, &signature, &body) } else { manner };
        begin(&shared, &id);
        locked(&shared.posts).push(Post { path, id: id.clone(), signature, body });
        if manner == Manner::WhenTold {
            shared.told.subscribe().wait_for(|told| *told).await.ok()?;
        }
        // Before the answer: with it, the attempt is over, and another may begin.
        end(&shared, &id);
        stream.write_all(answer(manner).as_bytes()).await.ok()?;
        if !matches!(manner, Manner::Status(_) | Manner::WhenTold) {
            return None;
        }
    }
}

async fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<()> {
    let count = stream.read_buf(read).await.ok()?;
    (count > 0).then_some(())
}

fn answer(manner: Manner) -> String {
    match manner {
        Manner::Status(status) => format!("HTTP/1.1 {status} Said\r\ncontent-length: 2\r\n\r\nok"),
        Manner::WhenTold => "HTTP/1.1 200 Told\r\ncontent-length: 2\r\n\r\nok".to_owned(),
        Manner::CutAnswer => "HTTP/1.1 200 Half\r\ncontent-le".to_owned(),
        Manner::CutRequest | Manner::NoAnswer | Manner::Genuine => String::new(),
    }
}

fn judged(shared: &Shared, signature: &str, body: &[u8]) -> Manner {
    let trusted = locked(&shared.trusted).clone().unwrap();
    let genuine = match signature::verify(&trusted, Some(signature), body, SystemClock.now()) {
        // The test's own time may be ahead of the clock.
        Ok(()) | Err(SignatureProblem::TooNew { .. }) => true,
        Err(_) => false,
    };
    Manner::Status(if genuine { 200 } else { 401 })
}

fn begin(shared: &Shared, id: &str) {
    let mut under_way = locked(&shared.under_way);
    let count = under_way.entry(id.to_owned()).or_default();
    *count += 1;
    if *count > 1 {
        locked(&shared.overlaps).insert(id.to_owned());
    }
}

fn end(shared: &Shared, id: &str) {
    let mut under_way = locked(&shared.under_way);
    if let Some(count) = under_way.get_mut(id) {
        *count -= 1;
    }
}

/// A header of the request, by its lower-case name.
fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut named = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
    named.next().map(|(_, value)| value.trim()).unwrap_or_default()
}
