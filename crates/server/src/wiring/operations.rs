//! Use cases of operators that do without the network.

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
    register_address, resend_deliveries, set_send_only, wire,
};

/// Use cases of operators that do without the network.
pub struct Operations {
    pub foundation: Foundation,
    /// For plain look-ups.
    pub stores: Stores,
    pub create_workspace: CreateWorkspace,
    pub set_plan: SetPlan,
    pub set_send_only: SetSendOnly,
    pub issue_key: IssueKey,
    pub revoke_key: RevokeKey,
    pub register_address: RegisterAddress,
    pub manage_addresses: ManageAddresses,
    pub read_deliveries: ReadDeliveries,
    pub resend_deliveries: ResendDeliveries,
    /// Workspaces of which the nodes are told when the command is done.
    pub told: Arc<TellLater>,
    pub list_templates: ListTemplates,
    pub manage_broadcasts: ManageBroadcasts,
    pub import_contacts: ImportContacts,
}

impl Operations {
    /// Builds them over a foundation; `client` decides which addresses may be registered.
    pub fn new(on: &Foundation, client: GuardedClient) -> Self {
        let told = Arc::new(TellLater::default());
        let on = &on.waking(told.clone());
        let Foundation { stores, vault, deps, .. } = on;
        let Stores { access, templates, workspaces, .. } = stores;
        Self {
            foundation: on.clone(),
            manage_addresses: manage_addresses(on),
            read_deliveries: read_deliveries(on),
            resend_deliveries: resend_deliveries(on),
            told,
            create_workspace: wire!(CreateWorkspace { store: workspaces, deps }),
            import_contacts: import_contacts(on),
            manage_broadcasts: manage_broadcasts(on),
            set_plan: wire!(SetPlan { store: workspaces, deps }),
            set_send_only: set_send_only(on),
            issue_key: wire!(IssueKey { keys: access, workspaces, vault, deps }),
            revoke_key: wire!(RevokeKey { keys: access, deps }),
            register_address: register_address(on, client),
            list_templates: wire!(ListTemplates { store: templates }),
            stores: stores.clone(),
        }
    }
}
