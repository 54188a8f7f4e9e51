//! A customer's server that answers at once.

use std::{
    net::{Ipv4Addr, TcpListener},
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
use anyhow::{Context, bail};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::time::sleep;

/// Text before an event's time in its body.
const CREATED_AT: &[u8] = br#""createdAt":""#;
/// Time without an arrival after which the wait fails.
const PATIENCE: Duration = Duration::from_mins(1);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
struct Counts {
    deliveries: AtomicU64,
    /// Microseconds from each event to its receipt; `None` while they are not collected.
    latencies: Mutex<Option<Vec<u32>>>,
}

/// A server in the bench's own process, reached at any address of the loopback network: each is a host of its
/// own to the service.
pub(super) struct Sink {
    port: u16,
    counts: Arc<Counts>,
}

impl Sink {
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let port = listener.local_addr()?.port();
        let counts = Arc::new(Counts::default());
        let data = Data::from(Arc::clone(&counts));
        let server =
            HttpServer::new(move || App::new().app_data(data.clone()).route("/events", post().to(take)))
                .workers(1)
                .disable_signals()
                .listen(listener)?
                .run();
        tokio::spawn(server);
        Ok(Self { port, counts })
    }

    /// Returns the URL as host `number` of 65,536.
    pub(super) fn url(&self, number: u16) -> String {
        let [high, low] = number.to_be_bytes();
        format!("http://127.1.{high}.{low}:{}/events", self.port)
    }

    /// Resets the counts.
    pub(super) fn forget(&self) {
        self.counts.deliveries.store(0, Ordering::Relaxed);
    }

    pub(super) fn deliveries(&self) -> u64 {
        self.counts.deliveries.load(Ordering::Relaxed)
    }

    /// Collects latencies from now on.
    pub(super) fn note_latencies(&self) {
        *self.counts.latencies.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Takes the collected latencies and stops collecting.
    pub(super) fn latencies(&self) -> anyhow::Result<Vec<u32>> {
        let mut noted = self.counts.latencies.lock().unwrap_or_else(PoisonError::into_inner);
        noted.take().context("no latencies were noted")
    }

    /// Waits until `count` have come, calling `look` from time to time.
    pub(super) async fn came(
        &self,
        count: u64,
        mut look: impl FnMut() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            let came = self.deliveries();
            if came >= count {
                return Ok(());
            }
            if came > seen {
                (seen, since) = (came, Instant::now());
            }
            if since.elapsed() > PATIENCE {
                bail!("of {count} deliveries, {} never came", count - came);
            }
            look()?;
            sleep(LOOK).await;
        }
    }
}

async fn take(body: Bytes, counts: Data<Counts>) -> HttpResponse {
    if let Some(latencies) = counts.latencies.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
        && let Some(micros) = since_event(&body)
    {
        latencies.push(micros);
    }
    counts.deliveries.fetch_add(1, Ordering::Relaxed);
    HttpResponse::Ok().finish()
}

/// Returns the microseconds since the time in the body, by the one clock of this machine.
fn since_event(body: &[u8]) -> Option<u32> {
    #[expect(clippy::disallowed_methods, reason = "what is measured is the real time")]
    let now = OffsetDateTime::now_utc();
    let at = body.windows(CREATED_AT.len()).position(|part| part == CREATED_AT)? + CREATED_AT.len();
    let stamp = body.get(at..)?.split(|byte| *byte == b'"').next()?;
    let at = OffsetDateTime::parse(std::str::from_utf8(stamp).ok()?, &Rfc3339).ok()?;
    u32::try_from((now - at).whole_microseconds().max(0)).ok()
}
