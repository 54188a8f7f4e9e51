//! Operator commands: the same use cases that the service runs, one call each.

mod assistant;
mod contacts;
pub mod contract;
mod given;
pub mod master_key;
mod migrate;
mod quarantine;
mod system;
pub mod verify;
mod webhook;

use std::io::Read;

use adapter_postgres::Stores;
use anyhow::{Context, bail};
use domain::{
    access::{
        audit::Acting,
        members::{InviteError, Way, ports::MemberStore},
    },
    channels::{AccountKind, ports::AccountStore},
    clock::rfc3339_ms,
    ids::{AccountId, WorkspaceId},
    templates::{TemplateFilter, validity_problem},
    workspaces::{NewWorkspace, WantedLimit, ports::WorkspaceStore},
};
use secrecy::SecretString;
use url::Url;

use crate::{
    background::warn_of_validity,
    cli::{
        AccountCommand, KeyCommand, MemberCommand, NumberCommand, PageCommand, TemplateCommand,
        WorkspaceCommand,
    },
    dashboard,
    wiring::{Operations, UseCases},
};

/// What is said of an account that can send nothing.
const MUTE: &str = "\nno number of this account can send: the network lists none that is registered and allowed to; \
                    register one in WhatsApp Manager, then run `account sync`";
const NOT_CONNECTED: &str = "the workspace has not connected this account";

pub use self::{
    assistant::run as assistant, contacts::contacts, migrate::migrate, quarantine::run as quarantine,
    system::run as system, webhook::run as webhook,
};

/// Workspaces and plans.
///
/// # Errors
/// In words for the operator.
pub async fn workspace(command: WorkspaceCommand, operations: &Operations) -> anyhow::Result<String> {
    match command {
        WorkspaceCommand::Create { name, owner_email, locale, region } => {
            let name = name.trim().to_owned();
            if name.is_empty() {
                bail!("a workspace needs a name");
            }
            let Ok(owner_email) = owner_email.parse() else {
                bail!("a workspace needs its owner's e-mail address");
            };
            let new = NewWorkspace { name, locale, region, owner_email };
            let (workspace, owner) = operations.create_workspace.run(new).await?;
            Ok(format!("workspace {}\nowner {owner}", workspace.id))
        }
        WorkspaceCommand::Plan { workspace, limit, unlimited, paused } => {
            let limit = match limit {
                Some(limit) => WantedLimit::AtMost(limit),
                None if unlimited => WantedLimit::None,
                None => WantedLimit::AsBefore,
            };
            let plan = operations.set_plan.run(Acting::operator(workspace), limit, paused).await?;
            let limit = plan.context("there is no such workspace")?.active_customer_limit;
            let limit =
                limit.map_or("unlimited".to_owned(), |limit| format!("{limit} active customers a month"));
            Ok(format!("plan: {limit}{}", if paused { ", paused" } else { "" }))
        }
    }
}

