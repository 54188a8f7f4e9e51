//! The command line.

mod assistant;
mod broadcast;
mod contacts;
mod contract;
mod destroys;
mod group;
mod id;
mod key;
mod master_key;
mod member;
mod network;
mod quarantine;
#[cfg(feature = "sandbox")]
mod sandbox;
mod system;
mod webhook;
mod workspace;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use domain::ids::WorkspaceId;

use self::id::id;
#[cfg(feature = "sandbox")]
pub use self::sandbox::{AssistantChoice, SandboxArgs};
pub use self::{
    assistant::{
        AssistantChanges, AssistantCommand, ChosenGroup, DailyBudget, ModelKeyCommand, SayArgs, Tools,
        WordingsFile,
    },
    broadcast::{BroadcastArgs, BroadcastCommand, CreateArgs},
    contacts::{ContactsCommand, ImportArgs},
    contract::{CheckArgs, ContractCommand},
    group::GroupCommand,
    key::KeyCommand,
    master_key::MasterKeyCommand,
    member::{MemberCommand, NamedMember},
    network::{AccountCommand, NumberCommand, PageCommand, TemplateCommand},
    quarantine::QuarantineCommand,
    system::SystemCommand,
    webhook::{AddressArgs, LogArgs, WebhookCommand},
    workspace::WorkspaceCommand,
};

/// Exit codes, shown under the help.
const ENDS: &str = "\
Exit codes:
  0  done
  1  it could not be done, or what was checked does not hold; standard error says why in one line
  2  what was given cannot be read: an argument, a file, standard input; of `contract check` also: the system could
     not be tried";

