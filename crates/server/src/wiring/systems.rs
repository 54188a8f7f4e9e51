//! Builds the use cases of workspaces' own systems.

use std::sync::Arc;

use adapter_custom_system::{CustomSystemClient, GuardedSystems};
use adapter_http::Systems;
use adapter_postgres::Stores;
use anyhow::Context;
use domain::{
    catalogue::{BrowseCatalogue, ManageSynonyms, search::Synonyms},
    customer_records::{CaptureLead, LookUpCustomer, PushLeads},
    paging::Cursors,
    systems::{CallSystem, ConnectSystem, KeepCalls, ManageSystem, RecordCall},
};
use guarded_http::{GuardedClient, Options, Policy, Trust};

use super::{Foundation, wire};

/// Builds the client that calls workspaces' own systems, under `policy` and only with trusted certificates.
pub fn system_client(policy: Policy, trust: &Trust) -> anyhow::Result<GuardedClient> {
    let options = Options { trust: trust.clone(), ..Options::default() };
    GuardedClient::with_options(policy, adapter_custom_system::LIMITS, options)
        .context("the client of workspaces' own systems")
}

fn record(on: &Foundation) -> RecordCall {
    let Foundation { stores, deps, .. } = on;
    wire!(RecordCall { store: stores.systems, log: stores.systems, deps })
}

pub fn call_system(on: &Foundation, client: GuardedClient) -> CallSystem {
    let system = CustomSystemClient::new(client, on.deps.clock.clone());
    CallSystem { system: Arc::new(system), record: record(on) }
}

/// Builds connecting and asking systems, through `client`.
pub fn systems(on: &Foundation, client: GuardedClient) -> Systems {
    let Foundation { stores, vault, .. } = on;
    let cursors = wire!(Cursors { vault });
    let call = call_system(on, client.clone());
    let synonyms = synonyms(on);
    let addresses = Arc::new(GuardedSystems::new(client));
    Systems {
        connect: wire!(ConnectSystem { system: call.system, record: call.record }, addresses),
        manage: Arc::new(wire!(ManageSystem { system: call.system, record: call.record, cursors })),
        browse: wire!(BrowseCatalogue { systems: call, synonyms }),
        synonyms,
        look_up: wire!(LookUpCustomer { systems: call, customers: stores.customer_records }),
        capture_lead: capture_lead(on),
    }
}

pub(super) fn synonyms(on: &Foundation) -> Arc<ManageSynonyms> {
    let Foundation { stores, deps, .. } = on;
    Arc::new(wire!(ManageSynonyms { store: stores.catalogue, deps }, shipped = Synonyms::shipped()))
}

pub(super) fn capture_lead(on: &Foundation) -> CaptureLead {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { customer_records, systems, .. } = stores;
    wire!(CaptureLead { leads: customer_records, customers: customer_records, systems, vault, deps })
}

pub fn push_leads(on: &Foundation, systems: CallSystem) -> PushLeads {
    wire!(PushLeads { leads: on.stores.customer_records, clock: on.deps.clock }, systems)
}

/// Builds removing old calls from their log.
pub fn keep_calls(on: &Foundation) -> KeepCalls {
    wire!(KeepCalls { log: on.stores.systems, clock: on.deps.clock })
}
