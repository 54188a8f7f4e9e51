//! Webhook addresses, the queue of deliveries, and their log.

mod addresses;
mod enqueue;
mod keeper;
mod line;
mod log;
mod mark;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod queue;
mod requeue;
mod resend;
mod results;
mod search;
mod step;

pub(crate) use addresses::remove_addresses_of;
pub(crate) use enqueue::{PendingDelivery, Subscriber, enqueue, subscribers};
pub(crate) use line::{AttemptRow, DeliveryRow, delivery};

use crate::{Database, sql::first_and_last};

/// Webhook addresses, the queue of deliveries, and their log.
#[derive(Clone)]
pub struct PgWebhooks {
    pub(crate) database: Database,
}
