//! Comparison of a quote with what the system says now.

use futures_util::{StreamExt, TryStreamExt, stream};
use time::{Duration, OffsetDateTime};

use super::proposal::{BookingProposal, CancellationProposal, OrderProposal, Proposal, ProposedLine};
use crate::{
    external_id::ExternalId,
    orders::Order,
    phone::Region,
    systems::{CallError, OpenedSystem, Product, Slot, SlotQuery, SystemError},
};

/// Most free slots that a customer is told instead of the one that is gone.
const MOST_FREE: usize = 3;
/// Most products read concurrently.
const AT_ONCE: usize = 5;

/// Returns the proposal as the system offers it now; `None` if it no longer does.
pub(crate) async fn requote(
    system: &OpenedSystem,
    proposal: &Proposal,
    region: Region,
) -> Result<Option<Proposal>, SystemError> {
    match proposal {
        Proposal::Order(order) => Ok(order_again(system, order).await?.map(Proposal::Order)),
        Proposal::Booking(booking) => Ok(booking_again(system, booking).await?.map(Proposal::Booking)),
        Proposal::Cancellation(cancelled) => {
            let Some(order) = order_of(system, cancelled, region).await? else { return Ok(None) };
            let now = CancellationProposal::of(
                cancelled.reference.clone(),
                &order,
                system.introduction().currency,
                cancelled.phone.clone(),
                cancelled.reason.clone(),
            );
            // An order that is cancelled by now is what the customer wanted, and is reported so.
            Ok(Some(Proposal::Cancellation(now.unwrap_or_else(|| cancelled.clone()))))
        }
    }
}

/// Reads the order to be cancelled; `None` if the system no longer knows it, or does not show it to that
/// number.
pub(crate) async fn order_of(
    system: &OpenedSystem,
    cancelled: &CancellationProposal,
    region: Region,
) -> Result<Option<Order>, SystemError> {
    match system.order(&cancelled.reference).await {
        Ok(found) => Ok(found.shown_to(&cancelled.phone, region)),
        Err(SystemError::Call(CallError::NotFound { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads products by their ids, in the same order; `None` for each that the system does not have.
pub(crate) async fn products(
    system: &OpenedSystem,
    ids: &[ExternalId],
) -> Result<Vec<Option<Product>>, SystemError> {
    let read = |id: ExternalId| async move {
        match system.product(&id).await {
            Ok(product) => Ok(Some(product)),
            Err(SystemError::Call(CallError::NotFound { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    };
    stream::iter(ids.iter().cloned()).map(read).buffered(AT_ONCE).try_collect().await
}

async fn order_again(
    system: &OpenedSystem,
    order: &OrderProposal,
) -> Result<Option<OrderProposal>, SystemError> {
    let mut ids: Vec<ExternalId> = Vec::new();
    for line in &order.lines {
        if !ids.contains(&line.product) {
            ids.push(line.product.clone());
        }
    }
    let found = products(system, &ids).await?;
    let currency = system.introduction().currency;
    let line_now = |line: &ProposedLine| {
        let product = ids.iter().zip(&found).find(|(id, _)| **id == line.product)?.1.as_ref()?;
        ProposedLine::of(product, &line.variant, line.quantity, currency)
    };
    let lines: Option<Vec<_>> = order.lines.iter().map(line_now).collect();
    Ok(lines.map(|lines| OrderProposal { lines, currency, ..order.clone() }))
}

async fn booking_again(
    system: &OpenedSystem,
    booking: &BookingProposal,
) -> Result<Option<BookingProposal>, SystemError> {
    let slots = slots_around(system, booking).await?;
    Ok(booking.is_offered_by(&slots).then(|| booking.clone()))
}

/// Reads the slots at the booking's time, or of its whole day for a system that lists by days.
async fn slots_around(system: &OpenedSystem, booking: &BookingProposal) -> Result<Vec<Slot>, SystemError> {
    let (from, to) = (booking.span.starts_at(), booking.span.ends_at());
    let exact = SlotQuery { from, to, service: Some(booking.service.clone()) };
    let exact = system.slots(&exact).await?.slots;
    if booking.is_offered_by(&exact) {
        return Ok(exact);
    }
    Ok(system.slots(&day_of(booking)).await?.slots)
}

fn day_of(booking: &BookingProposal) -> SlotQuery {
    let midnight = booking.span.starts_at().replace_time(time::Time::MIDNIGHT);
    SlotQuery {
        from: midnight,
        to: midnight.saturating_add(Duration::DAY),
        service: Some(booking.service.clone()),
    }
}

/// Returns the slots of a booking's day that are nearest to it and still to come. Empty for other proposals,
/// or if the system does not answer.
pub(crate) async fn free_instead(
    system: &OpenedSystem,
    proposal: &Proposal,
    now: OffsetDateTime,
) -> Vec<Slot> {
    let Proposal::Booking(booking) = proposal else { return Vec::new() };
    let wanted = booking.span.starts_at();
    let mut free = system.slots(&day_of(booking)).await.map(|found| found.slots).unwrap_or_default();
    free.retain(|slot| {
        let at = slot.span.starts_at();
        // Another slot at the same time is another chair.
        slot.id != booking.slot && at > now && slot.service == booking.service
    });
    free.sort_by_key(|slot| ((slot.span.starts_at() - wanted).abs(), slot.span.starts_at()));
    free.dedup_by_key(|slot| slot.span.starts_at());
    free.truncate(MOST_FREE);
    free.sort_by_key(|slot| slot.span.starts_at());
    free
}
