//! Commands about the system of a workspace's own.

use std::path::PathBuf;

use clap::Subcommand;
use domain::{
    ids::WorkspaceId,
    systems::{CallResult, Route},
};

use super::id::id;

/// What can be done with it.
#[derive(Debug, Subcommand)]
pub enum SystemCommand {
    /// Connect a system in place of the one before; it is asked to introduce itself first.
    Connect {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The https address that the contract's paths are appended to.
        base: String,
        /// The file with the secret that the system issued; `-` reads standard input.
        #[arg(long, value_name = "FILE")]
        secret_file: PathBuf,
    },
    /// List the systems that are connected, of all workspaces.
    List,
    /// Show the connected system and how its connection stands.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Ask the system to introduce itself again.
    Verify {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Disconnect the system; its secret is forgotten.
    Disconnect {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// List how calls to the system went, newest first.
    Calls {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Only calls of this route, such as "GET /products".
        #[arg(long, value_parser = route)]
        route: Option<Route>,
        /// Only calls with this result, such as refused.
        #[arg(long, value_parser = result)]
        result: Option<CallResult>,
        /// How many, 1 to 100.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100))]
        limit: u64,
        /// Where the page before ended, as its last line said.
        #[arg(long)]
        cursor: Option<String>,
    },
}

fn route(text: &str) -> Result<Route, String> {
    let known = Route::ALL.map(Route::template).join(", ");
    Route::read(text).ok_or_else(|| format!("must be one of: {known}"))
}

fn result(text: &str) -> Result<CallResult, String> {
    let known = CallResult::ALL.iter().map(|result| result.as_str()).collect::<Vec<_>>().join(", ");
    CallResult::read(text).ok_or_else(|| format!("must be one of: {known}"))
}
