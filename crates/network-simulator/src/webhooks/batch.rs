//! Statuses that wait to be posted together.

use std::sync::Arc;
use std::time::Duration;

use super::deliver;
use crate::core::Core;
use crate::posts::{Pending, Piece, Signed};

/// Adds a status, and posts the batch once it has `size` statuses, or `linger` after its first.
pub(crate) async fn add(core: &Arc<Core>, piece: Piece, size: usize, linger: Duration) {
    let pending = core.begin_pending();
    let (full, opened) = {
        let mut batch = core.batch();
        batch.items.push((piece, pending));
        let opened = (batch.items.len() == 1).then_some(batch.number);
        ((batch.items.len() >= size).then(|| batch.take()), opened)
    };
    if let Some(items) = full {
        send(core, items).await;
    } else if let Some(number) = opened {
        let timer = Arc::clone(core);
        core.spawn(async move {
            tokio::time::sleep(linger).await;
            let items = {
                let mut batch = timer.batch();
                if batch.number == number { batch.take() } else { Vec::new() }
            };
            send(&timer, items).await;
        });
    }
}

async fn send(core: &Arc<Core>, items: Vec<(Piece, Pending)>) {
    let (pieces, pending): (Vec<Piece>, Vec<Pending>) = items.into_iter().unzip();
    deliver(core, pieces, Signed::Rightly).await;
    drop(pending);
}
