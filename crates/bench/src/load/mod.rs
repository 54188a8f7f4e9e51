//! Load over HTTP with connections that are kept, and what came of it.

mod connection;
mod keys;
mod latencies;

pub use connection::Connection;
pub use keys::Keys;
pub use latencies::Latencies;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::bail;
use tokio::task::JoinSet;

/// What is asked, by number.
pub trait Calls: Send + Sync {
    /// Writes request `number` into `out`, which is empty.
    fn write(&self, number: u64, key: &str, out: &mut Vec<u8>);
}

/// Paths that are got, one after another and again from the first.
pub struct Gets(pub Vec<String>);

impl Calls for Gets {
    fn write(&self, number: u64, key: &str, out: &mut Vec<u8>) {
        let paths = u64::try_from(self.0.len().max(1)).unwrap_or(1);
        let path = usize::try_from(number % paths).ok().and_then(|index| self.0.get(index));
        let path = path.map_or("/", String::as_str);
        out.extend_from_slice(b"GET ");
        out.extend_from_slice(path.as_bytes());
        out.extend_from_slice(b" HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ");
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
    }
}

/// When a load ends.
#[derive(Debug, Clone, Copy)]
pub enum End {
    /// After this long.
    After(Duration),
    /// After this many requests.
    Requests(u64),
}

/// A load to run.
#[derive(Clone)]
pub struct Plan {
    /// Where to.
    pub address: SocketAddr,
    /// What is asked.
    pub calls: Arc<dyn Calls>,
    /// In whose name.
    pub keys: Arc<Keys>,
    /// How many connections, each with one request in flight at a time.
    pub connections: u32,
    /// When it ends.
    pub end: End,
}

/// What came of a load.
#[derive(Debug)]
pub struct Load {
    /// Requests answered.
    pub requests: u64,
    /// From the first request to the last answer.
    pub seconds: f64,
    latencies: Latencies,
}

impl Load {
    /// Answers a second.
    pub fn rate(&self) -> f64 {
        float(self.requests) / self.seconds
    }

    /// The latency, in milliseconds, that this share of the requests stays within.
    pub fn percentile(&self, share: f64) -> f64 {
        self.latencies.percentile(share)
    }
}

/// Runs a load. Every answer must be a success and is read to its end.
///
/// # Errors
/// The first answer that is none, or a connection that breaks.
pub async fn run(plan: &Plan) -> anyhow::Result<Load> {
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    let mut open = Vec::new();
    for _ in 0..plan.connections {
        open.push(Connection::open(plan.address).await?);
    }
    let started = Instant::now();
    for connection in open {
        tasks.spawn(drive(connection, plan.clone(), Arc::clone(&next), started));
    }
    let mut micros = Vec::new();
    while let Some(more) = tasks.join_next().await {
        micros.extend(more??);
    }
    let seconds = started.elapsed().as_secs_f64();
    let latencies = Latencies::of(micros)?;
    Ok(Load { requests: latencies.count(), seconds, latencies })
}

async fn drive(
    mut connection: Connection,
    plan: Plan,
    next: Arc<AtomicU64>,
    started: Instant,
) -> anyhow::Result<Vec<u32>> {
    let mut latencies = Vec::new();
    let mut request = Vec::new();
    let mut key = plan.keys.take();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let ended = match plan.end {
            End::After(length) => started.elapsed() >= length,
            End::Requests(requests) => number >= requests,
        };
        if ended {
            return Ok(latencies);
        }
        request.clear();
        plan.calls.write(number, key.next(), &mut request);
        let asked = Instant::now();
        let answer = connection.ask(&request).await?;
        let latency = asked.elapsed().as_micros();
        if !(200..300).contains(&answer.status) {
            let text = String::from_utf8_lossy(answer.body).into_owned();
            let request = String::from_utf8_lossy(request.split(|byte| *byte == b'\r').next().unwrap_or(&[]));
            bail!("`{request}` was answered with {}: {text}", answer.status);
        }
        latencies.push(u32::try_from(latency).unwrap_or(u32::MAX));
    }
}

/// A count as a number to calculate with.
pub fn float(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^52")]
    let float = count as f64;
    float
}

#[cfg(test)]
mod tests {
    use super::{Calls, Gets};

    #[test]
    fn paths_are_asked_in_turn() {
        let gets = Gets(vec!["/a".to_owned(), "/b".to_owned()]);
        for (number, path) in [(0, "/a"), (1, "/b"), (2, "/a")] {
            let mut out = Vec::new();
            gets.write(number, "key", &mut out);
            let wanted = format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer key\r\n\r\n");
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }
}
