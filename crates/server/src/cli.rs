//! The command line.

mod assistant;
mod contacts;
mod contract;
mod master_key;
mod quarantine;
mod system;
mod webhook;

use std::path::PathBuf;

use adapter_assistant::Dialect;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::{
    access::{
        Scope,
        members::{EmailAddress, Role},
    },
    ids::{ApiKeyId, WorkspaceId},
    phone::Region,
};
use secrecy::SecretString;
use url::Url;

pub use self::{
    assistant::AssistantCommand,
    contacts::{ContactsCommand, ImportArgs},
    contract::{CheckArgs, ContractCommand},
    master_key::MasterKeyCommand,
    quarantine::QuarantineCommand,
    system::SystemCommand,
    webhook::{AddressArgs, LogArgs, WebhookCommand},
};

/// Connects a workspace's customer conversations to outside systems.
///
/// Settings are read from MESSAGING_* variables and, where named, from a TOML file; `settings` lists them.
/// To look around without setting anything up: `messaging-service sandbox`.
#[derive(Debug, Parser)]
#[command(name = "messaging-service", version)]
pub struct Cli {
    /// A TOML file with settings; the environment wins over it.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
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
    Sandbox(SandboxArgs),
    /// Workspaces and their plans.
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// People who sign in to the dashboard.
    #[command(subcommand)]
    Member(MemberCommand),
    /// Business accounts at the network.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Pages, with their Instagram accounts.
    #[command(subcommand)]
    Page(PageCommand),
    /// People that a workspace knows.
    #[command(subcommand)]
    Contacts(ContactsCommand),
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

/// Options of the sandbox.
#[derive(Debug, Clone, Args)]
pub struct SandboxArgs {
    /// Port of the API; without it 8080, or any free one where that is taken.
    #[arg(long)]
    pub port: Option<u16>,
    /// Also deliver every event to this address, which may be on this machine. Can be given again.
    #[arg(long, value_name = "URL")]
    pub webhook: Vec<Url>,
    /// Connect the system at this base instead of the reference shop; it may be on this machine.
    #[arg(long, value_name = "URL", requires = "system_secret")]
    pub system: Option<String>,
    /// The secret that this system issued.
    #[arg(long, value_name = "SECRET", requires = "system")]
    pub system_secret: Option<SecretString>,
    /// Let the assistant be asked at this server of a language model instead of the stand-in, such as
    /// `http://127.0.0.1:11434/v1`.
    #[arg(long, value_name = "URL")]
    pub model: Option<Url>,
    /// Which of that server's models.
    #[arg(long, value_name = "NAME", default_value = "default", requires = "model")]
    pub model_name: String,
    /// The form that this server speaks: openai, anthropic or gemini.
    #[arg(long, value_name = "DIALECT", default_value = "openai", requires = "model", value_parser = dialect)]
    pub model_dialect: Dialect,
    /// The file that holds the key of that server.
    #[arg(long, value_name = "FILE", requires = "model")]
    pub model_key_file: Option<PathBuf>,
    /// Whether the assistant answers: `on` unless `--json` is given.
    #[arg(long, value_enum)]
    pub assistant: Option<AssistantChoice>,
    /// When ready, print one line of JSON for scripts instead of text for people.
    #[arg(long)]
    pub json: bool,
    /// Send a notice and a one-time code, chat with the shop up to an order, wait for the events, print all of it, and end.
    #[arg(long, conflicts_with = "json")]
    pub demo: bool,
}

/// Whether the assistant answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AssistantChoice {
    /// It does not.
    Off,
    /// Only the customer of the examples, and nothing is ordered, booked or cancelled.
    Test,
    /// It answers.
    On,
}

fn dialect(text: &str) -> Result<Dialect, String> {
    let known = Dialect::ALL.map(Dialect::as_str).join(", ");
    Dialect::read(text).ok_or_else(|| format!("must be one of: {known}"))
}

