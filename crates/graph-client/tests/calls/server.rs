//! A network on loopback that follows a script: one connection, one step.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graph_client::{Config, GraphClient, Pacing, RetryPolicy, Surface};
use tls_trust::testing::a_server;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// What happens to a request.
#[derive(Clone)]
pub(crate) enum Step {
    /// These bytes are the answer.
    Answer(String),
    /// The request is read whole, and the connection cut.
    Cut,
    /// The request is read whole, and never answered.
    Hang,
}

/// An answer with a status, headers (each line ended) and a body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Step {
    let length = body.len();
    Step::Answer(format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))
}

/// An answer with an error body.
pub(crate) fn refusal(status: u16, code: i64) -> Step {
    answer(status, "", &format!(r#"{{"error":{{"code":{code},"message":"(#{code}) no"}}}}"#))
}

pub(crate) struct Network {
    pub(crate) client: GraphClient,
    requests: Arc<Mutex<Vec<String>>>,
    pacing: Arc<Recorded>,
}

/// Time that passes at once and is written down.
#[derive(Default)]
struct Recorded(Mutex<Vec<Duration>>);

#[async_trait]
impl Pacing for Recorded {
    async fn pause(&self, length: Duration) {
        self.0.lock().unwrap().push(length);
    }

    fn jitter(&self) -> u8 {
        255
    }
}

pub(crate) fn config(port: u16) -> Config {
    Config {
        base_url: format!("http://127.0.0.1:{port}").parse().unwrap(),
        version: "v25.0".into(),
        app_secret: None,
        surface: Surface::WhatsApp,
        timeout: Duration::from_secs(20),
        retry: RetryPolicy::default(),
    }
}

impl Network {
    pub(crate) async fn with(script: impl IntoIterator<Item = Step>) -> Self {
        Self::configured(script, |config| config).await
    }

    pub(crate) async fn configured(
        script: impl IntoIterator<Item = Step>,
        configure: impl FnOnce(Config) -> Config,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let config = configure(config(listener.local_addr().unwrap().port()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let script: Vec<Step> = script.into_iter().collect();
        let log = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut open = Vec::new();
            for step in script {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                log.lock().unwrap().push(request);
                match step {
                    Step::Answer(bytes) => stream.write_all(bytes.as_bytes()).await.unwrap(),
                    Step::Cut => {}
                    Step::Hang => open.push(stream),
                }
            }
            // Whoever comes after the script's end waits in the backlog until the test ends.
            std::future::pending::<()>().await;
            drop((listener, open));
        });
        let pacing = Arc::new(Recorded::default());
        let waits = Arc::clone(&pacing) as Arc<dyn Pacing>;
        Self { client: GraphClient::with_pacing(config, waits).unwrap(), requests, pacing }
    }

    /// Returns a port where nobody listens.
    pub(crate) async fn absent() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        Self::configured([], |config| Config {
            base_url: format!("http://127.0.0.1:{free}").parse().unwrap(),
            ..config
        })
        .await
    }

    /// Serves with a certificate that nobody else signed.
    pub(crate) async fn untrusted() -> Self {
        let tls = TlsAcceptor::from(a_server("127.0.0.1").0);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                assert!(tls.accept(stream).await.is_err(), "the caller goes away");
            }
        });
        Self::configured([], |config| Config {
            base_url: format!("https://127.0.0.1:{port}").parse().unwrap(),
            ..config
        })
        .await
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn pauses_ms(&self) -> Vec<u128> {
        self.pacing.0.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

/// Reads a request's head, and as much body as it announces.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.unwrap();
        text.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let announced = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= announced {
                return text;
            }
        }
        assert_ne!(read, 0, "the request ended early: {text}");
    }
}