/// Connects a workspace's customer conversations to outside systems.
///
/// Settings are read from MESSAGING_* variables and, where named, from a TOML file; `settings` lists them.
#[cfg_attr(
    feature = "sandbox",
    doc = "To look around without setting anything up: `messaging-service sandbox`."
)]
#[derive(Debug, Parser)]
#[command(name = "messaging-service", version, after_help = ENDS)]
pub struct Cli {
    /// A TOML file with settings; the environment wins over it.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON for a script instead of text for a person.
    #[arg(long, global = true)]
    pub json: bool,
    /// Do not ask before something is destroyed. Only a terminal is asked.
    #[arg(long, short, global = true)]
    pub yes: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service: API, webhook dispatcher and worker, or the roles that are configured.
    Serve,
    /// Bring the database's schema up to date. Safe to run from several machines at once.
    Migrate(MigrateArgs),
    /// Run everything on this machine, with a demo workspace and a stand-in for the network.
    #[cfg(feature = "sandbox")]
    Sandbox(SandboxArgs),
    /// Look at everything between here and a delivered message: settings, database, keys, files, mail, clock,
    /// callback, and each account with its token, numbers and templates. Says what to mend, and ends with 1
    /// where there is anything.
    Doctor {
        /// Only the accounts of this workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: Option<WorkspaceId>,
    },
    /// Ask the service that runs here with the same settings whether it is alive; ends with 1 where it is
    /// not. For the health check of a container.
    Health {
        /// Also whether it can serve: the database answers.
        #[arg(long)]
        ready: bool,
    },
    /// Workspaces and their plans.
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// People who sign in to the dashboard.
    #[command(subcommand)]
    Member(MemberCommand),
    /// Groups of members, that conversations are given to.
    #[command(subcommand)]
    Group(GroupCommand),
    /// Business accounts at the network.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Pages, with their Instagram accounts.
    #[command(subcommand)]
    Page(PageCommand),
    /// People that a workspace knows.
    #[command(subcommand)]
    Contacts(ContactsCommand),
    /// Approved templates to many people.
    #[command(subcommand)]
    Broadcast(BroadcastCommand),
    /// Connected numbers.
    #[command(subcommand)]
    Number(NumberCommand),
    /// Templates as they were last read from the network.
    #[command(subcommand)]
    Template(TemplateCommand),
    /// API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Webhook addresses, and what was delivered to them.
    #[command(subcommand)]
    Webhook(Webhook),
    /// What the network posted that could not be read or handled.
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// The system of a workspace's own, and how calls to it go.
    #[command(subcommand)]
    System(SystemCommand),
    /// A workspace's assistant: whether it answers, and what it takes.
    #[command(subcommand)]
    Assistant(AssistantCommand),
    /// Customers' own systems, and the contract that they keep.
    #[command(subcommand)]
    Contract(ContractCommand),
    /// The master key, and changing it.
    #[command(subcommand)]
    MasterKey(MasterKeyCommand),
    /// Print what a shell needs to complete the commands: bash, zsh, fish, elvish or powershell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual's pages, one for each command, into a folder.
    Manual {
        /// The folder, which is made where it is missing.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// List every setting with its default.
    Settings {
        /// As the page of the documentation.
        #[arg(long)]
        markdown: bool,
    },
}

/// How the schema is brought up to date.
#[derive(Debug, Clone, Args)]
pub struct MigrateArgs {
    /// Also spread the tables of workspaces over the workers of a Citus cluster. The address must lead to its
    /// coordinator. Again: what is not yet.
    #[arg(long)]
    pub distribute: bool,
    /// In how many shards; without it, as many as the cluster says (`citus.shard_count`).
    #[arg(long, requires = "distribute", value_parser = clap::value_parser!(u16).range(1..=32_000))]
    pub shards: Option<u16>,
}

/// Webhooks on both sides of the wire.
#[derive(Debug, Subcommand)]
pub enum Webhook {
    /// Of the addresses.
    #[command(flatten)]
    Address(WebhookCommand),
    /// Say whether a delivery's signature holds and, if not, why. Needs no settings and no database.
    Verify(VerifyArgs),
}

/// A delivery as a receiver has it.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The address's secret, `whsec_…`; `-` reads it from standard input, where no process list shows it.
    #[arg(long)]
    pub secret: String,
    /// The value of X-Service-Signature.
    #[arg(long, required_unless_present = "webhook_signature")]
    pub header: Option<String>,
    /// Instead: the value of webhook-signature, where an address gets the Standard Webhooks headers.
    #[arg(long, conflicts_with = "header", requires_all = ["webhook_id", "webhook_timestamp"])]
    pub webhook_signature: Option<String>,
    /// With it: the value of webhook-id.
    #[arg(long, requires = "webhook_signature")]
    pub webhook_id: Option<String>,
    /// With it: the value of webhook-timestamp.
    #[arg(long, requires = "webhook_signature")]
    pub webhook_timestamp: Option<String>,
    /// The file with the raw body, or the JSON itself; `-` reads it from standard input.
    #[arg(long, value_name = "FILE")]
    pub body: String,
    /// The time to judge it at, in unix seconds; without it, now.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub at: Option<i64>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Cli;

    #[test]
    fn an_id_may_have_blanks_around_it() {
        let id = " 0197F3C2-7c1a-7e55-9d0e-000000000000\n";
        for words in [
            &["doctor", id][..],
            &["workspace", "show", id],
            &["workspace", "list", "--after", id],
            &["key", "revoke", id, id],
            &["webhook", "resend-progress", id, id],
            &["broadcast", "start", id, id],
            &["broadcast", "create", id, "--author", id, "--name", "x", "--template", "x", "--list", id],
            &["assistant", "set", id, "--group", id],
            &["template", "show", id, "x"],
        ] {
            let whole = ["messaging-service"].iter().chain(words);
            assert!(Cli::try_parse_from(whole).is_ok(), "{words:?}");
        }
        for id in ["", " ", "0197f3c2 -7c1a-7e55-9d0e-000000000000"] {
            assert!(Cli::try_parse_from(["messaging-service", "doctor", id]).is_err(), "{id:?}");
        }
    }
}