/// Members.
///
/// # Errors
/// In words for the operator.
pub async fn member(
    command: MemberCommand,
    operations: &Operations,
    public_url: &Url,
) -> anyhow::Result<String> {
    match command {
        MemberCommand::Invite { workspace, email, role } => {
            let invitations = dashboard::invitations(&operations.foundation, public_url.clone());
            let invited = match invitations.invite(Acting::operator(workspace), email, role).await {
                Err(error @ InviteError::AlreadyMember) => {
                    bail!("{error}; `member reset` has a link with which they choose another password")
                }
                invited => invited?,
            };
            let Way::Link(link) = invited.way else { bail!("the link went by mail") };
            Ok(format!(
                "invitation {}\n{link}\nIt works once, until {}.",
                invited.invitation.id,
                rfc3339_ms(invited.invitation.expires_at)
            ))
        }
        MemberCommand::Reset { workspace, email, drop_second_factor } => {
            check_known(workspace, operations).await?;
            let reset = dashboard::link_reset(&operations.foundation, public_url.clone());
            let linked = reset.run(workspace, &email, drop_second_factor).await?;
            Ok(format!("{}\nIt works once, until {}.", linked.link, rfc3339_ms(linked.expires_at)))
        }
        MemberCommand::List { workspace } => {
            check_known(workspace, operations).await?;
            let team = operations.stores.access.team(workspace).await?;
            let lines = team.iter().map(|member| {
                let state = if member.joined { "" } else { "  not joined" };
                format!("{}  {}  {}{state}", member.id, member.email, member.role.as_str())
            });
            Ok(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Accounts.
///
/// # Errors
/// In words for the operator.
pub async fn account(command: AccountCommand, use_cases: &UseCases) -> anyhow::Result<String> {
    match command {
        AccountCommand::Connect { workspace, id, token } => {
            let token = read_token(token)?;
            let id_here =
                use_cases.connect_account.run(Acting::operator(workspace), id.clone(), token).await?;
            Ok(format!("account {id_here}\n{}", read_account(workspace, id_here, use_cases).await?))
        }
        AccountCommand::Sync { workspace, id } => {
            let account = find_account(workspace, &id, use_cases).await?;
            read_account(workspace, account, use_cases).await
        }
        AccountCommand::Disconnect { workspace, id } => {
            let account = find_account(workspace, &id, use_cases).await?;
            disconnect(workspace, AccountKind::Business, account, use_cases).await
        }
    }
}

async fn find_account(workspace: WorkspaceId, id: &str, use_cases: &UseCases) -> anyhow::Result<AccountId> {
    let account = use_cases.sync_account.accounts.find_by_network_id(workspace, id).await?;
    Ok(account.context(NOT_CONNECTED)?.id)
}

async fn disconnect(
    workspace: WorkspaceId,
    kind: AccountKind,
    account: AccountId,
    use_cases: &UseCases,
) -> anyhow::Result<String> {
    if !use_cases.manage_accounts.disconnect(Acting::operator(workspace), kind, account).await? {
        bail!(NOT_CONNECTED);
    }
    Ok("disconnected".to_owned())
}

async fn read_account(
    workspace: WorkspaceId,
    account: AccountId,
    use_cases: &UseCases,
) -> anyhow::Result<String> {
    let report = use_cases.sync_account.run_by(Acting::operator(workspace), account).await?;
    let report = report.context(NOT_CONNECTED)?;
    warn_of_validity(&report);
    let connected = use_cases.sync_account.accounts.numbers(workspace).await?;
    let mute = if connected.iter().any(|number| number.account == account) { "" } else { MUTE };
    Ok(format!("templates: {}{mute}", report.templates))
}

/// Pages.
///
/// # Errors
/// In words for the operator.
pub async fn page(command: PageCommand, use_cases: &UseCases) -> anyhow::Result<String> {
    let (workspace, token) = match command {
        PageCommand::Connect { workspace, token } => (workspace, token),
        PageCommand::Disconnect { workspace, id } => {
            let account = find_account(workspace, &id, use_cases).await?;
            return disconnect(workspace, AccountKind::Page, account, use_cases).await;
        }
    };
    let page = use_cases.connect_page.run(Acting::operator(workspace), read_token(token)?).await?;
    let name = page.name.map(|name| format!("  {name}")).unwrap_or_default();
    let instagram = page.instagram_network_id.map(|id| format!("\ninstagram {id}")).unwrap_or_default();
    Ok(format!("page {}{name}{instagram}", page.network_id))
}

fn read_token(given: String) -> anyhow::Result<SecretString> {
    let token = if given == "-" { token_from_stdin()? } else { given };
    if token.trim().is_empty() {
        bail!("the token is empty");
    }
    Ok(SecretString::from(token.trim()))
}

fn token_from_stdin() -> anyhow::Result<String> {
    let mut token = String::new();
    std::io::stdin().take(8_192).read_to_string(&mut token).context("the token cannot be read")?;
    Ok(token)
}

/// Numbers.
///
/// # Errors
/// In words for the operator.
pub async fn number(command: NumberCommand, operations: &Operations) -> anyhow::Result<String> {
    match command {
        NumberCommand::List { workspace } => {
            check_known(workspace, operations).await?;
            let numbers = operations.stores.channels.numbers(workspace).await?;
            let lines = numbers.iter().map(|number| {
                let send_only = if number.send_only { "  send-only" } else { "" };
                let (phone, id, account) =
                    (number.phone.as_str(), &number.network_id, &number.account_network_id);
                format!("{phone}  id {id}  account {account}{send_only}")
            });
            Ok(lines.collect::<Vec<_>>().join("\n"))
        }
        NumberCommand::SendOnly { workspace, number, off } => {
            operations.set_send_only.run(Acting::operator(workspace), &number, !off).await?;
            Ok(if off { "the number is an ordinary one" } else { "the number is send-only" }.to_owned())
        }
    }
}

/// A list of nothing would hide a mistyped id.
async fn check_known(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<()> {
    known(workspace, &operations.stores).await.map(drop)
}

/// The workspace, where there is one of that id.
async fn known(workspace: WorkspaceId, stores: &Stores) -> anyhow::Result<WorkspaceId> {
    let found = WorkspaceStore::find(&*stores.workspaces, workspace).await?;
    found.context("there is no such workspace").map(|_| workspace)
}

/// Templates.
///
/// # Errors
/// In words for the operator.
pub async fn template(command: TemplateCommand, operations: &Operations) -> anyhow::Result<String> {
    let TemplateCommand::List { workspace } = command;
    check_known(workspace, operations).await?;
    let listed = operations.list_templates.run(workspace, TemplateFilter::default()).await?;
    let lines = listed.iter().map(|listed| {
        let template = &listed.template;
        let problem = validity_problem(template).or_else(|| template.rejection_reason.clone());
        let problem = problem.map(|problem| format!("  {problem}")).unwrap_or_default();
        let (name, language, status) = (&template.name, &template.language, template.status.as_str());
        format!(
            "{name}  {language}  {}  {status}  account {}{problem}",
            template.category, template.account_network_id
        )
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Keys.
///
/// # Errors
/// In words for the operator.
pub async fn key(command: KeyCommand, operations: &Operations) -> anyhow::Result<String> {
    match command {
        KeyCommand::Create { workspace, label, scopes } => {
            let issued = operations.issue_key.run(Acting::operator(workspace), &label, scopes).await?;
            Ok(format!("key {}\n{}\nIt is not shown again.", issued.id, issued.secret.reveal()))
        }
        KeyCommand::Revoke { workspace, key } => {
            if !operations.revoke_key.run(Acting::operator(workspace), key).await? {
                bail!("the workspace has no such key");
            }
            Ok("revoked".to_owned())
        }
    }
}
