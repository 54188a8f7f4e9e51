//! Commands about members.

use std::fmt;

use clap::{Args, Subcommand};
use domain::{
    access::members::Role,
    email::{EmailAddress, InvalidEmail},
    ids::WorkspaceId,
};

use super::id::id;

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
    /// Print a link that works once, for an hour, with which a member chooses another password and is signed
    /// out everywhere. A second factor stays in force.
    Reset {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Whom it is for.
        #[command(flatten)]
        member: NamedMember,
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
        /// Whom to show.
        #[command(flatten)]
        member: NamedMember,
    },
}

/// A member, by either of two ways to name one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct NamedMember {
    /// Their id or e-mail address.
    member: Option<String>,
    /// Their e-mail address.
    #[arg(long, value_parser = known_address)]
    email: Option<EmailAddress>,
}

impl fmt::Display for NamedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.email {
            Some(email) => f.write_str(email.as_str()),
            None => f.write_str(self.member.as_deref().unwrap_or_default().trim()),
        }
    }
}

/// Parses an address leniently: a member's was accepted by the rules of its day.
fn known_address(written: &str) -> Result<EmailAddress, InvalidEmail> {
    EmailAddress::presented(written).ok_or(InvalidEmail)
}
