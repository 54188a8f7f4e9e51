//! Builds the use cases of broadcasts.

use std::sync::Arc;

use adapter_http::Broadcasts;
use domain::{
    broadcasts::{
        Audiences, BroadcastLists, ExportPeople, ManageBroadcasts, MarketingStops, PreviewBroadcast,
        RunBroadcasts,
    },
    paging::Cursors,
    workspaces::ShowUsage,
};

use super::{Foundation, UseCases};

/// Builds what members use on the dashboard.
pub fn broadcasts(on: &Foundation) -> Broadcasts {
    Broadcasts {
        manage: manage_broadcasts(on),
        export: ExportPeople {
            store: on.stores.broadcasts.clone(),
            audit: on.stores.access.clone(),
            members: on.stores.access.clone(),
            deps: on.deps.clone(),
        },
        lists: BroadcastLists {
            store: on.stores.broadcasts.clone(),
            contacts: on.stores.contacts.clone(),
            members: on.stores.access.clone(),
            deps: on.deps.clone(),
        },
        stops: MarketingStops {
            store: on.stores.broadcasts.clone(),
            contacts: on.stores.contacts.clone(),
            deps: on.deps.clone(),
        },
    }
}

/// Builds the access to the people of audiences.
fn audiences(on: &Foundation) -> Audiences {
    Audiences {
        store: on.stores.broadcasts.clone(),
        lists: on.stores.broadcasts.clone(),
        directory: on.stores.contacts.clone(),
    }
}

/// Builds writing, starting and stopping broadcasts.
pub fn manage_broadcasts(on: &Foundation) -> ManageBroadcasts {
    let Foundation { stores, vault, deps, .. } = on.clone();
    ManageBroadcasts {
        store: stores.broadcasts.clone(),
        preview: PreviewBroadcast {
            audiences: audiences(on),
            stops: stores.broadcasts.clone(),
            ledger: stores.sends,
            limits: stores.broadcasts,
            usage: ShowUsage { store: stores.workspaces, clock: deps.clock.clone() },
            ids: deps.ids.clone(),
        },
        cursors: Cursors { vault },
        deps,
    }
}

pub fn run_broadcasts(on: &Foundation, use_cases: &UseCases) -> RunBroadcasts {
    let Foundation { stores, deps, .. } = on.clone();
    RunBroadcasts {
        store: stores.broadcasts.clone(),
        stops: stores.broadcasts.clone(),
        limits: stores.broadcasts,
        audiences: audiences(on),
        workspaces: stores.workspaces,
        ledger: stores.sends,
        send: Arc::clone(&use_cases.send_template),
        deps,
    }
}
