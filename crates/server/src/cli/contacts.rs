//! Commands about the people that a workspace knows.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use contact_file::Encoding;
use domain::ids::WorkspaceId;

use super::id::id;

/// What can be done with contacts.
#[derive(Debug, Subcommand)]
pub enum ContactsCommand {
    /// Add the people of a list by their numbers; prints how many were created, known and refused. Again:
    /// adds nobody twice.
    Import(ImportArgs),
}

/// A list of people.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The workspace.
    #[arg(value_parser = id::<WorkspaceId>)]
    pub workspace: WorkspaceId,
    /// The file: separated values, a workbook (.xlsx) or vCards, with a header or with the number first and
    /// the name second; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The encoding of a file that does not tell its own: utf-8 or windows-1256.
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<Encoding>,
    /// Write the line and reason of each refused row here, not to standard error.
    #[arg(long, value_name = "FILE")]
    pub refused: Option<PathBuf>,
    /// Write nothing: only say what an import would find. A number that stands twice may be counted twice.
    #[arg(long)]
    pub dry_run: bool,
}
