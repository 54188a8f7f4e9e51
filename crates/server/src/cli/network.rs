//! Commands about what is connected at the networks.

use clap::Subcommand;
use domain::ids::WorkspaceId;

use super::id::id;

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Connect a business account and read its numbers and templates. Again: replace its token.
    Connect {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
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
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The account's id at the network.
        #[arg(long)]
        id: String,
    },
    /// Read the account's numbers and templates from the network now.
    Sync {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The account's id at the network.
        #[arg(long)]
        id: String,
    },
    /// List the connected accounts.
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
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// What opens the page; `-` reads it from standard input, where no process list shows it.
        #[arg(long, default_value = "-")]
        token: String,
    },
    /// Disconnect a page and its Instagram account: their token is destroyed, they send and receive nothing.
    Disconnect {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The page's id at the network.
        #[arg(long)]
        id: String,
    },
    /// List the connected pages.
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
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Show one of them.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// The number in any spelling, or its id at the network.
        number: String,
    },
    /// Keep nothing of what is sent from a number, and open no conversation for what is written to it.
    SendOnly {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
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
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
    },
    /// Show a template with its variables.
    Show {
        /// The workspace.
        #[arg(value_parser = id::<WorkspaceId>)]
        workspace: WorkspaceId,
        /// Its name.
        template: String,
        /// Its language, such as `en_US` or `en-us`; without it, all that there are.
        #[arg(long)]
        language: Option<String>,
    },
}
