//! Thins out floods of lines: failures while the store is away, and refusals of requests from strangers. Of
//! each cause the log holds the first line, and then once a second the number of the others. One outage fails
//! every request and every piece of background work, over and over; a stranger can send as many requests as
//! they like.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{clock::Clock, errors::StoreError};
use tokio_util::sync::CancellationToken;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    info, warn,
};
use tracing_subscriber::{Layer, layer::Context};

/// Interval between lines about one cause; within it, failures are only counted.
const QUIET: Duration = Duration::from_secs(1);
/// Fields in which lines name what failed.
const CAUSES: [&str; 3] = ["error", "cause", "reason"];
/// Field in which a line names the kind of request that was refused from a stranger.
const REFUSED: &str = "refused";
/// Field of a line that already stands for many failures.
const COUNT: &str = "count";

/// The process's own, as a process has one log.
static OUTAGES: LazyLock<Outages> = LazyLock::new(Outages::default);
/// Beginning of the message of a failure of a store that is away.
static AWAY: LazyLock<String> = LazyLock::new(|| StoreError::Unavailable(String::new()).to_string());

/// Number of failures counted and not yet logged, by cause.
#[derive(Clone, Default)]
struct Outages(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether a task logs the counts: without one, every line is logged.
    counts: AtomicBool,
    unsaid: Mutex<HashMap<Cause, u64>>,
}

/// Returns the layer that drops lines which are only counted.
pub(super) fn layer<S: Subscriber>() -> impl Layer<S> {
    OUTAGES.clone()
}

/// Logs once a second what was counted, until `shutdown`.
pub async fn count_outages(clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    OUTAGES.0.counts.store(true, Ordering::Relaxed);
    while !shutdown.is_cancelled() {
        shutdown.run_until_cancelled(clock.sleep(QUIET)).await;
        OUTAGES.say();
    }
    OUTAGES.0.counts.store(false, Ordering::Relaxed);
    OUTAGES.say();
}

impl Outages {
    /// Returns whether this is the first failure of its cause for a while; counts it otherwise.
    fn begins(&self, cause: Cause) -> bool {
        match self.unsaid().entry(cause) {
            Entry::Occupied(mut count) => {
                *count.get_mut() += 1;
                false
            }
            Entry::Vacant(place) => {
                place.insert(0);
                true
            }
        }
    }

    fn say(&self) {
        for (cause, count) in self.take() {
            match cause {
                Cause::Outage(cause) => warn!(count, cause, "more failed for now"),
                Cause::Refused(refused) => info!(count, refused, "more requests were refused"),
            }
        }
    }

    /// Takes the counts of each cause since the last take. A cause with a count of zero is over.
    fn take(&self) -> Vec<(Cause, u64)> {
        let mut unsaid = self.unsaid();
        unsaid.retain(|_, count| *count > 0);
        unsaid.iter_mut().map(|(cause, count)| (cause.clone(), std::mem::take(count))).collect()
    }

    fn unsaid(&self) -> MutexGuard<'_, HashMap<Cause, u64>> {
        self.0.unsaid.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Layer<S> for Outages {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        if !may_be_counted(event.metadata()) || !self.0.counts.load(Ordering::Relaxed) {
            return true;
        }
        let mut found = Found(None);
        event.record(&mut found);
        found.0.is_none_or(|cause| self.begins(cause))
    }
}

/// Returns whether lines of this kind may be counted. Those of level error never are: they say what is lost.
fn may_be_counted(line: &Metadata<'_>) -> bool {
    let has = |name: &str| line.fields().field(name).is_some();
    *line.level() > Level::ERROR && (has(REFUSED) || CAUSES.into_iter().any(has)) && !has(COUNT)
}

/// Reason for which lines are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Cause {
    Outage(String),
    Refused(String),
}

/// Visitor that finds the cause that a line names, if it names one.
struct Found(Option<Cause>);

