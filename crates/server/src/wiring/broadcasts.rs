//! Builds the use cases of broadcasts.

use adapter_http::Broadcasts;
use adapter_postgres::Stores;
use domain::{
    broadcasts::{
        Audiences, BroadcastLists, ExportPeople, ManageBroadcasts, MarketingStops, PreviewBroadcast,
        RunBroadcasts, TryBroadcast,
    },
    paging::Cursors,
    workspaces::ShowUsage,
};

use super::{Foundation, UseCases, wire};

/// Builds what members use on the dashboard.
pub fn broadcasts(on: &Foundation, use_cases: &UseCases) -> Broadcasts {
    let Foundation { stores, deps, .. } = on;
    let Stores { access, broadcasts, contacts, sends, .. } = stores;
    let send = &use_cases.send_template;
    Broadcasts {
        manage: manage_broadcasts(on),
        trial: wire!(
            TryBroadcast { store: broadcasts, ledger: sends, send, ids: deps.ids },
            audiences = audiences(on)
        ),
        export: wire!(ExportPeople { store: broadcasts, audit: access, members: access, deps }),
        lists: wire!(BroadcastLists { store: broadcasts, contacts, members: access, deps }),
        stops: wire!(MarketingStops { store: broadcasts, contacts, deps }),
    }
}

/// Builds the access to the people of audiences.
fn audiences(on: &Foundation) -> Audiences {
    wire!(Audiences {
        store: on.stores.broadcasts,
        lists: on.stores.broadcasts,
        directory: on.stores.contacts
    })
}

/// Builds writing, starting and stopping broadcasts.
pub fn manage_broadcasts(on: &Foundation) -> ManageBroadcasts {
    let Foundation { stores, vault, deps, .. } = on;
    let Stores { broadcasts, sends, workspaces, .. } = stores;
    let cursors = wire!(Cursors { vault });
    let usage = wire!(ShowUsage { store: workspaces, clock: deps.clock });
    let preview = wire!(
        PreviewBroadcast { stops: broadcasts, ledger: sends, limits: broadcasts, ids: deps.ids },
        audiences = audiences(on),
        usage
    );
    wire!(ManageBroadcasts { store: broadcasts, cursors, deps }, preview)
}

pub fn run_broadcasts(on: &Foundation, use_cases: &UseCases) -> RunBroadcasts {
    let Foundation { stores, deps, .. } = on;
    let Stores { broadcasts, sends, workspaces, .. } = stores;
    let send = &use_cases.send_template;
    wire!(
        RunBroadcasts {
            store: broadcasts,
            stops: broadcasts,
            limits: broadcasts,
            workspaces,
            ledger: sends,
            send,
            deps
        },
        audiences = audiences(on)
    )
}
