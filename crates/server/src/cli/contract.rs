//! Commands about the contract for customers' own systems.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What can be done with the contract.
#[derive(Debug, Subcommand)]
pub enum ContractCommand {
    /// Try whether a system keeps the contract, and say what to mend. Needs no settings and no database. Ends
    /// with 0 where nothing that must hold is broken, 1 where something is, 2 where it could not be tried.
    Check(CheckArgs),
}

/// A system to try.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// The base URL as it is registered; a system on this machine may use http.
    pub base: String,
    /// The file with the secret that the system issued; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub secret_file: PathBuf,
    /// A number of whom the system has a record, such as +9647701234567: it is looked up.
    #[arg(long)]
    pub phone: Option<String>,
    /// Also place orders, which are cancelled again, send a lead for --phone, and book a slot, which stays
    /// booked.
    #[arg(long, requires = "variant")]
    pub allow_writes: bool,
    /// What is ordered: a variant's id, or that of a product without variants. Three of it are enough.
    #[arg(long, value_name = "ID", requires = "allow_writes")]
    pub variant: Option<String>,
    /// An order that can no longer be cancelled, such as one that was shipped: its cancellation is tried.
    #[arg(long, value_name = "REFERENCE", requires = "allow_writes")]
    pub final_order: Option<String>,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
    /// Also write the report as `JUnit` XML to this file.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
