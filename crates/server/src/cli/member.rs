//! Commands about members.

use clap::Subcommand;
use domain::{
    access::members::{EmailAddress, InvalidEmail, Role},
    ids::WorkspaceId,
};

use super::id;

/// What can be done with members.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// Print a link that works once, for a week, with which somebody becomes a member.
    Invite {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Their e-mail address.
        #[arg(long)]
        email: EmailAddress,
        /// What a new member may: owner or agent.
        #[arg(long, default_value = "owner")]
        role: Role,
    },
    /// Print a link that works once, for an hour, with which a member chooses another password and is signed out
    /// everywhere. A second factor stays in force.
    Reset {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Their e-mail address.
        #[arg(long, value_parser = known_address)]
        email: EmailAddress,
        /// Rid them of their second factor as well: for who has lost both.
        #[arg(long)]
        drop_second_factor: bool,
    },
    /// List the members.
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
        /// Their id or e-mail address.
        member: String,
    },
}

/// Whoever has it was let in by the rules of their day.
fn known_address(written: &str) -> Result<EmailAddress, InvalidEmail> {
    EmailAddress::presented(written).ok_or(InvalidEmail)
}
