//! Requests that fail because the store is away: said once a second with their count, not each by itself.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::App;

/// How long after it was said a failure is only counted.
const QUIET: Duration = Duration::from_secs(1);

/// The failures of the last second.
#[derive(Debug, Default)]
pub struct Outage(Mutex<HashMap<String, u64>>);

impl Outage {
    /// Whether this failure is the first of its cause for a while. If not, it is counted.
    fn begins(&self, cause: &str) -> bool {
        match self.counts().entry(cause.to_owned()) {
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

    /// How many there were since it was last said; with none it is over.
    fn take(&self, cause: &str) -> u64 {
        let mut counts = self.counts();
        let count = counts.get_mut(cause).map(std::mem::take).unwrap_or_default();
        if count == 0 {
            counts.remove(cause);
        }
        count
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says it, or counts it until the second is over.
pub(crate) fn failed_for_now(app: &Arc<App>, request_id: &str, route: &str, cause: &str) {
    if !app.outage.begins(cause) {
        return;
    }
    tracing::warn!(request_id, route, cause, "a request failed for now");
    let (app, cause) = (Arc::clone(app), cause.to_owned());
    let runtime = app.runtime.clone();
    runtime.spawn(async move {
        loop {
            app.clock.sleep(QUIET).await;
            let count = app.outage.take(&cause);
            if count == 0 {
                return;
            }
            tracing::warn!(count, cause, "more requests failed for now");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::Outage;

    #[test]
    fn of_failures_with_one_cause_the_first_is_said_and_the_rest_is_counted_until_there_are_none() {
        let outage = Outage::default();
        assert!(outage.begins("full"));
        for _ in 0..20_000 {
            assert!(!outage.begins("full"));
        }
        assert!(outage.begins("read-only"), "another cause is said at once");
        assert_eq!(outage.take("full"), 20_000);
        assert!(!outage.begins("full"));
        assert_eq!((outage.take("full"), outage.take("full")), (1, 0));
        assert!(outage.begins("full"), "it begins anew");
    }
}
