//! Commands about groups of members.

use clap::Subcommand;
use domain::ids::WorkspaceId;

use super::id::id;

/// What can be done with groups. Owners make and fill them on the dashboard.
#[derive(Debug, Subcommand)]
pub enum GroupCommand {
    /// List the groups with who is in them, by name.
    List {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Show one of them.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The group's id or name.
        group: String,
    },
}
