//! Commands about webhook addresses and what was delivered to them.

use std::time::Duration;

use anyhow::{Context, bail};
use domain::{
    audit::Acting,
    clock::rfc3339_ms,
    events::EventType,
    ids::WorkspaceId,
    paging::{AskedPage, PageLimit},
    webhooks::{
        AddressSettings, AddressState, Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliveryState,
        Resend, ResendError, ResendState, ResendWindow, WebhookAddress,
    },
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{
    progress::Steps,
    said::{Listing, Said},
};
use crate::{
    cli::{AddressArgs, LogArgs, WebhookCommand},
    wiring::Operations,
};

const KEYS: &[&str] = &["id", "url", "state", "reason", "events", "standardHeaders", "previousSecretUntil"];
const DELIVERY_KEYS: &[&str] = &["createdAt", "id", "event", "state", "attempts", "nextAttemptAt"];
/// Interval between looks at a re-send that is followed.
const LOOKED_EVERY: Duration = Duration::from_secs(1);
const NO_ADDRESS: &str = "the workspace has no such address";

/// Runs a command, and tells the nodes of what it made due.
pub async fn run(command: WebhookCommand, operations: &Operations) -> anyhow::Result<Said> {
    let said = match command {
        WebhookCommand::Deliveries(args) => deliveries(args, operations).await?,
        WebhookCommand::Delivery { workspace, delivery } => {
            let found = operations.read_deliveries.get(workspace, delivery).await?;
            detail(&found.context("the log has no such delivery")?)
        }
        WebhookCommand::Resend { workspace, delivery } => {
            operations.resend_deliveries.one(Acting::operator(workspace), delivery).await?;
            "it is on its way again".into()
        }
        WebhookCommand::ResendWindow { of, since, until, dry_run, follow } => {
            let until = until.unwrap_or_else(|| operations.resend_deliveries.deps.clock.now());
            if since >= until {
                bail!(ResendError::EmptyWindow);
            }
            if dry_run {
                return would_resend(of, since, until, operations).await;
            }
            let window = ResendWindow { address: of.address, since, until };
            let begun = operations.resend_deliveries.window(Acting::operator(of.workspace), window).await?;
            if follow {
                // The nodes are told before their work is waited for.
                operations.told.tell(&operations.stores.database).await;
                return followed(of.workspace, begun, operations).await;
            }
            progress(&begun)
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

async fn address(command: WebhookCommand, operations: &Operations) -> anyhow::Result<Said> {
    let addresses = &operations.manage_addresses;
    let changed =
        |changed: Option<WebhookAddress>| changed.map(|address| shown(&address)).context(NO_ADDRESS);
    match command {
        WebhookCommand::Add { workspace, url, events } => {
            let events = if events.is_empty() { EventType::SUBSCRIBABLE.to_vec() } else { events };
            let added =
                operations.register_address.run(Acting::operator(workspace), url.into(), events).await?;
            let (id, secret) = (added.id, added.secret.reveal());
            let json = json!({ "id": id, "secret": secret, "sameAs": added.same_as });
            let twice = |other| {
                format!("\nThe address {other} has the same URL: what both are told of goes there twice.")
            };
            let twice: String = added.same_as.iter().map(twice).collect();
            Ok(Said::new(format!("address {id}\n{secret}\nThe secret is not shown again.{twice}"), &json))
        }
        WebhookCommand::List { workspace } => {
            super::check_known(workspace, operations).await?;
            let listed = addresses.list(workspace).await?;
            Ok(Listing::new(KEYS, 5, listed.iter().map(row).collect()).all())
        }
        WebhookCommand::Show(of) => {
            let found = addresses.get(of.workspace, of.address).await?.context(NO_ADDRESS)?;
            let listing = Listing::new(KEYS, KEYS.len(), vec![row(&found)]);
            listing.one(&["id"], &of.address.to_string()).context(NO_ADDRESS)
        }
        WebhookCommand::Ping(AddressArgs { workspace, address }) => {
            if addresses.ping(Acting::operator(workspace), address).await?.is_none() {
                bail!(NO_ADDRESS);
            }
            Ok("a ping is on its way".into())
        }
        WebhookCommand::Subscribe { of, events } => {
            let wanted = AddressSettings { events: Some(events), standard_headers: None };
            changed(Some(addresses.set(Acting::operator(of.workspace), of.address, wanted).await?))
        }
        WebhookCommand::Pause(of) => {
            changed(addresses.pause(Acting::operator(of.workspace), of.address).await?)
        }
        WebhookCommand::Resume(of) => {
            changed(addresses.resume(Acting::operator(of.workspace), of.address).await?)
        }
        WebhookCommand::Rotate { of, overlap_minutes } => {
            let overlap = Duration::from_secs(u64::from(overlap_minutes) * 60);
            let secret = addresses.rotate(Acting::operator(of.workspace), of.address, overlap).await?;
            let secret = secret.reveal();
            Ok(Said::new(format!("{secret}\nThe secret is not shown again."), &json!({ "secret": secret })))
        }
        WebhookCommand::StandardHeaders { of, off } => {
            let wanted = AddressSettings { events: None, standard_headers: Some(!off) };
            changed(Some(addresses.set(Acting::operator(of.workspace), of.address, wanted).await?))
        }
        WebhookCommand::Remove(of) => {
            if !addresses.delete(Acting::operator(of.workspace), of.address).await? {
                bail!(NO_ADDRESS);
            }
            Ok("removed".into())
        }
        _ => bail!("this command is not about an address"),
    }
}

async fn deliveries(args: LogArgs, operations: &Operations) -> anyhow::Result<Said> {
    let LogArgs { of, state, event, since, until, limit, cursor } = args;
    let filter = DeliveryFilter { address: of.address, state, event, since, until };
    let limit = PageLimit::new(limit).context("--limit must be from 1 to 100")?;
    operations.manage_addresses.get(of.workspace, of.address).await?.context(NO_ADDRESS)?;
    let asked = AskedPage { limit, cursor };
    let page = operations.read_deliveries.list(of.workspace, &filter, &asked).await?;
    let rows = page.rows.iter().map(delivery_row).collect();
    let listing = Listing::new(DELIVERY_KEYS, DELIVERY_KEYS.len(), rows);
    Ok(listing.page("--cursor", "nextCursor", &json!(page.next)))
}

/// Counts what a re-send of the window would take.
async fn would_resend(
    of: AddressArgs,
    since: OffsetDateTime,
    until: OffsetDateTime,
    operations: &Operations,
) -> anyhow::Result<Said> {
    operations.manage_addresses.get(of.workspace, of.address).await?.context(NO_ADDRESS)?;
    let (mut steps, mut seen) = (Steps::new(None, "deliveries"), 0);
    let mut counts = [(DeliveryState::Failed, 0_u64), (DeliveryState::Held, 0), (DeliveryState::Pending, 0)];
    for (state, count) in &mut counts {
        let (since, until) = (Some(since), Some(until));
        let filter = DeliveryFilter { address: of.address, state: Some(*state), event: None, since, until };
        let mut cursor = None;
        loop {
            let limit = PageLimit::new(100).context("a page has at most 100")?;
            let asked = AskedPage { limit, cursor };
            let page = operations.read_deliveries.list(of.workspace, &filter, &asked).await?;
            let rows = u64::try_from(page.rows.len())?;
            *count += rows;
            seen += rows;
            steps.at(seen);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    steps.end();
    let [(_, failed), (_, held), (_, waiting)] = counts;
    let text = format!("nothing was sent; it would send failed {failed}, held {held}, waiting {waiting}");
    let json = json!({ "dryRun": true, "failed": failed, "held": held, "waiting": waiting });
    Ok(Said::new(text, &json))
}

fn reason(address: &WebhookAddress) -> Option<&str> {
    let health = &address.health;
    health.disabled_reason.as_deref().filter(|_| health.state == AddressState::Disabled)
}

fn with_reason(state: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| state.to_owned(), |reason| format!("{state}: {reason}"))
}

fn row(address: &WebhookAddress) -> Vec<Value> {
    let events: Vec<&str> = address.events.iter().map(|event| event.as_str()).collect();
    vec![
        json!(address.id),
        json!(address.url),
        json!(address.health.state.as_str()),
        json!(reason(address)),
        json!(events),
        json!(address.standard_headers),
        json!(address.previous_secret_until.map(rfc3339_ms)),
    ]
}

/// Renders a changed address on one line.
fn shown(address: &WebhookAddress) -> Said {
    let events: Vec<&str> = address.events.iter().map(|event| event.as_str()).collect();
    let standard = if address.standard_headers { "  standard headers" } else { "" };
    let overlap =
        address.previous_secret_until.map(|until| format!("  two secrets until {}", rfc3339_ms(until)));
    let text = format!(
        "{}  {}  {}  {}{standard}{}",
        address.id,
        address.url,
        with_reason(address.health.state.as_str(), reason(address)),
        events.join(","),
        overlap.unwrap_or_default()
    );
    Said::new(text, &Listing::new(KEYS, KEYS.len(), Vec::new()).object(&row(address)))
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

fn detail(detail: &DeliveryDetail) -> Said {
    let attempts = detail.attempts.iter().map(attempt);
    let body = String::from_utf8_lossy(&detail.body).into_owned();
    let json = json!({
        "delivery": object(&detail.delivery),
        "attempts": detail.attempts.iter().map(attempt_object).collect::<Vec<_>>(),
        "body": body,
    });
    let lines = [summary(&detail.delivery)].into_iter().chain(attempts).chain([body]);
    Said::new(lines.collect::<Vec<_>>().join("\n"), &json)
}

fn attempt(attempt: &Attempt) -> String {
    let Attempt { number, started_at, duration_ms, status, failure, answer } = attempt;
    let status = status.map_or("no answer".to_owned(), |status| format!("status {status}"));
    let failure = failure.as_ref().map(|words| format!("  {words}")).unwrap_or_default();
    let answer = answer.as_ref().map(|bytes| format!("  {:?}", String::from_utf8_lossy(bytes)));
    let at = rfc3339_ms(*started_at);
    format!("attempt {number}  {at}  {duration_ms} ms  {status}{failure}{}", answer.unwrap_or_default())
}

async fn followed(workspace: WorkspaceId, begun: Resend, operations: &Operations) -> anyhow::Result<Said> {
    let resends = &operations.resend_deliveries;
    let mut steps = Steps::new(Some(begun.total), "deliveries");
    let mut now = begun;
    while now.state() == ResendState::UnderWay {
        steps.at(now.total.saturating_sub(now.waiting()));
        resends.deps.clock.sleep(LOOKED_EVERY).await;
        let found = resends.progress(workspace, now.id).await?;
        now = found.context("the re-send is gone: its address was removed")?;
    }
    steps.end();
    Ok(progress(&now))
}

fn progress(resend: &Resend) -> Said {
    let Resend { id, total, queued, refused, held, stopped, .. } = resend;
    let state = resend.state();
    let reason = stopped.as_deref().filter(|_| state == ResendState::Stopped);
    let (delivered, waiting) = (resend.delivered(), resend.waiting());
    let json = json!({
        "id": id, "total": total, "queued": queued, "delivered": delivered, "refused": refused, "held": held,
        "waiting": waiting, "state": state.as_str(), "reason": reason,
    });
    let held = if *held > 0 { format!(", held {held}") } else { String::new() };
    let state = with_reason(&state.as_str().replace('_', " "), reason);
    let text = format!(
        "{id}  queued {queued} of {total}, delivered {delivered}, refused {refused}{held}, still waiting {waiting}  {state}"
    );
    Said::new(text, &json)
}

fn delivery_row(delivery: &Delivery) -> Vec<Value> {
    vec![
        json!(rfc3339_ms(delivery.created_at)),
        json!(delivery.id),
        json!(delivery.event.as_str()),
        json!(delivery.state.as_str()),
        json!(delivery.attempts),
        json!(delivery.next_attempt_at.map(rfc3339_ms)),
    ]
}

fn object(delivery: &Delivery) -> Value {
    Listing::new(DELIVERY_KEYS, DELIVERY_KEYS.len(), Vec::new()).object(&delivery_row(delivery))
}

fn attempt_object(attempt: &Attempt) -> Value {
    let Attempt { number, started_at, duration_ms, status, failure, answer } = attempt;
    json!({
        "number": number,
        "startedAt": rfc3339_ms(*started_at),
        "durationMs": duration_ms,
        "status": status,
        "failure": failure,
        "answer": answer.as_ref().map(|bytes| String::from_utf8_lossy(bytes)),
    })
}
