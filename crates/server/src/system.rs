//! The real clock and the real ids: the only home of what the rest of the project may not call.

use std::time::Duration;

use async_trait::async_trait;
use domain::{clock::Clock, ids::IdSource};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use time::OffsetDateTime;
use uuid::Uuid;

/// The machine's clock.
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

/// `UUIDv7`s by the machine's clock and randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl IdSource for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "the home of ids")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// Lets this process open as many files as the machine allows it. What it starts with is often 1,024, and each
/// receiver that was called of late, each request and each connection to the database is one.
///
/// # Errors
/// When the machine refuses what it allows.
pub fn open_all_files_allowed() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?)
}
