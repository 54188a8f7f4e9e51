//! What is still to come.

use tokio::sync::watch;

/// Marks something that is still to come. Dropped once it has come.
#[derive(Debug)]
pub(crate) struct Pending(watch::Sender<usize>);

impl Pending {
    /// Counts one more.
    pub(crate) fn begin(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|pending| *pending += 1);
        Self(count.clone())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.send_modify(|pending| *pending = pending.saturating_sub(1));
    }
}
