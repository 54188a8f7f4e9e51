//! The use cases of webhook addresses and of what is delivered to them.

use std::sync::Arc;

use adapter_webhooks::{GuardedAddresses, WebhookSender};
use anyhow::Context;
use domain::{
    paging::Cursors,
    webhooks::{DeliverDue, KeepLog, ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries},
};
use guarded_http::{GuardedClient, Options, Policy, Trust};

use super::Foundation;

/// Calls customers' addresses under `policy`, those of them that show a trusted certificate.
///
/// # Errors
/// When the client cannot be built.
pub fn guarded_client(policy: Policy, trust: &Trust) -> anyhow::Result<GuardedClient> {
    let options = Options { trust: trust.clone(), ..Options::default() };
    GuardedClient::with_options(policy, adapter_webhooks::LIMITS, options).context("the webhook client")
}

/// Delivers what is due, through `client`.
pub fn deliver_due(on: &Foundation, client: GuardedClient) -> DeliverDue {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let sender = Arc::new(WebhookSender::new(client, deps.clock.clone()));
    DeliverDue { queue: stores.webhooks.clone(), sender, clock: deps.clock, vault }
}

/// Registers webhook addresses that `client` may call.
pub fn register_address(on: &Foundation, client: GuardedClient) -> RegisterAddress {
    let Foundation { stores, vault, deps, .. } = on.clone();
    RegisterAddress {
        store: stores.webhooks.clone(),
        guard: Arc::new(GuardedAddresses::new(client)),
        vault,
        deps,
    }
}

/// Shows and changes webhook addresses.
pub fn manage_addresses(on: &Foundation) -> ManageAddresses {
    let Foundation { stores, vault, deps, .. } = on.clone();
    ManageAddresses { store: stores.webhooks, attempts: stores.access, vault, deps }
}

/// Shows what was delivered.
pub fn read_deliveries(on: &Foundation) -> ReadDeliveries {
    ReadDeliveries { log: on.stores.webhooks.clone(), cursors: Cursors { vault: on.vault.clone() } }
}

/// Delivers again.
pub fn resend_deliveries(on: &Foundation) -> ResendDeliveries {
    let Foundation { stores, deps, .. } = on.clone();
    ResendDeliveries { log: stores.webhooks.clone(), deps }
}

/// Keeps the log of deliveries for its month.
pub fn keep_log(on: &Foundation) -> KeepLog {
    KeepLog { log: on.stores.webhooks.clone(), clock: on.deps.clock.clone() }
}
