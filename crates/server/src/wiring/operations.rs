//! What an operator can do without the network.

use std::sync::Arc;

use adapter_postgres::Stores;
use domain::{
    access::{IssueKey, RevokeKey},
    broadcasts::ManageBroadcasts,
    channels::SetSendOnly,
    contacts::ImportContacts,
    templates::ListTemplates,
    webhooks::{ManageAddresses, ReadDeliveries, RegisterAddress, ResendDeliveries},
    workspaces::{CreateWorkspace, SetPlan},
};
use guarded_http::GuardedClient;

use super::{
    Foundation, TellLater, broadcasts::manage_broadcasts, import_contacts, manage_addresses, read_deliveries,
    register_address, resend_deliveries, set_send_only,
};

/// What an operator can do without the network.
pub struct Operations {
    /// What it stands on.
    pub foundation: Foundation,
    /// For plain look-ups.
    pub stores: Stores,
    /// Makes workspaces.
    pub create_workspace: CreateWorkspace,
    /// Sets plans.
    pub set_plan: SetPlan,
    /// Makes numbers send-only.
    pub set_send_only: SetSendOnly,
    /// Makes keys.
    pub issue_key: IssueKey,
    /// Revokes keys.
    pub revoke_key: RevokeKey,
    /// Registers webhook addresses.
    pub register_address: RegisterAddress,
    /// Shows and changes webhook addresses.
    pub manage_addresses: ManageAddresses,
    /// Shows what was delivered to them.
    pub read_deliveries: ReadDeliveries,
    /// Delivers again.
    pub resend_deliveries: ResendDeliveries,
    /// Which workspaces the nodes are to be told of when the command is done.
    pub told: Arc<TellLater>,
    /// Lists templates.
    pub list_templates: ListTemplates,
    /// Writes, starts and follows broadcasts.
    pub manage_broadcasts: ManageBroadcasts,
    /// Takes over lists of people.
    pub import_contacts: ImportContacts,
}

impl Operations {
    /// Over a foundation; `client` says which addresses may be registered.
    pub fn new(on: &Foundation, client: GuardedClient) -> Self {
        let told = Arc::new(TellLater::default());
        let on = &on.waking(told.clone());
        let Foundation { stores, vault, deps, .. } = on.clone();
        Self {
            foundation: on.clone(),
            manage_addresses: manage_addresses(on),
            read_deliveries: read_deliveries(on),
            resend_deliveries: resend_deliveries(on),
            told,
            create_workspace: CreateWorkspace { store: stores.workspaces.clone(), deps: deps.clone() },
            import_contacts: import_contacts(on),
            manage_broadcasts: manage_broadcasts(on),
            set_plan: SetPlan { store: stores.workspaces.clone(), deps: deps.clone() },
            set_send_only: set_send_only(on),
            issue_key: IssueKey {
                keys: stores.access.clone(),
                workspaces: stores.workspaces.clone(),
                vault,
                deps: deps.clone(),
            },
            revoke_key: RevokeKey { keys: stores.access.clone(), deps: deps.clone() },
            register_address: register_address(on, client),
            list_templates: ListTemplates { store: stores.templates.clone() },
            stores,
        }
    }
}
