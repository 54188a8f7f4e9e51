//! A customer's server, as far as webhooks go.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, TcpListener},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::StatusCode,
    web::{Bytes, Data, post},
};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::contract::Contract;

/// Every delivery is held against this.
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::new(adapter_http::openapi()));

/// Long enough for a busy machine; reached only by a test that fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A delivery as it came.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) raw: Vec<u8>,
    pub(crate) body: Value,
}

struct Shared {
    deliveries: mpsc::UnboundedSender<Delivery>,
    answer: AtomicU16,
}

/// Takes deliveries, and answers 200 until told otherwise.
pub(crate) struct Receiver {
    url: String,
    shared: Arc<Shared>,
    deliveries: Mutex<mpsc::UnboundedReceiver<Delivery>>,
    /// What came before a delivery that was waited for: deliveries overtake each other.
    passed_over: Mutex<VecDeque<Delivery>>,
    handle: ServerHandle,
}

impl Receiver {
    #[expect(clippy::unused_async, reason = "a server starts on the runtime it is called on")]
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let (sender, deliveries) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared { deliveries: sender, answer: AtomicU16::new(200) });
        let data = Data::from(Arc::clone(&shared));
        let server =
            HttpServer::new(move || App::new().app_data(data.clone()).route("/events", post().to(take)))
                .workers(1)
                .disable_signals()
                .listen(listener)
                .unwrap()
                .run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, shared, deliveries: Mutex::new(deliveries), passed_over: Mutex::default(), handle }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// From now on answers with `status`.
    pub(crate) fn answer_with(&self, status: u16) {
        self.shared.answer.store(status, Ordering::SeqCst);
    }

    /// The next delivery.
    pub(crate) async fn next(&self) -> Delivery {
        let mut deliveries = self.deliveries.lock().await;
        let next = tokio::time::timeout(PATIENCE, deliveries.recv()).await;
        let delivery = next.expect("no delivery came").expect("the receiver ended");
        let faults = CONTRACT.faults(delivery.kind(), &delivery.body);
        assert_eq!(faults, Vec::<String>::new(), "{}", delivery.body);
        delivery
    }

    /// The next delivery of this type. Others are kept for whoever asks for theirs.
    pub(crate) async fn next_of(&self, kind: &str) -> Delivery {
        let mut passed_over = self.passed_over.lock().await;
        if let Some(place) = passed_over.iter().position(|delivery| delivery.kind() == kind) {
            return passed_over.remove(place).unwrap();
        }
        loop {
            let delivery = self.next().await;
            if delivery.kind() == kind {
                return delivery;
            }
            passed_over.push_back(delivery);
        }
    }

    /// What has come and was not taken yet.
    pub(crate) async fn rest(&self) -> Vec<Delivery> {
        let mut deliveries = self.deliveries.lock().await;
        std::iter::from_fn(|| deliveries.try_recv().ok()).collect()
    }

    pub(crate) async fn stop(&self) {
        self.handle.stop(false).await;
    }
}

impl Delivery {
    pub(crate) fn kind(&self) -> &str {
        self.text("/type")
    }

    /// A text of the body, by JSON pointer; empty when it is not there.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// A header, by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .unwrap_or_default()
    }
}

async fn take(request: HttpRequest, raw: Bytes, shared: Data<Shared>) -> HttpResponse {
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap_or_default().to_owned()));
    let delivery = Delivery {
        headers: headers.collect(),
        raw: raw.to_vec(),
        body: serde_json::from_slice(&raw).unwrap_or_default(),
    };
    // Whoever hears of a delivery may change the answer to the next one, and not to this one.
    let answer = StatusCode::from_u16(shared.answer.load(Ordering::SeqCst)).unwrap();
    let _ = shared.deliveries.send(delivery);
    HttpResponse::build(answer).finish()
}
