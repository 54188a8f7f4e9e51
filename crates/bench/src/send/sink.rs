//! A customer's server that takes events and looks only at each one's type.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpResponse, HttpServer,
    web::{Bytes, Data, post},
};
use anyhow::bail;
use tokio::time::sleep;

/// Mark of a send's last event: the simulator's last status is `read`.
const LAST_EVENT: &[u8] = br#""type":"message.read""#;
/// Time without an arrival after which the wait fails.
const PATIENCE: Duration = Duration::from_secs(30);
/// Polling interval; arrivals are timed when they come.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
struct Counts {
    deliveries: AtomicU64,
    last_events: AtomicU64,
    latest: Mutex<Option<Instant>>,
}

/// A server in the bench's own process.
pub(crate) struct Sink {
    address: SocketAddr,
    counts: Arc<Counts>,
}

impl Sink {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let counts = Arc::new(Counts::default());
        let data = Data::from(Arc::clone(&counts));
        let server =
            HttpServer::new(move || App::new().app_data(data.clone()).route("/events", post().to(take)))
                .workers(1)
                .disable_signals()
                .listen(listener)?
                .run();
        tokio::spawn(server);
        Ok(Self { address, counts })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    /// Resets the counts.
    pub(crate) fn forget(&self) {
        self.counts.deliveries.store(0, Ordering::Relaxed);
        self.counts.last_events.store(0, Ordering::Relaxed);
    }

    pub(crate) fn deliveries(&self) -> u64 {
        self.counts.deliveries.load(Ordering::Relaxed)
    }

    /// Waits for the last events of `sends`; returns the arrival of the last one.
    pub(crate) async fn last_events(&self, sends: u64) -> anyhow::Result<Instant> {
        let waiting = Instant::now();
        loop {
            let came = self.counts.last_events.load(Ordering::Acquire);
            let latest = *self.counts.latest.lock().unwrap_or_else(PoisonError::into_inner);
            match latest {
                Some(latest) if came >= sends => return Ok(latest),
                latest if latest.unwrap_or(waiting).max(waiting).elapsed() > PATIENCE => {
                    bail!("of {sends} sends, the last event of {} never came", sends - came);
                }
                _ => sleep(LOOK).await,
            }
        }
    }
}

async fn take(body: Bytes, counts: Data<Counts>) -> HttpResponse {
    counts.deliveries.fetch_add(1, Ordering::Relaxed);
    if body.windows(LAST_EVENT.len()).any(|part| part == LAST_EVENT) {
        *counts.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        counts.last_events.fetch_add(1, Ordering::Release);
    }
    HttpResponse::Ok().finish()
}
