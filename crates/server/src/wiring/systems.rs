//! The use cases of workspaces' own systems.

use std::sync::Arc;

use adapter_custom_system::{CustomSystemClient, GuardedSystems};
use adapter_http::Systems;
use anyhow::Context;
use domain::{
    paging::Cursors,
    systems::{ConnectSystem, KeepCalls, ManageSystem, RecordCall, ports::CustomSystem},
};
use guarded_http::{GuardedClient, Options, Policy, Trust};

use super::Foundation;

/// Calls workspaces' own systems under `policy`, those of them that show a trusted certificate.
///
/// # Errors
/// When the client cannot be built.
pub fn system_client(policy: Policy, trust: &Trust) -> anyhow::Result<GuardedClient> {
    let options = Options { trust: trust.clone(), ..Options::default() };
    GuardedClient::with_options(policy, adapter_custom_system::LIMITS, options)
        .context("the client of workspaces' own systems")
}

/// Connects and calls systems through `client`.
pub fn systems(on: &Foundation, client: GuardedClient) -> Systems {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let system: Arc<dyn CustomSystem> = Arc::new(CustomSystemClient::new(client.clone(), deps.clock.clone()));
    let record = RecordCall { store: stores.systems.clone(), log: stores.systems.clone(), deps };
    Systems {
        connect: ConnectSystem {
            system: system.clone(),
            addresses: Arc::new(GuardedSystems::new(client)),
            record: record.clone(),
        },
        manage: Arc::new(ManageSystem { system, record, cursors: Cursors { vault } }),
    }
}

/// Keeps the log of calls for its time.
pub fn keep_calls(on: &Foundation) -> KeepCalls {
    KeepCalls { log: on.stores.systems.clone(), clock: on.deps.clock.clone() }
}
