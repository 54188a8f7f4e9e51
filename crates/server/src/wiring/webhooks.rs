//! Builds the use cases of webhook addresses and of what is delivered to them.

use std::sync::Arc;

use adapter_webhooks::{GuardedAddresses, WebhookSender};
use anyhow::Context;
use domain::{
    paging::Cursors,
    webhooks::{DeliverDue, KeepLog, ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries},
};
use guarded_http::{GuardedClient, Options, Policy, Trust};

use super::{Foundation, wire};

/// Builds the client that calls customers' addresses, under `policy` and only with trusted certificates.
pub fn guarded_client(policy: Policy, trust: &Trust) -> anyhow::Result<GuardedClient> {
    let options = Options { trust: trust.clone(), ..Options::default() };
    GuardedClient::with_options(policy, adapter_webhooks::LIMITS, options).context("the webhook client")
}

pub fn deliver_due(on: &Foundation, client: GuardedClient) -> DeliverDue {
    let Foundation { stores, vault, deps, .. } = on;
    let sender = Arc::new(WebhookSender::new(client, deps.clock.clone()));
    wire!(DeliverDue { queue: stores.webhooks, clock: deps.clock, vault }, sender)
}

/// Builds registering addresses that `client` may call.
pub fn register_address(on: &Foundation, client: GuardedClient) -> RegisterAddress {
    let Foundation { stores, vault, deps, .. } = on;
    let guard = Arc::new(GuardedAddresses::new(client));
    wire!(RegisterAddress { store: stores.webhooks, vault, deps }, guard)
}

pub fn manage_addresses(on: &Foundation) -> ManageAddresses {
    let Foundation { stores, vault, deps, .. } = on;
    wire!(ManageAddresses { store: stores.webhooks, attempts: stores.access, vault, deps })
}

pub fn read_deliveries(on: &Foundation) -> ReadDeliveries {
    ReadDeliveries { log: on.stores.webhooks.clone(), cursors: wire!(Cursors { vault: on.vault }) }
}

pub fn resend_deliveries(on: &Foundation) -> ResendDeliveries {
    let Foundation { stores, deps, .. } = on;
    wire!(ResendDeliveries { log: stores.webhooks, deps })
}

/// Builds keeping the log of deliveries for a month.
pub fn keep_log(on: &Foundation) -> KeepLog {
    wire!(KeepLog { log: on.stores.webhooks, clock: on.deps.clock })
}
