//! Works through due items of which each may wait for a network.

use std::future::ready;

use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

/// Items worked on at once: one that hangs holds up no other of its round.
const AT_ONCE: usize = 8;

/// Works on each item. After `shutdown` none is begun, and those in hand are finished.
pub(super) async fn for_each_due<T, W: Future<Output = ()>>(
    due: Vec<T>,
    shutdown: &CancellationToken,
    work: impl FnMut(T) -> W,
) {
    let due = stream::iter(due).take_while(|_| ready(!shutdown.is_cancelled()));
    due.for_each_concurrent(AT_ONCE, work).await;
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn one_that_hangs_holds_up_no_other_and_after_a_stop_none_is_begun() {
        let (release, begun, shutdown) = (Notify::new(), Mutex::new(Vec::new()), CancellationToken::new());
        let (all, release, begun, shutdown) = ((0..100).collect(), &release, &begun, &shutdown);
        for_each_due(all, shutdown, |number| async move {
            begun.lock().unwrap().push(number);
            match number {
                0 => release.notified().await,
                50 => {
                    shutdown.cancel();
                    release.notify_one();
                }
                _ => {}
            }
        })
        .await;
        assert_eq!(*begun.lock().unwrap(), (0..=50).collect::<Vec<_>>());
    }
}