impl SandboxArgs {
    /// Whether the assistant answers: scripts are surprised by answers that they did not ask for.
    pub fn assistant(&self) -> AssistantChoice {
        let usual = if self.json { AssistantChoice::Off } else { AssistantChoice::On };
        self.assistant.unwrap_or(usual)
    }
}

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
        owner_email: String,
        /// The language its templates default to.
        #[arg(long, default_value = "ar")]
        locale: String,
        /// The country whose code a number without one gets.
        #[arg(long, default_value_t = Region::default())]
        region: Region,
    },
    /// Set what a workspace may send.
    Plan {
        /// The workspace.
        workspace: WorkspaceId,
        /// How many customers may be active in a calendar month (UTC); without it, as many as before.
        #[arg(long)]
        limit: Option<u32>,
        /// Any number of customers may be active.
        #[arg(long, conflicts_with = "limit")]
        unlimited: bool,
        /// Pause the subscription: nothing is sent. Without it the subscription goes on.
        #[arg(long)]
        paused: bool,
    },
}

/// What can be done with members.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// Print a link that works once, for a week, with which somebody becomes a member.
    Invite {
        /// The workspace.
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
        workspace: WorkspaceId,
        /// Their e-mail address.
        #[arg(long)]
        email: EmailAddress,
        /// Rid them of their second factor as well: for who has lost both.
        #[arg(long)]
        drop_second_factor: bool,
    },
    /// List the members.
    List {
        /// The workspace.
        workspace: WorkspaceId,
    },
}

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Connect a business account and read its numbers and templates. Again: replace its token.
    Connect {
        /// The workspace.
        workspace: WorkspaceId,
        /// The account's id at the network.
        #[arg(long)]
        id: String,
        /// What opens the account; `-` reads it from standard input, where no process list shows it.
        #[arg(long, default_value = "-")]
        token: String,
    },
    /// Disconnect a business account: its token is destroyed, its numbers send and receive nothing.
    Disconnect {
        /// The workspace.
        workspace: WorkspaceId,
        /// The account's id at the network.
        #[arg(long)]
        id: String,
    },
    /// Read the account's numbers and templates from the network now.
    Sync {
        /// The workspace.
        workspace: WorkspaceId,
        /// The account's id at the network.
        #[arg(long)]
        id: String,
    },
}

/// What can be done with pages.
#[derive(Debug, Subcommand)]
pub enum PageCommand {
    /// Connect a page and the Instagram account that is linked to it. Again: replace its token.
    Connect {
        /// The workspace.
        workspace: WorkspaceId,
        /// What opens the page; `-` reads it from standard input, where no process list shows it.
        #[arg(long, default_value = "-")]
        token: String,
    },
    /// Disconnect a page and its Instagram account: their token is destroyed, they send and receive nothing.
    Disconnect {
        /// The workspace.
        workspace: WorkspaceId,
        /// The page's id at the network.
        #[arg(long)]
        id: String,
    },
}

/// What can be done with numbers.
#[derive(Debug, Subcommand)]
pub enum NumberCommand {
    /// List the connected numbers.
    List {
        /// The workspace.
        workspace: WorkspaceId,
    },
    /// Keep nothing of what is sent from a number, and open no conversation for what is written to it.
    SendOnly {
        /// The workspace.
        workspace: WorkspaceId,
        /// The number, in any spelling.
        number: String,
        /// Back to an ordinary number.
        #[arg(long)]
        off: bool,
    },
}

/// What can be done with templates.
#[derive(Debug, Subcommand)]
pub enum TemplateCommand {
    /// List the templates with their state, and what is wrong with them.
    List {
        /// The workspace.
        workspace: WorkspaceId,
    },
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; prints it, once.
    Create {
        /// The workspace.
        workspace: WorkspaceId,
        /// What the key is for.
        #[arg(long)]
        label: String,
        /// What it opens: contacts:read, contacts:write, conversations:read, messages:send. Can be given again.
        #[arg(long = "scope", required = true)]
        scopes: Vec<Scope>,
    },
    /// Revoke a key, at once.
    Revoke {
        /// The workspace.
        workspace: WorkspaceId,
        /// The key's id.
        key: ApiKeyId,
    },
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
