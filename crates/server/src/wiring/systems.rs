//! Builds the use cases of workspaces' own systems.

use std::sync::Arc;

use adapter_custom_system::{CustomSystemClient, GuardedSystems};
use adapter_http::Systems;
use anyhow::Context;
use domain::{
    catalogue::{BrowseCatalogue, ManageSynonyms, search::Synonyms},
    customer_records::{CaptureLead, LookUpCustomer, PushLeads},
    paging::Cursors,
    systems::{CallSystem, ConnectSystem, KeepCalls, ManageSystem, RecordCall},
};
use guarded_http::{GuardedClient, Options, Policy, Trust};

use super::Foundation;

/// Builds the client that calls workspaces' own systems, under `policy` and only with trusted certificates.
pub fn system_client(policy: Policy, trust: &Trust) -> anyhow::Result<GuardedClient> {
    let options = Options { trust: trust.clone(), ..Options::default() };
    GuardedClient::with_options(policy, adapter_custom_system::LIMITS, options)
        .context("the client of workspaces' own systems")
}

fn record(on: &Foundation) -> RecordCall {
    let Foundation { stores, deps, .. } = on.clone();
    RecordCall { store: stores.systems.clone(), log: stores.systems.clone(), deps }
}

pub fn call_system(on: &Foundation, client: GuardedClient) -> CallSystem {
    let system = CustomSystemClient::new(client, on.deps.clock.clone());
    CallSystem { system: Arc::new(system), record: record(on) }
}

/// Builds connecting and asking systems, through `client`.
pub fn systems(on: &Foundation, client: GuardedClient) -> Systems {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let call = call_system(on, client.clone());
    let synonyms =
        ManageSynonyms { store: stores.catalogue.clone(), shipped: Synonyms::shipped(), deps: deps.clone() };
    let synonyms = Arc::new(synonyms);
    Systems {
        connect: ConnectSystem {
            system: call.system.clone(),
            addresses: Arc::new(GuardedSystems::new(client)),
            record: call.record.clone(),
        },
        manage: Arc::new(ManageSystem {
            system: call.system.clone(),
            record: call.record.clone(),
            cursors: Cursors { vault: vault.clone() },
        }),
        browse: BrowseCatalogue { systems: call.clone(), synonyms: synonyms.clone() },
        synonyms,
        look_up: LookUpCustomer { systems: call, customers: stores.customer_records.clone() },
        capture_lead: CaptureLead {
            leads: stores.customer_records.clone(),
            customers: stores.customer_records.clone(),
            systems: stores.systems.clone(),
            vault,
            deps,
        },
    }
}

pub fn push_leads(on: &Foundation, systems: CallSystem) -> PushLeads {
    PushLeads { systems, leads: on.stores.customer_records.clone(), clock: on.deps.clock.clone() }
}

/// Builds removing old calls from their log.
pub fn keep_calls(on: &Foundation) -> KeepCalls {
    KeepCalls { log: on.stores.systems.clone(), clock: on.deps.clock.clone() }
}
