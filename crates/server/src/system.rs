//! The real clock and the real ids: the only home of functions that the rest of the project may not call.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use domain::{clock::Clock, ids::IdSource};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use time::OffsetDateTime;
use uuid::{ContextV7, Timestamp, Uuid};

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the home of the time")]
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Source of `UUIDv7`s by a clock and the machine's randomness.
pub struct SystemIds {
    clock: Arc<dyn Clock>,
    /// Makes each id come after the one before, also within a millisecond.
    sequence: Mutex<AssertUnwindSafe<ContextV7>>,
}

impl SystemIds {
    /// Makes ids with the times of `clock`.
    pub const fn by(clock: Arc<dyn Clock>) -> Self {
        Self { clock, sequence: Mutex::new(AssertUnwindSafe(ContextV7::new())) }
    }
}

impl IdSource for SystemIds {
    fn next(&self) -> Uuid {
        let now = self.clock.now();
        let seconds = u64::try_from(now.unix_timestamp()).unwrap_or_default();
        Uuid::new_v7(Timestamp::from_unix(&self.sequence, seconds, now.nanosecond()))
    }
}

/// Lets this process open as many files as the machine allows. The initial limit is often 1,024, and each
/// lately called receiver, each request and each connection to the database counts.
pub fn open_all_files_allowed() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?)
}
