//! Webhook addresses and what was delivered to them.

use std::time::Duration;

use anyhow::{Context, bail};
use domain::{
    access::audit::Acting,
    clock::rfc3339_ms,
    paging::{AskedPage, PageLimit},
    webhooks::{
        AddressSettings, AddressState, Attempt, Delivery, DeliveryDetail, DeliveryFilter, EventType, Resend,
        ResendState, ResendWindow, WebhookAddress,
    },
};

use crate::{
    cli::{AddressArgs, LogArgs, WebhookCommand},
    wiring::Operations,
};

const NO_ADDRESS: &str = "the workspace has no such address";

/// Runs a command, and has the nodes told of what it made due.
///
/// # Errors
/// In words for the operator.
pub async fn run(command: WebhookCommand, operations: &Operations) -> anyhow::Result<String> {
    let said = match command {
        WebhookCommand::Deliveries(args) => deliveries(args, operations).await?,
        WebhookCommand::Delivery { workspace, delivery } => {
            let found = operations.read_deliveries.get(workspace, delivery).await?;
            detail(&found.context("the log has no such delivery")?)
        }
        WebhookCommand::Resend { workspace, delivery } => {
            operations.resend_deliveries.one(Acting::operator(workspace), delivery).await?;
            "it is on its way again".to_owned()
        }
        WebhookCommand::ResendWindow { of, since, until } => {
            let until = until.unwrap_or_else(|| operations.resend_deliveries.deps.clock.now());
            let window = ResendWindow { address: of.address, since, until };
            progress(&operations.resend_deliveries.window(Acting::operator(of.workspace), window).await?)
        }
        WebhookCommand::ResendProgress { workspace, id } => {
            let found = operations.resend_deliveries.progress(workspace, id).await?;
            progress(&found.context("the workspace has no such re-send")?)
        }
        command => address(command, operations).await?,
    };
    operations.told.tell(&operations.stores.database).await;
    Ok(said)
}

async fn address(command: WebhookCommand, operations: &Operations) -> anyhow::Result<String> {
    let addresses = &operations.manage_addresses;
    let line = |changed: Option<WebhookAddress>| changed.map(|address| line(&address)).context(NO_ADDRESS);
    match command {
        WebhookCommand::Add { workspace, url, events } => {
            let events = if events.is_empty() { EventType::SUBSCRIBABLE.to_vec() } else { events };
            let added =
                operations.register_address.run(Acting::operator(workspace), url.into(), events).await?;
            Ok(format!("address {}\n{}\nThe secret is not shown again.", added.id, added.secret.reveal()))
        }
        WebhookCommand::List { workspace } => {
            super::check_known(workspace, operations).await?;
            let listed = addresses.list(workspace).await?;
            Ok(listed.iter().map(self::line).collect::<Vec<_>>().join("\n"))
        }
        WebhookCommand::Ping(AddressArgs { workspace, address }) => {
            if !addresses.ping(Acting::operator(workspace), address).await? {
                bail!(NO_ADDRESS);
            }
            Ok("a ping is on its way".to_owned())
        }
        WebhookCommand::Subscribe { of, events } => {
            let wanted = AddressSettings { events: Some(events), standard_headers: None };
            line(Some(addresses.set(Acting::operator(of.workspace), of.address, wanted).await?))
        }
        WebhookCommand::Pause(of) => line(addresses.pause(Acting::operator(of.workspace), of.address).await?),
        WebhookCommand::Resume(of) => {
            line(addresses.resume(Acting::operator(of.workspace), of.address).await?)
        }
        WebhookCommand::Rotate { of, overlap_minutes } => {
            let overlap = Duration::from_secs(u64::from(overlap_minutes) * 60);
            let secret = addresses.rotate(Acting::operator(of.workspace), of.address, overlap).await?;
            Ok(format!("{}\nThe secret is not shown again.", secret.reveal()))
        }
        WebhookCommand::StandardHeaders { of, off } => {
            let wanted = AddressSettings { events: None, standard_headers: Some(!off) };
            line(Some(addresses.set(Acting::operator(of.workspace), of.address, wanted).await?))
        }
        WebhookCommand::Remove(of) => {
            if !addresses.delete(Acting::operator(of.workspace), of.address).await? {
                bail!(NO_ADDRESS);
            }
            Ok("removed".to_owned())
        }
        _ => bail!("this command is not about an address"),
    }
}

