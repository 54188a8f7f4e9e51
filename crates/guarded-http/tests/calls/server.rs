//! Servers on loopback.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use guarded_http::Resolver;
use rustls::pki_types::CertificateDer;
use tls_trust::testing::a_server;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Answers every request with the same bytes, or with one answer after another, the last one for good; with
/// no bytes, never.
pub(crate) struct Server {
    pub(crate) port: u16,
    answers: Answers,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    pub(crate) connections: Arc<AtomicUsize>,
}

type Answers = Arc<Mutex<VecDeque<String>>>;

impl Server {
    pub(crate) async fn answering(answer: impl Into<String>) -> Self {
        Self::start(vec![answer.into()], None).await
    }

    pub(crate) async fn answering_in_turn(answers: Vec<String>) -> Self {
        Self::start(answers, None).await
    }

    /// Appends an answer to those there are.
    pub(crate) fn then(&self, answer: String) {
        self.answers.lock().unwrap().push_back(answer);
    }

    /// Over TLS, with a certificate for `name` that nobody else signed.
    pub(crate) async fn with_tls(name: &str, answer: &str) -> (Self, CertificateDer<'static>) {
        let (config, certificate) = a_server(name);
        (Self::start(vec![answer.into()], Some(TlsAcceptor::from(config))).await, certificate)
    }

    async fn start(answers: Vec<String>, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (log, count) = (Arc::clone(&requests), Arc::clone(&connections));
        let turns = Arc::clone(&answers);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let (answers, log, tls) = (Arc::clone(&turns), Arc::clone(&log), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &answers, &log).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => serve(stream, &answers, &log).await,
                            Err(_) => Some(()),
                        },
                    }
                });
            }
        });
        Self { port, answers, requests, connections }
    }

    pub(crate) fn request_count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub(crate) fn connection_count(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Serves one connection until the client leaves. The requests of these tests have no body, or one that comes
/// in the same segment as the head.
async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answers: &Mutex<VecDeque<String>>,
    log: &Mutex<Vec<String>>,
) -> Option<()> {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        text.push_str(std::str::from_utf8(&chunk[..read]).ok()?);
        if text.contains("\r\n\r\n") {
            log.lock().unwrap().push(std::mem::take(&mut text));
            let answer = next(&mut answers.lock().unwrap());
            stream.write_all(answer.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
        }
    }
}

/// The next answer; the last one stays.
fn next(answers: &mut VecDeque<String>) -> String {
    let last = answers.front().cloned().unwrap_or_default();
    if answers.len() > 1 { answers.pop_front().unwrap_or(last) } else { last }
}

/// An answer with that status, headers (each line ended) and body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

/// Gives the first answer once, then the second for good.
pub(crate) struct Changing {
    answers: [Vec<IpAddr>; 2],
    asked: AtomicUsize,
}

impl Changing {
    pub(crate) fn new(first: &[&str], then: &[&str]) -> Arc<Self> {
        let parse = |list: &[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { answers: [parse(first), parse(then)], asked: AtomicUsize::new(0) })
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Resolver for Changing {
    async fn resolve(&self, _host: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(self.answers[self.asked.fetch_add(1, Ordering::SeqCst).min(1)].clone())
    }
}

/// Never answers.
pub(crate) struct Silent;

#[async_trait]
impl Resolver for Silent {
    async fn resolve(&self, _host: &str) -> std::io::Result<Vec<IpAddr>> {
        std::future::pending().await
    }
}
