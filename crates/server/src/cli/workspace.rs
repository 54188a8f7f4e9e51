//! Commands about workspaces.

use clap::Subcommand;
use domain::{email::EmailAddress, ids::WorkspaceId, phone::Region, zone::Zone};

use super::id::id;

/// What can be done with workspaces.
#[derive(Debug, Subcommand)]
pub enum WorkspaceCommand {
    /// Make a workspace with its owner; prints its id.
    Create {
        /// Its name.
        #[arg(long)]
        name: String,
        /// The owner's e-mail address.
        #[arg(long)]
        owner_email: EmailAddress,
        /// The language its templates default to.
        #[arg(long, default_value = "ar")]
        locale: String,
        /// The country whose code a number without one gets.
        #[arg(long, default_value_t = Region::default())]
        region: Region,
        /// Where its clock is, by the name that the IANA gives it.
        #[arg(long, default_value_t = Zone::default(), value_parser = Zone::named)]
        time_zone: Zone,
    },
    /// List the workspaces with their plans, the oldest first.
    List {
        /// How many, 1 to 1000.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Only those after this one.
        #[arg(long, value_name = "WORKSPACE", value_parser = id::<WorkspaceId>)]
        after: Option<WorkspaceId>,
    },
    /// Show a workspace with its plan, and how much of it this month has used.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Set what a workspace may send. What is not named stays as it is; without options the plan is only
    /// shown.
    Plan {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// How many customers may be active in a calendar month (UTC).
        #[arg(long)]
        limit: Option<u32>,
        /// Any number of customers may be active.
        #[arg(long, conflicts_with = "limit")]
        unlimited: bool,
        /// Pause the subscription: nothing is sent.
        #[arg(long)]
        paused: bool,
        /// Let a paused subscription go on.
        #[arg(long, conflicts_with = "paused")]
        active: bool,
    },
}