async fn deliveries(args: LogArgs, operations: &Operations) -> anyhow::Result<String> {
    let LogArgs { of, state, event, since, until, limit, cursor } = args;
    let filter = DeliveryFilter { address: of.address, state, event, since, until };
    let limit = PageLimit::new(limit).context("--limit must be from 1 to 100")?;
    operations.manage_addresses.get(of.workspace, of.address).await?.context(NO_ADDRESS)?;
    let asked = AskedPage { limit, cursor };
    let page = operations.read_deliveries.list(of.workspace, &filter, &asked).await?;
    let next = page.next.map(|cursor| format!("next: --cursor {cursor}"));
    Ok(page.rows.iter().map(summary).chain(next).collect::<Vec<_>>().join("\n"))
}

fn line(address: &WebhookAddress) -> String {
    let health = &address.health;
    let state = match health.state {
        AddressState::Enabled => "enabled".to_owned(),
        AddressState::Disabled => {
            format!("disabled: {}", health.disabled_reason.as_deref().unwrap_or_default())
        }
    };
    let events: Vec<&str> = address.events.iter().map(|event| event.as_str()).collect();
    let standard = if address.standard_headers { "  standard headers" } else { "" };
    let overlap =
        address.previous_secret_until.map(|until| format!("  two secrets until {}", rfc3339_ms(until)));
    format!(
        "{}  {}  {state}  {}{standard}{}",
        address.id,
        address.url,
        events.join(","),
        overlap.unwrap_or_default()
    )
}

fn summary(delivery: &Delivery) -> String {
    let next = delivery.next_attempt_at.map(|at| format!("  next {}", rfc3339_ms(at))).unwrap_or_default();
    format!(
        "{}  {}  {}  {}  attempts {}{next}",
        rfc3339_ms(delivery.created_at),
        delivery.id,
        delivery.event,
        delivery.state.as_str(),
        delivery.attempts
    )
}

fn detail(detail: &DeliveryDetail) -> String {
    let attempts = detail.attempts.iter().map(attempt);
    let body = String::from_utf8_lossy(&detail.body).into_owned();
    [summary(&detail.delivery)].into_iter().chain(attempts).chain([body]).collect::<Vec<_>>().join("\n")
}

fn attempt(attempt: &Attempt) -> String {
    let Attempt { number, started_at, duration_ms, status, failure, answer } = attempt;
    let status = status.map_or("no answer".to_owned(), |status| format!("status {status}"));
    let failure = failure.as_ref().map(|words| format!("  {words}")).unwrap_or_default();
    let answer = answer.as_ref().map(|bytes| format!("  {:?}", String::from_utf8_lossy(bytes)));
    let at = rfc3339_ms(*started_at);
    format!("attempt {number}  {at}  {duration_ms} ms  {status}{failure}{}", answer.unwrap_or_default())
}

fn progress(resend: &Resend) -> String {
    let Resend { id, total, queued, refused, held, stopped, .. } = resend;
    let state = match resend.state() {
        ResendState::UnderWay => "under way".to_owned(),
        ResendState::Done => "done".to_owned(),
        ResendState::Stopped => format!("stopped: {}", stopped.as_deref().unwrap_or_default()),
    };
    let held = if *held > 0 { format!(", held {held}") } else { String::new() };
    let (delivered, waiting) = (resend.delivered(), resend.waiting());
    format!(
        "{id}  queued {queued} of {total}, delivered {delivered}, refused {refused}{held}, still waiting {waiting}  {state}"
    )
}
