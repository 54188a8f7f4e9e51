//! Commands about a workspace's assistant.

use clap::Subcommand;
use domain::{assistant::AssistantMode, ids::WorkspaceId};

/// What can be done with it.
#[derive(Debug, Subcommand)]
pub enum AssistantCommand {
    /// Show whether it answers, and what it is set to.
    Show {
        /// The workspace.
        workspace: WorkspaceId,
    },
    /// Set whether it answers and what a day may take. What is not said stays as it is.
    Set {
        /// The workspace.
        workspace: WorkspaceId,
        /// off; test, where it answers the numbers alone that the owner lists; on.
        #[arg(long, value_parser = mode, required_unless_present = "daily_tokens")]
        mode: Option<AssistantMode>,
        /// Tokens of the language models that a day (UTC) may take.
        #[arg(long)]
        daily_tokens: Option<u64>,
    },
    /// List what the days of the last ninety took, newest first.
    Usage {
        /// The workspace.
        workspace: WorkspaceId,
    },
}

fn mode(text: &str) -> Result<AssistantMode, String> {
    let known = AssistantMode::ALL.map(AssistantMode::as_str).join(", ");
    AssistantMode::read(text).ok_or_else(|| format!("must be one of: {known}"))
}
