//! Commands about the people that a workspace knows.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::ids::WorkspaceId;

use super::id;

/// What can be done with contacts.
#[derive(Debug, Subcommand)]
pub enum ContactsCommand {
    /// Add the people of a CSV file by their numbers; prints how many were created, known and refused. Again:
    /// adds nobody twice.
    Import(ImportArgs),
}

/// A list of people.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The workspace.
    #[arg(value_parser = id::<WorkspaceId>)]
    pub workspace: WorkspaceId,
    /// The file, in UTF-8, with a header or with the number first and the name second; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the line and reason of each refused row here, not to standard error.
    #[arg(long, value_name = "FILE")]
    pub refused: Option<PathBuf>,
    /// Write nothing: only say what an import would find. A number that stands twice may be counted twice.
    #[arg(long)]
    pub dry_run: bool,
}
