//! Commands about what is connected at the networks: accounts, pages, numbers, templates.

use std::path::Path;

use adapter_postgres::Stores;
use anyhow::{Context, bail};
use domain::{
    audit::Acting,
    channels::{AccountKind, ListedAccount, SetSendOnlyError, ports::AccountStore},
    clock::rfc3339_ms,
    ids::{AccountId, WorkspaceId},
    phone::PhoneNumber,
    templates::{ListedTemplate, TemplateFilter, Variable, validity_problem},
    workspaces::ports::WorkspaceStore,
};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{
    Unreadable, check_known, given, known,
    said::{Listing, Said},
};
use crate::{
    background::warn_of_validity,
    cli::{AccountCommand, NumberCommand, PageCommand, TemplateCommand},
    wiring::{Operations, UseCases},
};

/// Note on an account that can send nothing.
const MUTE: &str = "\nno number of this account can send: the network lists none that is registered and allowed to; \
                    register one in WhatsApp Manager, then run `account sync`";
const MOST_OF_TOKEN: u64 = 8_192;
const NOT_CONNECTED: &str = "the workspace has not connected this account";
const NO_PAGE: &str = "the workspace has not connected this page";
const ACCOUNT_KEYS: &[&str] =
    &["networkId", "connections", "standing", "connectedAt", "id", "standingDetail", "syncedAt"];
const NUMBER_KEYS: &[&str] = &["phone", "networkId", "account", "sendOnly", "id", "connectedAt"];
const TEMPLATE_KEYS: &[&str] =
    &["name", "language", "category", "status", "account", "problem", "networkId", "variables"];

pub async fn account(command: AccountCommand, use_cases: &UseCases, stores: &Stores) -> anyhow::Result<Said> {
    match command {
        AccountCommand::Connect { workspace, id, token } => {
            let (id, token) = (id.trim().to_owned(), read_token(token)?);
            let id_here =
                use_cases.connect_account.run(Acting::operator(workspace), id.clone(), token).await?;
            let read = read_account(workspace, id_here, use_cases).await;
            let (words, templates) = read.with_context(|| connected_unread(&id))?;
            let json = json!({ "id": id_here, "networkId": id, "templates": templates });
            Ok(Said::new(format!("account {id_here}\n{words}"), &json))
        }
        AccountCommand::Sync { workspace, id } => {
            let account = find_account(workspace, AccountKind::Business, &id, stores).await?;
            let (words, templates) = read_account(workspace, account, use_cases).await?;
            Ok(Said::new(words, &json!({ "id": account, "networkId": id, "templates": templates })))
        }
        AccountCommand::Disconnect { workspace, id } => {
            let account = find_account(workspace, AccountKind::Business, &id, stores).await?;
            disconnect(workspace, AccountKind::Business, account, use_cases).await
        }
        AccountCommand::List { workspace } => {
            Ok(accounts(workspace, AccountKind::Business, stores).await?.all())
        }
        AccountCommand::Show { workspace, id } => {
            find_account(workspace, AccountKind::Business, &id, stores).await?;
            let listing = accounts(workspace, AccountKind::Business, stores).await?;
            listing.one(&["networkId"], &id).context(NOT_CONNECTED)
        }
    }
}

pub async fn page(command: PageCommand, use_cases: &UseCases, stores: &Stores) -> anyhow::Result<Said> {
    match command {
        PageCommand::Connect { workspace, token } => {
            let page = use_cases.connect_page.run(Acting::operator(workspace), read_token(token)?).await?;
            let name = page.name.as_ref().map(|name| format!("  {name}")).unwrap_or_default();
            let instagram = page.instagram_network_id.as_ref();
            let line = instagram.map(|id| format!("\ninstagram {id}")).unwrap_or_default();
            let json = json!({ "networkId": page.network_id, "name": page.name, "instagramId": instagram });
            Ok(Said::new(format!("page {}{name}{line}", page.network_id), &json))
        }
        PageCommand::Disconnect { workspace, id } => {
            let account = find_account(workspace, AccountKind::Page, &id, stores).await?;
            disconnect(workspace, AccountKind::Page, account, use_cases).await
        }
        PageCommand::List { workspace } => Ok(accounts(workspace, AccountKind::Page, stores).await?.all()),
        PageCommand::Show { workspace, id } => {
            find_account(workspace, AccountKind::Page, &id, stores).await?;
            let listing = accounts(workspace, AccountKind::Page, stores).await?;
            listing.one(&["networkId"], &id).context(NO_PAGE)
        }
    }
}

