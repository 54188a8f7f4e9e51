//! Waiting for what happens in the background.

use std::time::Duration;

use tokio::time::{Instant, interval};

/// Long enough for a busy machine; reached only by a test that fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for what `look` returns.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    let mut turns = interval(Duration::from_millis(20));
    loop {
        turns.tick().await;
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not after {PATIENCE:?}");
    }
}
