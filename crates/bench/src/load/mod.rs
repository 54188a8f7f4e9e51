//! Load over HTTP by connections that are kept open, and its results.

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

/// The requests of a load, by number.
pub trait Calls: Send + Sync {
    /// Writes request `number` into `out`, which is empty.
    fn write(&self, number: u64, key: &str, out: &mut Vec<u8>);
}

/// GET requests of these paths, in turn and again from the first.
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
    After(Duration),
    Requests(u64),
}

/// A load to run.
#[derive(Clone)]
pub struct Plan {
    pub address: SocketAddr,
    pub calls: Arc<dyn Calls>,
    pub keys: Arc<Keys>,
    /// Number of connections, each with one request in flight at a time.
    pub connections: u32,
    pub end: End,
}

/// Result of a load.
#[derive(Debug)]
pub struct Load {
    /// Answered requests.
    pub requests: u64,
    /// Seconds from the first request to the last answer.
    pub seconds: f64,
    latencies: Latencies,
}

impl Load {
    /// Returns the answers per second.
    pub fn rate(&self) -> f64 {
        float(self.requests) / self.seconds
    }

    /// Returns the latency in milliseconds within which `share` of the requests stay.
    pub fn percentile(&self, share: f64) -> f64 {
        self.latencies.percentile(share)
    }
}

/// Runs a load. Every answer is read to its end and must be a success; the first that is not ends the load
/// with an error.
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

/// Converts a count to a number to calculate with.
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