async fn accounts(workspace: WorkspaceId, kind: AccountKind, stores: &Stores) -> anyhow::Result<Listing> {
    known(workspace, stores).await?;
    let listed = AccountStore::accounts(&*stores.channels, workspace).await?;
    let rows = listed.iter().filter(|account| account.kind == kind).map(account_row);
    Ok(Listing::new(ACCOUNT_KEYS, 4, rows.collect()))
}

fn account_row(account: &ListedAccount) -> Vec<Value> {
    let ListedAccount { id, network_id, connected_at, templates_synced_at, standing, connections, .. } =
        account;
    let connections = connections.iter().map(|connection| {
        let name = connection.phone.as_ref().map_or(connection.network_id.as_str(), |phone| phone.as_str());
        format!("{} {name}", connection.kind.as_str())
    });
    vec![
        json!(network_id),
        json!(connections.collect::<Vec<_>>()),
        json!(standing.as_ref().map_or("good", |standing| standing.state.as_str())),
        json!(rfc3339_ms(*connected_at)),
        json!(id),
        json!(standing.as_ref().and_then(|standing| standing.detail.clone())),
        json!(templates_synced_at.map(rfc3339_ms)),
    ]
}

/// Finds the account or page with this id at the network. One of the other kind is refused by its kind: the
/// network would be asked for what it does not have.
async fn find_account(
    workspace: WorkspaceId,
    kind: AccountKind,
    id: &str,
    stores: &Stores,
) -> anyhow::Result<AccountId> {
    known(workspace, stores).await?;
    let listed = AccountStore::accounts(&*stores.channels, workspace).await?;
    let found = listed.iter().find(|account| account.network_id == id.trim());
    match found {
        Some(account) if account.kind == kind => Ok(account.id),
        Some(_) if kind == AccountKind::Business => bail!("{NOT_CONNECTED}: it is a page; see `page --help`"),
        Some(_) => bail!("{NO_PAGE}: it is a business account; see `account --help`"),
        None if kind == AccountKind::Business => bail!(NOT_CONNECTED),
        None => bail!(NO_PAGE),
    }
}

async fn disconnect(
    workspace: WorkspaceId,
    kind: AccountKind,
    account: AccountId,
    use_cases: &UseCases,
) -> anyhow::Result<Said> {
    if !use_cases.manage_accounts.disconnect(Acting::operator(workspace), kind, account).await? {
        bail!(NOT_CONNECTED);
    }
    Ok("disconnected".into())
}

/// Returns the note on an account that was connected but could not be read.
fn connected_unread(network_id: &str) -> String {
    format!(
        "the account is connected, but its numbers and templates could not be read; once that is mended, run \
         `account sync` with `--id {network_id}`"
    )
}

/// Reads an account; returns what was read, in words, and the number of templates.
async fn read_account(
    workspace: WorkspaceId,
    account: AccountId,
    use_cases: &UseCases,
) -> anyhow::Result<(String, usize)> {
    let report = use_cases.sync_account.run_by(Acting::operator(workspace), account).await?;
    let report = report.context(NOT_CONNECTED)?;
    warn_of_validity(&report);
    let connected = use_cases.sync_account.accounts.numbers(workspace).await?;
    let mute = if connected.iter().any(|number| number.account == account) { "" } else { MUTE };
    Ok((format!("templates: {}{mute}", report.templates), report.templates))
}

