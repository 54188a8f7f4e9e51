//! The use cases of broadcasts.

use std::sync::Arc;

use adapter_http::Broadcasts;
use domain::{
    broadcasts::{ManageBroadcasts, MarketingStops, PreviewBroadcast, RunBroadcasts},
    paging::Cursors,
};

use super::{Foundation, UseCases};

/// What members do.
pub fn broadcasts(on: &Foundation) -> Broadcasts {
    Broadcasts {
        manage: manage_broadcasts(on),
        stops: MarketingStops {
            store: on.stores.broadcasts.clone(),
            contacts: on.stores.contacts.clone(),
            deps: on.deps.clone(),
        },
    }
}

/// Writes, starts and stops them.
pub fn manage_broadcasts(on: &Foundation) -> ManageBroadcasts {
    let Foundation { stores, vault, deps, .. } = on.clone();
    ManageBroadcasts {
        store: stores.broadcasts.clone(),
        preview: PreviewBroadcast {
            store: stores.broadcasts.clone(),
            stops: stores.broadcasts,
            directory: stores.contacts,
            ledger: stores.sends,
            ids: deps.ids.clone(),
        },
        cursors: Cursors { vault },
        deps,
    }
}

/// Sends them.
pub fn run_broadcasts(on: &Foundation, use_cases: &UseCases) -> RunBroadcasts {
    let Foundation { stores, deps, .. } = on.clone();
    RunBroadcasts {
        store: stores.broadcasts.clone(),
        stops: stores.broadcasts,
        directory: stores.contacts,
        workspaces: stores.workspaces,
        ledger: stores.sends,
        send: Arc::clone(&use_cases.send_template),
        deps,
    }
}
