//! Webhook addresses, what is owed to them, the queue it waits in, and the log.

mod addresses;
mod enqueue;
mod keeper;
mod line;
mod log;
mod mark;
mod pending;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod queue;
mod requeue;
mod resend;
mod results;
mod search;
mod step;

pub(crate) use enqueue::{Subscriber, enqueue, subscribers};
pub(crate) use line::{AttemptRow, DeliveryRow};
pub(crate) use pending::{Count, PendingDeliveries, enqueue_deliveries, owing};

/// The smallest and the largest, where there is any.
fn first_and_last<T: Ord + Copy>(keys: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    keys.clone().min().zip(keys.max())
}