fn read_token(given: String) -> anyhow::Result<SecretString> {
    let token = if given == given::STDIN {
        let read = given::secret(Path::new(given::STDIN), MOST_OF_TOKEN);
        read.with_context(|| Unreadable::new("the token cannot be read"))?
    } else {
        given
    };
    if token.trim().is_empty() {
        bail!("the token is empty");
    }
    Ok(SecretString::from(token.trim()))
}

pub async fn number(command: NumberCommand, operations: &Operations) -> anyhow::Result<Said> {
    match command {
        NumberCommand::List { workspace } => Ok(numbers(workspace, operations).await?.all()),
        NumberCommand::Show { workspace, number } => {
            let listing = numbers(workspace, operations).await?;
            let known = WorkspaceStore::find(&*operations.stores.workspaces, workspace).await?;
            let read = known.and_then(|known| PhoneNumber::parse_known(&number, known.region).ok());
            let shown = listing.one(&["phone", "networkId", "id"], &number);
            let shown = shown.or_else(|| listing.one(&["phone"], read?.as_str()));
            shown.context("there is no such connected number")
        }
        NumberCommand::SendOnly { workspace, number, off } => {
            match operations.set_send_only.run(Acting::operator(workspace), &number, !off).await {
                Err(SetSendOnlyError::Phone(error)) => bail!(Unreadable::new(error.to_string())),
                set => set?,
            }
            Ok(if off { "the number is an ordinary one" } else { "the number is send-only" }.into())
        }
    }
}

async fn numbers(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Listing> {
    check_known(workspace, operations).await?;
    let numbers = operations.stores.channels.numbers(workspace).await?;
    let rows = numbers.iter().map(|number| {
        vec![
            json!(number.phone.as_str()),
            json!(number.network_id),
            json!(number.account_network_id),
            json!(number.send_only),
            json!(number.id),
            json!(rfc3339_ms(number.connected_at)),
        ]
    });
    Ok(Listing::new(NUMBER_KEYS, 4, rows.collect()))
}

pub async fn template(command: TemplateCommand, operations: &Operations) -> anyhow::Result<Said> {
    let (TemplateCommand::List { workspace } | TemplateCommand::Show { workspace, .. }) = &command;
    check_known(*workspace, operations).await?;
    let listed = operations.list_templates.run(*workspace, TemplateFilter::default()).await?;
    match command {
        TemplateCommand::List { .. } => {
            Ok(Listing::new(TEMPLATE_KEYS, 6, listed.iter().map(template_row).collect()).all())
        }
        TemplateCommand::Show { template: name, language, .. } => {
            let fits = |listed: &&ListedTemplate| {
                let of = &listed.template;
                of.name == name && language.as_ref().is_none_or(|language| of.is_in(language))
            };
            let rows: Vec<Vec<Value>> = listed.iter().filter(fits).map(template_row).collect();
            shown_template(&Listing::new(TEMPLATE_KEYS, TEMPLATE_KEYS.len(), rows), &name, language.is_some())
        }
    }
}

/// Renders a template in one language, or in all languages; a script gets rows for all languages however many
/// there are.
fn shown_template(listing: &Listing, name: &str, in_one_language: bool) -> anyhow::Result<Said> {
    let one = listing.one(&["name"], name).context("the workspace has no such template")?;
    Ok(match listing.len() {
        _ if in_one_language => one,
        1 => Said::new(one.printed(false), &listing.json()),
        _ => listing.all(),
    })
}

fn template_row(listed: &ListedTemplate) -> Vec<Value> {
    let template = &listed.template;
    let problem = validity_problem(template).or_else(|| template.rejection_reason.clone());
    let variables = template.variables().into_iter().map(|Variable { label, .. }| label);
    vec![
        json!(template.name),
        json!(template.language),
        json!(template.category),
        json!(template.status.as_str()),
        json!(template.account_network_id),
        json!(problem),
        json!(template.network_id),
        json!(variables.collect::<Vec<_>>()),
    ]
}
