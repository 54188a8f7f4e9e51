//! Statuses that wait to be posted together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{StatusItem, payload, post};
use crate::core::{Core, Owed};

/// The batch that is being filled.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    items: Vec<(StatusItem, Owed)>,
    /// How many batches there have been: tells a late timer that its batch has left.
    number: u64,
}

impl Batch {
    fn take(&mut self) -> Vec<(StatusItem, Owed)> {
        self.number += 1;
        std::mem::take(&mut self.items)
    }
}

/// Adds a status, and posts the batch once it holds `size`, or `linger` after its first.
pub(crate) async fn add(core: &Arc<Core>, item: StatusItem, size: usize, linger: Duration) {
    let owed = core.owe();
    let (full, opened) = {
        let mut batch = core.batch();
        batch.items.push((item, owed));
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

/// One body for each callback.
async fn send(core: &Arc<Core>, items: Vec<(StatusItem, Owed)>) {
    let mut by_callback: BTreeMap<String, Vec<StatusItem>> = BTreeMap::new();
    let mut owed = Vec::new();
    for (item, due) in items {
        owed.push(due);
        if let Some(url) = core.callback(&item.account_id) {
            by_callback.entry(url.to_string()).or_default().push(item);
        }
    }
    for items in by_callback.into_values() {
        if let Some(first) = items.first() {
            post(core, &first.account_id, &payload::statuses(&items)).await;
        }
    }
    drop(owed);
}