impl Visit for Found {
    fn record_str(&mut self, field: &Field, said: &str) {
        if field.name() == REFUSED {
            self.0 = Some(Cause::Refused(said.to_owned()));
        } else if CAUSES.contains(&field.name())
            && let Some(from) = said.find(AWAY.as_str())
        {
            // In front of it may stand what could not be done.
            self.0 = said.get(from..).map(|cause| Cause::Outage(cause.to_owned()));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use domain::errors::StoreError;
    use tracing::{error, info, warn};
    use tracing_subscriber::{fmt, layer::SubscriberExt};

    use super::{Ordering, Outages};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        /// Takes the lines since the last look, without their colours and times.
        fn lines(&self) -> Vec<String> {
            let written = String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap();
            written.lines().map(|line| line.split_once(": ").unwrap().1.to_owned()).collect()
        }
    }

    /// Runs `with` with a log whose lines it can look at.
    fn logged(with: impl FnOnce(&Outages, &dyn Fn() -> Vec<String>)) {
        let (outages, written) = (Outages::default(), Written::default());
        let out = written.clone();
        let lines = fmt::layer().with_writer(move || out.clone()).with_ansi(false).without_time();
        let log = tracing_subscriber::registry().with(lines).with(outages.clone());
        tracing::subscriber::with_default(log, || with(&outages, &|| written.lines()));
    }

    fn full() -> StoreError {
        StoreError::Unavailable("the disk is full (53100)".to_owned())
    }

    #[test]
    fn of_failures_with_one_cause_the_first_is_said_and_the_rest_is_counted_until_there_are_none() {
        logged(|outages, lines| {
            outages.0.counts.store(true, Ordering::Relaxed);
            for number in 0..10_000 {
                warn!(error = %full(), number, "not looked for");
                warn!(reason = %full(), "put back");
                warn!(cause = full().to_string(), "a request failed");
            }
            warn!(error = %StoreError::Unavailable("no connection".to_owned()), "another cause");
            let said = lines();
            assert_eq!(said.len(), 2, "{said:?}");
            assert!(said[0].contains("not looked for") && said[1].contains("another cause"), "{said:?}");
            outages.say();
            let said = lines();
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains("count=29999") && said[0].contains("(53100)"), "{said:?}");

            warn!(error = format!("sending: {}", full()), "counted for one second more");
            assert!(lines().is_empty());
            outages.say();
            assert_eq!(lines().len(), 1);
            outages.say();
            assert!(lines().is_empty());
            warn!(error = %full(), "it begins anew");
            assert_eq!(lines().len(), 1);
        });
    }

    #[test]
    fn of_a_flood_of_refused_requests_each_kind_is_said_once_and_counted_from_then_on() {
        logged(|outages, lines| {
            outages.0.counts.store(true, Ordering::Relaxed);
            for status in [401, 503].repeat(1_000) {
                let refused = Some(format!("POST /networks/meta/webhook {status}"));
                info!(status, refused, "request");
            }
            info!(status = 200, refused = None::<String>, "request");
            info!(status = 403, refused = None::<String>, "request");
            assert_eq!(lines().len(), 4);
            outages.say();
            let said = lines();
            assert!(said.len() == 2 && said.iter().all(|line| line.contains("count=999")), "{said:?}");
            assert!(said.iter().any(|line| line.contains("webhook 401")), "{said:?}");
        });
    }

    #[test]
    fn what_is_no_outage_what_counts_by_itself_and_what_nobody_would_count_is_said() {
        logged(|outages, lines| {
            for _ in 0..3 {
                warn!(error = %full(), "before anybody says counts");
            }
            assert_eq!(lines().len(), 3);
            outages.0.counts.store(true, Ordering::Relaxed);
            for count in 0..3 {
                warn!(error = %StoreError::Internal("a row".to_owned()), "ours");
                warn!(error = %full(), count, "cannot be written down yet");
                error!(error = %full(), "lost");
                info!(status = 200, "a request");
            }
            assert_eq!(lines().len(), 12);
        });
    }
}
